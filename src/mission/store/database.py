"""Run transaction functions: one writer thread that commits in groups, two reader threads, futures in between."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from mission.domain.timestamps import Clock, utc_now
from mission.store.backends.backend import Backend
from mission.store.logs.events import StoredEvent
from mission.store.worker import AuditRecord, Job, Worker
from mission.store.writer import Writer

log = logging.getLogger(__name__)

Result = TypeVar("Result")
Kind = TypeVar("Kind", bound=Worker)

READERS = 2  # more are slower under the GIL


class Database:
    """The access to the store. `open` it inside the event loop that awaits its results."""

    def __init__(self, backend: Backend, *, silence: timedelta, clock: Clock = utc_now) -> None:
        """Create the access; `silence` is how long an agent without a heartbeat still counts as present."""
        self.clock = clock
        self.silence = silence
        self.backend = backend
        self.on_commit: Callable[[Sequence[StoredEvent]], None] = _nobody_listens
        self._writes: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        writer = self._worker(Writer, self._writes, undo=self.backend.rollback)
        readers = [self._worker(_Reader, self._reads, undo=self.backend.end_read) for _ in range(READERS)]
        work = {"writer": writer.run, **{f"reader-{number}": each.run for number, each in enumerate(readers, 1)}}
        self._threads = [threading.Thread(target=run, name=name, daemon=True) for name, run in work.items()]
        for thread in self._threads:
            thread.start()

    def _worker(
        self, kind: type[Kind], jobs: queue.SimpleQueue[Job | None], *, undo: Callable[[Connection], None]
    ) -> Kind:
        return kind(self.backend, jobs, undo=undo, deliver=self.deliver, clock=self.clock, silence=self.silence)

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
        job = Job(function, arguments, self._loop.create_future())
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
        job = Job(function, arguments, self._loop.create_future(), record, since=time.monotonic())
        self._writes.put(job)
        return job.future

    def deliver(self, jobs: Sequence[Job], events: Sequence[StoredEvent] = ()) -> None:
        """Deliver the results and publish the commits, from a worker thread."""
        try:
            self._loop.call_soon_threadsafe(self._settle, jobs, events)
        except RuntimeError:
            log.debug("the event loop is closed; %d result(s) have no receiver", len(jobs))

    def _settle(self, jobs: Sequence[Job], events: Sequence[StoredEvent]) -> None:
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


class _Reader(Worker):
    def run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self._read(job)
            self._deliver([job])
        self._drop_connection()

    def _read(self, job: Job) -> None:
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
