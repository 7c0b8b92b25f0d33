"""The audit trail: one row for every call, with its arguments, its result or error, and true times."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from mission.domain.errors import MissionError, PermissionDenied, Unauthenticated
from mission.domain.ids import new_id
from mission.gateway.caller import Identity
from mission.gateway.masking import LONGEST, WHOLE, masked, outline, plain, without_secrets
from mission.gateway.retry import is_passing
from mission.store.database import Database
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.1
LONGEST_TRACE = 8_000


class Entry:
    """The audit row of one call while it runs."""

    def __init__(self, *, tool: str, transport: str, arguments: Any, at: datetime) -> None:
        """A read's result is only outlined: it can be had again, and a look at the audit would keep the audit."""
        self.id = new_id("audit entry")
        self.identity: Identity | None = None
        self.result: dict[str, Any] | None = None
        self.reads = False
        self.whole = False
        self.handed_in = False
        self.written = False
        self._tool = plain(tool[:200])
        self._transport = transport
        self._arguments = arguments
        self._at = at

    def row(self, error: BaseException | None, at: datetime) -> dict[str, Any] | None:
        """The row for the commit of a write; none after a passing failure, which may be tried again."""
        return None if error is not None and is_passing(error) else self.finished(error, at)

    def finished(self, error: BaseException | None, at: datetime) -> dict[str, Any]:
        """The whole row, once the call has come to its end."""
        result = self.result if error is None else None
        arguments = self._arguments if isinstance(self._arguments, Mapping) else {"?": self._arguments}
        subjects = {**arguments, **(result or {})}
        return {
            "id": self.id,
            "at": self._at,
            "finished_at": at,
            "transport": self._transport,
            "caller": self.identity.name if self.identity is not None else "unknown",
            "agent_id": self.identity.agent.id if self.identity is not None and self.identity.agent else None,
            "tool": self._tool,
            "status": _status(error),
            "mission_id": _id(subjects, "mission_id", "workflow_id"),
            "task_id": _id(subjects, "task_id"),
            "arguments": masked(arguments, longest=WHOLE if self.whole else LONGEST),
            "result": self._kept(result),
            "error": _error(error),
            "trace": _trace(error),
        }

    def _kept(self, result: dict[str, Any] | None) -> Any:
        if result is None:
            return None
        return outline(result) if self.reads else masked(result)


class AuditTrail:
    """Rows that no commit carries (reads, denials, bad input) are gathered and written a moment later."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows: list[dict[str, Any]] = []
        self._hurry = asyncio.Event()
        self._flushing: asyncio.Task[None] | None = None

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())

    async def flush(self) -> None:
        """Write what was gathered, now."""
        self._hurry.set()
        while self._flushing is not None:
            await asyncio.wait([self._flushing])
        self._hurry.clear()

    async def _flush(self) -> None:
        try:
            while self._rows:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), FLUSH_SECONDS)
                rows, self._rows = self._rows, []
                await self._write(rows)
        finally:
            self._flushing = None

    async def _write(self, rows: list[dict[str, Any]]) -> None:
        try:
            await self._database.write(_add, rows=rows)
        except (MissionError, SQLAlchemyError):
            log.exception("%d audit entries could not be written", len(rows))


def _add(tx: Tx, *, rows: list[dict[str, Any]]) -> None:
    tx.audit.add(rows)


def _status(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    return "denied" if isinstance(error, PermissionDenied | Unauthenticated) else "error"


def _error(error: BaseException | None) -> dict[str, Any] | None:
    if error is None:
        return None
    if isinstance(error, MissionError):
        return masked(error.as_dict())  # type: ignore[no-any-return]
    return {"code": MissionError.code, "message": masked(f"{type(error).__name__}: {error}")}


def _trace(error: BaseException | None) -> str | None:
    """The way to an error nobody foresaw; a caller's mistake needs none."""
    if error is None or (isinstance(error, MissionError) and error.http_status < 500):
        return None
    return without_secrets("".join(traceback.format_exception(error))[-LONGEST_TRACE:])


def _id(subjects: Mapping[str, Any], *names: str) -> str | None:
    for name in names:
        if isinstance(value := subjects.get(name), str):
            return plain(value[:40])
    return None
