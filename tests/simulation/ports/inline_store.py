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
from mission.store.sql.compact_json import dumps
from mission.store.sql.prepared_statements import run_text
from mission.store.worker import AuditRecord, Job
from mission.store.writer import Writer


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
        )

    def clear(self) -> None:
        """Bring the database back to its first state: migrated, without rows."""
        self._empty.backup(self._raw)

    def begin_write(self, connection: Connection) -> None:
        run_text(connection, "BEGIN")

    def commit(self, connection: Connection) -> None:
        run_text(connection, "COMMIT")

    def rollback(self, connection: Connection) -> None:
        self.end_read(connection)

    def close(self) -> None:
        self._engine.dispose()
        self._empty.close()


class InlineDatabase(Database):
    """Runs each transaction at once; the group commit has nothing to gather."""

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        unwatched: Any = self.backend
        unwatched.watch = lambda _: lambda: None  # nobody else writes
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
