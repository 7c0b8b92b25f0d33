"""Run transaction functions: one writer thread that commits in groups, two reader threads, futures in between."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from mission.domain.errors import InternalError, MissionError, OutcomeUnknown
from mission.domain.timestamps import Clock, utc_now
from mission.store.backends.backend import Backend
from mission.store.logs.events import EventRows, StoredEvent
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

Result = TypeVar("Result")


class AuditRecord(Protocol):
    """The record of a write, created when its result is known."""

    written: bool
    """Whether it was committed."""

    def row(self, error: BaseException | None, at: datetime) -> dict[str, Any] | None: ...


READERS = 2  # more are slower under the GIL
MAX_GROUP = 64
ATTEMPTS = 8
MIN_ATTEMPTS = 2
GIVE_UP_SECONDS = 3.0
"""The time that a write waits for a locked store, from when it was submitted: after that the caller retries and then
gets an error. A short lock is released by then."""
FIRST_PAUSE = 0.01
MAX_PAUSE = 0.5


@dataclass(slots=True, eq=False)
class _Job:
    function: Callable[..., Any]
    arguments: dict[str, Any]
    future: asyncio.Future[Any]
    record: AuditRecord | None = None
    since: float = 0.0
    result: Any = None
    error: BaseException | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    row: dict[str, Any] | None = None


class Database:
    """The access to the store. `open` it inside the event loop that awaits its results."""

    def __init__(self, backend: Backend, *, silence: timedelta, clock: Clock = utc_now) -> None:
        """Create the access; `silence` is how long an agent without a heartbeat still counts as present."""
        self.clock = clock
        self.silence = silence
        self.backend = backend
        self.on_commit: Callable[[Sequence[StoredEvent]], None] = _nobody_listens
        self._writes: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        writer = _Writer(self, self._writes, undo=self.backend.rollback)
        readers = [_Reader(self, self._reads, undo=self.backend.end_read) for _ in range(READERS)]
        work = {"writer": writer.run, **{f"reader-{number}": each.run for number, each in enumerate(readers, 1)}}
        self._threads = [threading.Thread(target=run, name=name, daemon=True) for name, run in work.items()]
        for thread in self._threads:
            thread.start()

    async def close(self) -> None:
        """Finish the submitted work, then close the database."""
        if self._threads:
            self._writes.put(None)
            for _ in range(READERS):
                self._reads.put(None)
            for thread in self._threads:
                await asyncio.to_thread(thread.join)
            self._threads = []
        self.backend.close()

    async def read(self, function: Callable[..., Result], /, **arguments: Any) -> Result:
        """Run the function on one consistent state of the store."""
        job = _Job(function, arguments, self._loop.create_future())
        self._reads.put(job)
        result: Result = await job.future
        return result

    async def write(
        self, function: Callable[..., Result], /, *, record: AuditRecord | None = None, **arguments: Any
    ) -> Result:
        """Run the function and return once its effect is durable; after an error only its record is kept."""
        result: Result = await self.submit(function, record=record, **arguments)
        return result

    def submit(
        self, function: Callable[..., Result], /, *, record: AuditRecord | None = None, **arguments: Any
    ) -> asyncio.Future[Result]:
        """Submit a write behind all earlier ones, for callers that do not wait for it."""
        job = _Job(function, arguments, self._loop.create_future(), record, since=time.monotonic())
        self._writes.put(job)
        return job.future

    def deliver(self, jobs: Sequence[_Job], events: Sequence[StoredEvent] = ()) -> None:
        """Deliver the results and publish the commits, from a worker thread."""
        try:
            self._loop.call_soon_threadsafe(self._settle, jobs, events)
        except RuntimeError:
            log.debug("the event loop is closed; %d result(s) have no receiver", len(jobs))

    def _settle(self, jobs: Sequence[_Job], events: Sequence[StoredEvent]) -> None:
        for job in jobs:
            if job.record is not None:
                job.record.written = job.row is not None
            if job.future.done():
                continue
            if job.error is not None:
                job.future.set_exception(job.error)
            else:
                job.future.set_result(job.result)
        if events:  # after the results: callers continue before those that only listen
            self.on_commit(events)


class _Worker:
    """A thread with its own connection, which is reopened when it breaks."""

    def __init__(
        self, database: Database, jobs: queue.SimpleQueue[_Job | None], *, undo: Callable[[Connection], None]
    ) -> None:
        self._database = database
        self._undo = undo
        self._backend = database.backend
        self._clock = database.clock
        self._jobs = jobs
        self._open: Connection | None = None

    @property
    def _connection(self) -> Connection:
        if self._open is None:
            self._open = self._backend.connect()
        return self._open

    def _tx(self, connection: Connection) -> Tx:
        return Tx(connection, now=self._clock(), silence=self._database.silence)

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


class _Writer(_Worker):
    def run(self) -> None:
        stopping = False
        while not stopping:
            group, stopping = self._next_group()
            try:
                if group:
                    self._commit_with_retry(group)
            except Exception as error:  # the writer must survive any failure of a group
                log.exception("a group of %d write(s) failed unexpectedly", len(group))
                self._rollback()
                self._drop_connection()
                self._fail(group, _unexpected(error))
        self._drop_connection()

    def _next_group(self) -> tuple[list[_Job], bool]:
        """Return all pending writes, up to a limit: they will share one commit."""
        job = self._jobs.get()
        group: list[_Job] = []
        while job is not None:
            group.append(job)
            if len(group) == MAX_GROUP or self._jobs.empty():
                return group, False
            job = self._jobs.get()
        return group, True

    def _commit_with_retry(self, group: list[_Job]) -> None:
        pause = FIRST_PAUSE
        give_up = min(job.since for job in group) + GIVE_UP_SECONDS
        problem = self._commit(group)
        for attempts in range(1, ATTEMPTS):
            if problem is None or not problem.retryable:
                break
            if attempts >= MIN_ATTEMPTS and time.monotonic() > give_up:
                break
            time.sleep(pause)
            pause = min(pause * 2, MAX_PAUSE)
            problem = self._commit(group)
        if problem is None:
            return
        if len(group) > 1 and not problem.retryable:
            for job in group:  # only one of them may be the cause
                self._commit_with_retry([job])
            return
        self._fail(group, problem)

    def _fail(self, group: list[_Job], problem: MissionError) -> None:
        for job in group:
            job.result, job.error, job.row = None, problem, None
        self._database.deliver(group)

    def _commit(self, group: list[_Job]) -> MissionError | None:
        """Run the group in one transaction; return None when its results were delivered, else why all of it failed."""
        marker = None
        try:
            connection = self._connection
            self._backend.begin_write(connection)
            for job in group:
                self._run(connection, job, alone=len(group) == 1)
            if len(group) == 1 and group[0].error is not None:
                self._rollback()
                self._record_failure(group[0])
                self._database.deliver(group)
                return None
            events = self._append(connection, group)
            marker = self._backend.commit_marker(connection)
            self._backend.commit(connection)
        except DBAPIError as error:
            if not error.connection_invalidated:
                self._rollback()
                return self._backend.translate(error) or _unexpected(error)
            self._drop_connection()
            took_effect = False if marker is None else self._took_effect(marker)
            if not took_effect:
                return OutcomeUnknown() if took_effect is None else self._backend.translate(error)
        self._database.deliver(group, events)
        return None

    def _run(self, connection: Connection, job: _Job, *, alone: bool) -> None:
        tx = self._tx(connection)
        job.result = job.error = job.row = None
        job.events = []
        if not alone:
            connection.exec_driver_sql("SAVEPOINT job")
        try:
            job.result = job.function(tx, **job.arguments)
            job.events = [
                {
                    "type": event.type,
                    "at": tx.now,
                    "mission_id": event.mission_id,
                    "agent_ids": list(event.agent_ids),
                    "data": event.data(),
                }
                for event in tx.emitted
            ]
        except DBAPIError as error:
            if self._backend.translate(error) is not None:
                raise
            job.error = error
        except Exception as error:  # noqa: BLE001 - it belongs to the caller, who awaits it
            job.error = error
        if not alone:
            if job.error is not None:
                connection.exec_driver_sql("ROLLBACK TO SAVEPOINT job")
            connection.exec_driver_sql("RELEASE SAVEPOINT job")
        if job.record is not None:
            job.row = job.record.row(job.error, self._clock())

    def _append(self, connection: Connection, group: list[_Job]) -> list[StoredEvent]:
        """Write the group's audit rows, then its events: their counter must be the last row touched."""
        tx = self._tx(connection)
        rows = [job.row for job in group if job.row is not None]
        if rows:
            tx.audit.add(rows)
        events = [event for job in group if job.error is None for event in job.events]
        if not events:
            return []
        self._backend.announce(connection)
        return EventRows(connection).append(events)

    def _record_failure(self, job: _Job) -> None:
        """Write the record of a rolled-back effect in a commit of its own."""
        if job.row is None:
            return
        try:
            self._backend.begin_write(self._connection)
            self._tx(self._connection).audit.add([job.row])
            self._backend.commit(self._connection)
        except DBAPIError:
            self._rollback()
            job.row = None
            log.exception("the record of a failed call could not be written")

    def _took_effect(self, marker: str) -> bool | None:
        """Return whether a transaction whose COMMIT was interrupted took effect; None if that is unknown."""
        for _ in range(ATTEMPTS):
            try:
                return self._backend.was_committed(self._connection, marker)
            except DBAPIError:
                self._drop_connection()
                time.sleep(MAX_PAUSE)
        return None


class _Reader(_Worker):
    def run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._read(job)
            self._database.deliver([job])
        self._drop_connection()

    def _read(self, job: _Job) -> None:
        for attempt in (1, 2):
            try:
                self._backend.begin_read(self._connection)
                job.result = job.function(self._tx(self._connection), **job.arguments)
                return
            except DBAPIError as error:
                problem = self._backend.translate(error)
                job.error = problem or error
                if error.connection_invalidated:
                    self._drop_connection()
                if attempt == 2 or problem is None or not problem.retryable:
                    return
                job.error = None
            except Exception as error:  # noqa: BLE001 - it belongs to the caller, who awaits it
                job.error = error
                return
            finally:
                self._rollback()


def _nobody_listens(_events: Sequence[StoredEvent]) -> None:
    """Ignore the events until a listener is set."""


def _unexpected(error: Exception) -> MissionError:
    problem = InternalError()
    problem.__cause__ = error
    return problem
