"""The SQLite backend: one file, full durability, a sidecar lock that lets several processes write in turn."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.exc import DBAPIError

from mission.domain.errors import MissionError, StorageFull, StorageUnusable, TransientError
from mission.domain.timestamps import Clock, utc_now
from mission.store.backends.file_locks import FileLock, FileLockUsers
from mission.store.backends.watch_thread import in_thread
from mission.store.sql.compact_json import dumps, loads
from mission.store.sql.prepared_statements import run_text

POLL_SECONDS = 0.05
WAL_SECONDS = 10.0
WAL_PAUSE = 0.02
_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    "PRAGMA fullfsync=ON",  # otherwise macOS leaves data in the drive's cache; no effect elsewhere
    "PRAGMA foreign_keys=ON",
    "PRAGMA busy_timeout=1000",  # per attempt; the writer makes several
    "PRAGMA cache_size=-4000",  # per connection; it grows with the file, and the system caches the file anyway
    "PRAGMA temp_store=MEMORY",
)
_BUSY = {"SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"}


@contextmanager
def read_only(path: Path) -> Iterator[Connection]:
    """Open a database read-only, without taking a turn."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    engine = create_engine("sqlite://", creator=partial(sqlite3.connect, address, uri=True, timeout=5))
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


class SqliteBackend:
    """Several processes may open the same file; each write takes its turn at the sidecar lock."""

    name = "sqlite"

    def __init__(self, path: Path, *, role: str) -> None:
        self.path = path
        self._was_there = path.exists()
        path.touch(mode=0o600)  # its sidecars inherit this mode
        self.presence = FileLockUsers(path.with_name("database.lock"), role=role)
        self.clock: Clock = utc_now
        self._engine = _engine(path)
        self._turn = FileLock(path.with_name(f"{path.name}-turn"))

    def connect(self) -> Connection:
        return self._engine.connect()

    def expects_store(self) -> str | None:
        """Return the name of a file that existed before and has lock notes next to it: it once held a store."""
        return str(self.path) if self._was_there and self.presence.was_entered else None

    def begin_write(self, connection: Connection) -> None:
        self._turn.acquire()
        run_text(connection, "BEGIN IMMEDIATE")

    def begin_read(self, connection: Connection) -> None:
        run_text(connection, "BEGIN")

    def commit(self, connection: Connection) -> None:
        run_text(connection, "COMMIT")
        self._turn.release()

    def end_read(self, connection: Connection) -> None:
        raw = connection.connection.driver_connection
        if isinstance(raw, sqlite3.Connection) and raw.in_transaction:
            connection.exec_driver_sql("ROLLBACK")

    def rollback(self, connection: Connection) -> None:
        try:
            self.end_read(connection)
        finally:
            self._turn.release()

    def translate(self, error: DBAPIError) -> MissionError | None:
        name, base = _names(error.orig)
        if base in _BUSY:
            return _caused(TransientError("the database is busy; nothing was changed"), error)
        if base == "SQLITE_FULL" or name == "SQLITE_IOERR_SHMSIZE" or (base == "SQLITE_IOERR" and "WRITE" in name):
            return _caused(StorageFull(), error)
        if base in {"SQLITE_READONLY", "SQLITE_CORRUPT", "SQLITE_NOTADB"}:
            return _caused(StorageUnusable(), error)
        if base in {"SQLITE_IOERR", "SQLITE_CANTOPEN"}:
            return _caused(
                TransientError(
                    "the database file cannot be used right now; nothing was changed", hint=StorageUnusable.default_hint
                ),
                error,
            )
        return None

    def commit_marker(self, connection: Connection) -> str | None:  # noqa: ARG002
        return None

    def was_committed(self, connection: Connection, marker: str) -> bool:  # noqa: ARG002
        return False

    def announce(self, connection: Connection) -> None:
        """Do nothing: other processes notice the commit by the file's data version."""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        def poll(stop: threading.Event) -> None:
            connection = sqlite3.connect(self.path, isolation_level=None)
            seen = None
            while not stop.wait(POLL_SECONDS):
                try:
                    version = connection.execute("PRAGMA data_version").fetchone()[0]
                except sqlite3.Error:  # a full disk or a locked file is temporary; keep watching
                    continue
                if version != seen:  # also at the first check: a commit may have come before it
                    changed()
                seen = version
            connection.close()

        return in_thread("data-version", poll)

    def close(self) -> None:
        self._engine.dispose()
        self._turn.close()
        self.presence.leave()


def _engine(path: Path) -> Engine:
    engine = create_engine(
        f"sqlite+pysqlite:///{path}",
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",  # transactions are started explicitly: BEGIN IMMEDIATE on the writer only
        json_serializer=dumps,
        json_deserializer=loads,
        hide_parameters=True,  # callers' data must not be logged
        connect_args={"check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: sqlite3.Connection, record: object) -> None:  # noqa: ARG001
        _switch_to_wal(connection)
        for pragma in _PRAGMAS:
            connection.execute(pragma)

    return engine


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Use WAL; the file remembers it, so only the first connection to a new file has something to do.

    SQLite does not wait here, despite its timeout: it fails at once if another process reads the new file or switches
    it as well.
    """
    deadline = time.monotonic() + WAL_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if _names(error)[1] not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(WAL_PAUSE)


def _names(error: BaseException | None) -> tuple[str, str]:
    """Return SQLite's name of an error and of its family, such as SQLITE_BUSY_SNAPSHOT and SQLITE_BUSY."""
    name = getattr(error, "sqlite_errorname", "")
    return name, "_".join(name.split("_")[:2])


def _caused(problem: MissionError, error: DBAPIError) -> MissionError:
    problem.__cause__ = error
    return problem
