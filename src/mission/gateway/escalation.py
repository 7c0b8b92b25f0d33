"""Escalation: reports failures to those who can fix them, in the background and without delaying the call."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import deque
from collections.abc import Mapping
from typing import Any

from mission.domain.errors import InternalError, MissionError, TransientError
from mission.domain.inbox.failure_report import FailedCall
from mission.services.upkeep import escalation
from mission.store.database import Database

log = logging.getLogger(__name__)

MAX_WAITING = 1_000
FIRST_PAUSE = 1.0
MAX_PAUSE = 30.0


def concerns_others(error: MissionError) -> bool:
    """Return whether others must know about the error; a caller's own mistake is never reported to them."""
    return error.code in {InternalError.code, TransientError.code}


class Escalations:
    """Failures to report. They wait here while the store itself fails; the log already has them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[FailedCall] = deque(maxlen=MAX_WAITING)
        self._reporting: asyncio.Task[None] | None = None
        self._flush_now = asyncio.Event()

    def add(self, error: BaseException, row: Mapping[str, Any], shown: MissionError) -> None:
        """Report the failure in an audit row; `error` is the original exception, `shown` the error for the caller."""
        self._waiting.append(
            FailedCall(
                incident=row["id"],
                tool=row["tool"],
                cause=_cause(error, row["tool"]),
                error={"code": shown.code, "message": shown.message},
                trace=row["trace"],
                agent_id=row["agent_id"],
                mission_id=row["mission_id"],
                task_id=row["task_id"],
            )
        )
        if self._reporting is None:
            self._reporting = asyncio.create_task(self._report_all())

    async def flush(self) -> None:
        """Report all waiting failures now; give up on those that cannot be reported."""
        self._flush_now.set()
        while self._reporting is not None:
            await asyncio.wait([self._reporting])
        self._flush_now.clear()

    async def _report_all(self) -> None:
        pause = FIRST_PAUSE
        try:
            while self._waiting:
                failure, last = self._waiting[0], self._flush_now.is_set()
                if await self._reported(failure):
                    pause = FIRST_PAUSE
                elif last:
                    log.error("%d incident(s) could not be reported: the store does not respond", len(self._waiting))
                    self._waiting.clear()
                else:
                    await self._rest(pause)
                    pause = min(pause * 2, MAX_PAUSE)
                    continue
                if self._waiting and self._waiting[0] is failure:
                    self._waiting.popleft()
        finally:
            self._reporting = None

    async def _reported(self, failure: FailedCall) -> bool:
        """Return whether the failure needs no further try. Errors in here never replace the failure."""
        try:
            await self._database.write(escalation.report, failure=failure)
        except TransientError:
            return False
        except Exception:
            log.exception("incident %s could not be reported", failure.incident)
        return True

    async def _rest(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._flush_now.wait(), seconds)
        except TimeoutError:
            return


def _cause(error: BaseException, tool: str) -> str:
    """Return the cause: one for all tools if the store fails, one per tool and code location for a bug."""
    if isinstance(error, TransientError):
        return type(error).__name__
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    frames = traceback.extract_tb(root.__traceback__)
    location = f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return f"{tool} {type(root).__name__} {location}"
