"""The real store without threads: each transaction runs when it is asked for, in memory or on PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, StaticPool, create_engine

from mission.settings import Settings
from mission.store import migrate
from mission.store.backends.sqlite import SqliteBackend
from mission.store.database import Database, _Reader
from mission.store.logs.events import StoredEvent
from mission.store.open_database import new_backend
from mission.store.sql.compact_json import dumps, loads
from mission.store.worker import AuditRecord, Job
from mission.store.writer import Writer
from tests.simulation.ports.quick_connection import QuickConnection


class MemoryBackend(SqliteBackend):
    """One SQLite database in memory, which can be emptied quickly."""

    def __init__(self) -> None:
        self._raw = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None, cached_statements=1024)
        self._raw.execute("PRAGMA foreign_keys=ON")
        self._empty = _migrated()
        self._engine = create_engine(
            "sqlite+pysqlite://",
            creator=lambda: self._raw,
            poolclass=StaticPool,
            isolation_level="AUTOCOMMIT",
            json_serializer=dumps,
            json_deserializer=loads,
        )

    def clear(self) -> None:
        """Bring the database back to its first state: migrated, without rows."""
        if self._raw.in_transaction:  # a mission that failed left it
            self._raw.execute("ROLLBACK")
        self._empty.backup(self._raw)

    def connect(self) -> Any:
        return QuickConnection(super().connect(), self._raw)

    def begin_read(self, connection: Connection) -> None:
        """Do nothing: nobody writes between two statements of a function that runs in the only thread."""

    def begin_write(self, connection: Connection) -> None:
        self._raw.execute("BEGIN")

    def commit(self, connection: Connection) -> None:
        self._raw.execute("COMMIT")

    def end_read(self, connection: Connection) -> None:
        self.rollback(connection)

    def rollback(self, connection: Connection) -> None:
        if self._raw.in_transaction:
            self._raw.execute("ROLLBACK")

    def close(self) -> None:
        self._engine.dispose()
        self._empty.close()


class InlineDatabase(Database):
    """Runs each transaction at once; the group commit has nothing to gather."""

    listeners: list[Callable[[], None]] | None = None
    """What the other processes on the same database are told after a commit; None if there are none."""

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        watched: Any = self.backend
        watched.watch = self._watch
        self._writer: Any = self._worker(Writer, self._writes, undo=self.backend.rollback)
        self._reader: Any = self._worker(_Reader, self._reads, undo=self.backend.end_read)

    async def close(self) -> None:
        for worker in (self._writer, self._reader):
            if worker._open is not None:
                worker._open.close()

    async def read(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        job = Job(function, arguments, self._loop.create_future())
        self._reader._read(job)
        if job.error is not None:
            raise job.error
        return job.result

    def submit(
        self, function: Callable[..., Any], /, *, record: AuditRecord | None = None, **arguments: Any
    ) -> asyncio.Future[Any]:
        job = Job(function, arguments, self._loop.create_future(), record)
        self._writer._commit_with_retry([job])
        return job.future

    def deliver(self, jobs: Sequence[Job], events: Sequence[StoredEvent] = ()) -> None:
        self._settle(jobs, events)
        for told in self.listeners or () if events else ():
            told()

    def _watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        if self.listeners is not None:
            self.listeners.append(changed)
        return lambda: None


def _migrated() -> sqlite3.Connection:
    """Return a migrated database in memory."""
    made = sqlite3.connect(":memory:")
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        backend = new_backend(settings, role="a simulation")
        migrate.prepare(backend, backup=str)
        backend.close()
        source = sqlite3.connect(settings.sqlite_path)
        source.backup(made)
        source.close()
    return made
