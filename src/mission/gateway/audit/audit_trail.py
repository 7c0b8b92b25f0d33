"""The audit trail: one row for every call, with its arguments, its result or error, and its start and end times."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from mission.domain.errors import MissionError, PermissionDenied, Unauthenticated
from mission.domain.ids import new_id
from mission.gateway.audit.masking import UNLIMITED, Masker, plain
from mission.gateway.caller import Identity
from mission.gateway.retry import is_passing
from mission.store.database import Database
from mission.store.errors import DatabaseFailure
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.1
MAX_ROWS = 10_000
"""Maximum number of rows that wait while the store cannot be written."""
MAX_TRACE_LENGTH = 8_000
INVOKED = "invoked"
"""The status of a call that has started to act outside the database and has not ended."""


class AuditEntry:
    """The audit row of one call while it runs."""

    def __init__(self, *, tool: str, transport: str, arguments: Any, at: datetime, masker: Masker) -> None:
        """Create the entry. A read's result is only outlined: otherwise reading the audit would copy the audit."""
        self.id = new_id("audit entry")
        self.identity: Identity | None = None
        self.result: dict[str, Any] | None = None
        self.reads = False
        self.whole = False
        self.handed_in = False
        self._invoked = False
        self.written = False
        self._tool = plain(tool[:200])
        self._transport = transport
        self._arguments = arguments
        self._at = at
        self._masker = masker

    def invocation(self) -> dict[str, Any]:
        """Return the row of a call that is about to act outside the database; its end completes it."""
        row = {**self.finished(None, self._at), "status": INVOKED}
        self._invoked = True
        return row

    def row(self, error: BaseException | None, at: datetime) -> dict[str, Any] | None:
        """Return the row for the commit of a write; None after a temporary failure, which may be retried."""
        return None if error is not None and is_passing(error) else self.finished(error, at)

    def finished(self, error: BaseException | None, at: datetime) -> dict[str, Any]:
        """Return the complete row once the call has ended."""
        result = self.result if error is None else None
        arguments = self._arguments if isinstance(self._arguments, Mapping) else {"?": self._arguments}
        subjects = {**arguments, **(result or {})}
        return {
            **({"ends": True} if self._invoked else {}),
            "id": self.id,
            "at": self._at,
            "finished_at": at,
            "transport": self._transport,
            "caller": self.identity.name if self.identity is not None else "unknown",
            "agent_id": self.identity.agent.id if self.identity is not None and self.identity.agent else None,
            "tool": self._tool,
            "status": _status(error),
            "mission_id": _id(subjects, "m_", "mission_id", "workflow_id", "epicId", "id"),
            "task_id": _id(subjects, "t_", "task_id", "taskId", "id"),
            "arguments": self._masker.value(arguments, max_length=UNLIMITED if self.whole else None),
            "result": self._stored(result),
            "error": self._error(error),
            "trace": self._trace(error),
        }

    def _stored(self, result: dict[str, Any] | None) -> Any:
        if result is None:
            return None
        return self._masker.outline(result) if self.reads else self._masker.value(result)

    def _error(self, error: BaseException | None) -> dict[str, Any] | None:
        if error is None:
            return None
        if isinstance(error, MissionError):
            return self._masker.value(error.as_dict())  # type: ignore[no-any-return]
        return {"code": MissionError.code, "message": self._masker.value(f"{type(error).__name__}: {error}")}

    def _trace(self, error: BaseException | None) -> str | None:
        """Return the traceback of an unexpected error; None for a caller's mistake."""
        if error is None or (isinstance(error, MissionError) and error.http_status < 500):
            return None
        return self._masker.text("".join(traceback.format_exception(error))[-MAX_TRACE_LENGTH:])


class AuditTrail:
    """The audit trail. Rows without a commit (reads, denials, bad input) are collected and written a moment later."""

    def __init__(self, database: Database, masker: Masker | None = None) -> None:
        self._database = database
        self._masker = masker or Masker()
        self._rows: list[dict[str, Any]] = []
        self._flush_now = asyncio.Event()
        self._flushing: asyncio.Task[None] | None = None

    def start(self, *, tool: str, transport: str, arguments: Any) -> AuditEntry:
        """Return the entry of a call that starts now."""
        return AuditEntry(
            tool=tool, transport=transport, arguments=arguments, at=self._database.clock(), masker=self._masker
        )

    async def write_invocation(self, entry: AuditEntry) -> None:
        """Record that a call starts, before it does anything that cannot be rolled back."""
        await self._database.write(_add, rows=[entry.invocation()])

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if self._flushing is None:
            self._flushing = asyncio.create_task(self._flush())

    async def flush(self) -> None:
        """Write the collected rows now."""
        self._flush_now.set()
        while self._flushing is not None:
            await asyncio.wait([self._flushing])
        self._flush_now.clear()

    async def _flush(self) -> None:
        try:
            while self._rows:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._flush_now.wait(), FLUSH_SECONDS)
                rows, self._rows = self._rows, []
                last = self._flush_now.is_set() or len(rows) > MAX_ROWS
                if not await self._written(rows, last=last):
                    self._rows = rows + self._rows
        finally:
            self._flushing = None

    async def _written(self, rows: list[dict[str, Any]], *, last: bool) -> bool:
        """Return whether the rows are written or dropped; after a temporary failure they are kept, unless `last`."""
        try:
            await self._database.write(_add, rows=rows)
        except (MissionError, DatabaseFailure) as error:
            if is_passing(error) and not last:
                return False
            log.exception("%d audit entries could not be written", len(rows))
        return True


def _add(tx: Tx, *, rows: list[dict[str, Any]]) -> None:
    tx.audit.add(rows)


def _status(error: BaseException | None) -> str:
    if error is None:
        return "ok"
    return "denied" if isinstance(error, PermissionDenied | Unauthenticated) else "error"


def _id(subjects: Mapping[str, Any], prefix: str, *names: str) -> str | None:
    """Return the first of the named values that looks like such an id."""
    for name in names:
        if isinstance(value := subjects.get(name), str) and value.startswith(prefix):
            return plain(value[:40])
    return None
