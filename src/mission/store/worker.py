"""A thread of the store: its jobs, its own connection, and where it delivers results."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from mission.domain.timestamps import Clock
from mission.store.backends.backend import Backend
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx


class AuditRecord(Protocol):
    """The record of a write, created when its result is known."""

    written: bool
    """Whether it was committed."""

    def row(self, error: BaseException | None, at: datetime) -> dict[str, Any] | None: ...


@dataclass(slots=True, eq=False)
class Job:
    function: Callable[..., Any]
    arguments: dict[str, Any]
    future: asyncio.Future[Any]
    record: AuditRecord | None = None
    since: float = 0.0
    result: Any = None
    error: BaseException | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    row: dict[str, Any] | None = None


class Deliver(Protocol):
    """Hands results to their callers and announces what was committed, from any thread."""

    def __call__(self, jobs: Sequence[Job], events: Sequence[StoredEvent] = ()) -> None: ...


class Worker:
    """A thread with its own connection, which is reopened when it breaks."""

    def __init__(
        self,
        backend: Backend,
        jobs: queue.SimpleQueue[Job | None],
        *,
        undo: Callable[[Connection], None],
        deliver: Deliver,
        clock: Clock,
        silence: timedelta,
    ) -> None:
        self._backend = backend
        self._jobs = jobs
        self._undo = undo
        self._deliver = deliver
        self._clock = clock
        self._silence = silence
        self._open: Connection | None = None

    @property
    def _connection(self) -> Connection:
        if self._open is None:
            self._open = self._backend.connect()
        return self._open

    def _tx(self, connection: Connection) -> Tx:
        return Tx(connection, now=self._clock(), silence=self._silence)

    def _rollback(self) -> None:
        if self._open is None:
            return
        try:
            self._undo(self._open)
        except SQLAlchemyError:
            self._drop_connection()

    def _drop_connection(self) -> None:
        if self._open is not None:
            self._open.invalidate()
            self._open.close()
            self._open = None
