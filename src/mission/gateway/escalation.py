"""Takes failures to those who can do something about them, behind the answer of the call and never in its way."""

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

MOST_WAITING = 1_000
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0


def concerns_others(error: MissionError) -> bool:
    """Whether somebody besides the caller must hear of it: a caller's own mistake never mails anybody."""
    return error.code in {InternalError.code, TransientError.code}


class Escalations:
    """Failures on their way. When the store itself is what fails they wait here; the log has them already."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: deque[FailedCall] = deque(maxlen=MOST_WAITING)
        self._telling: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    def add(self, error: BaseException, row: Mapping[str, Any], shown: MissionError) -> None:
        """Report the failure that an audit row describes; `error` is what really happened, `shown` how we word it."""
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
        if self._telling is None:
            self._telling = asyncio.create_task(self._tell())

    async def flush(self) -> None:
        """Tell what waits, now; what cannot be told is given up."""
        self._hurry.set()
        while self._telling is not None:
            await asyncio.wait([self._telling])
        self._hurry.clear()

    async def _tell(self) -> None:
        pause = FIRST_PAUSE
        try:
            while self._waiting:
                failure, last = self._waiting[0], self._hurry.is_set()
                if await self._told(failure):
                    pause = FIRST_PAUSE
                elif last:
                    log.error("%d incident(s) could not be told: the store does not answer", len(self._waiting))
                    self._waiting.clear()
                else:
                    await self._rest(pause)
                    pause = min(pause * 2, LONGEST_PAUSE)
                    continue
                if self._waiting and self._waiting[0] is failure:
                    self._waiting.popleft()
        finally:
            self._telling = None

    async def _told(self, failure: FailedCall) -> bool:
        """Whether the failure needs no further try. What goes wrong here never takes the place of the failure."""
        try:
            await self._database.write(escalation.report, failure=failure)
        except TransientError:
            return False
        except Exception:
            log.exception("incident %s could not be told", failure.incident)
        return True

    async def _rest(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._hurry.wait(), seconds)
        except TimeoutError:
            return


def _cause(error: BaseException, tool: str) -> str:
    """A store that fails is one failure for all tools; a fault in the code is one per tool and place."""
    if isinstance(error, TransientError):
        return type(error).__name__
    root = error
    while root.__cause__ is not None:
        root = root.__cause__
    frames = traceback.extract_tb(root.__traceback__)
    place = f"{frames[-1].name}:{frames[-1].lineno}" if frames else ""
    return f"{tool} {type(root).__name__} {place}"
