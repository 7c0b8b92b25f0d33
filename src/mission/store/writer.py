"""The one writer thread: it runs waiting transaction functions in a group and commits them at once."""

from __future__ import annotations

import logging
import time

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from mission.domain.errors import InternalError, MissionError, OutcomeUnknown
from mission.store.logs.events import EventRows, StoredEvent
from mission.store.worker import Job, Worker

log = logging.getLogger(__name__)

MAX_GROUP = 64
ATTEMPTS = 8
MIN_ATTEMPTS = 2
GIVE_UP_SECONDS = 3.0
"""The time that a write waits for a locked store, from when it was submitted: after that the caller retries and then
gets an error. A short lock is released by then."""
FIRST_PAUSE = 0.01
MAX_PAUSE = 0.5


class Writer(Worker):
    """Commits groups of jobs, each in a savepoint of its own, and repeats what failed temporarily."""

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

    def _next_group(self) -> tuple[list[Job], bool]:
        """Return all pending writes, up to a limit: they will share one commit."""
        job = self._jobs.get()
        group: list[Job] = []
        while job is not None:
            group.append(job)
            if len(group) == MAX_GROUP or self._jobs.empty():
                return group, False
            job = self._jobs.get()
        return group, True

    def _commit_with_retry(self, group: list[Job]) -> None:
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

    def _fail(self, group: list[Job], problem: MissionError) -> None:
        for job in group:
            job.result, job.error, job.row = None, problem, None
        self._deliver(group)

    def _commit(self, group: list[Job]) -> MissionError | None:
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
                self._deliver(group)
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
        self._deliver(group, events)
        return None

    def _run(self, connection: Connection, job: Job, *, alone: bool) -> None:
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

    def _append(self, connection: Connection, group: list[Job]) -> list[StoredEvent]:
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

    def _record_failure(self, job: Job) -> None:
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


def _unexpected(error: Exception) -> MissionError:
    problem = InternalError()
    problem.__cause__ = error
    return problem
