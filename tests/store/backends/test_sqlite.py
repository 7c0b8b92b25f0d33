"""SQLite's own words for what went wrong, and the file itself."""

from __future__ import annotations

import sqlite3
import stat

import pytest
from sqlalchemy.exc import DatabaseError, OperationalError

from mission.domain.errors import StorageFull, StorageUnusable, TransientError
from mission.store.backends import sqlite
from mission.store.backends.sqlite import SqliteBackend


@pytest.fixture
def backend(tmp_path):
    made = SqliteBackend(tmp_path / "mission.db", role="a test")
    yield made
    made.close()


def problem(backend, name):
    error = sqlite3.OperationalError("it failed")
    error.sqlite_errorname = name
    return backend.translate(OperationalError("SELECT 1", None, error))


@pytest.mark.parametrize(
    ("name", "expected", "retryable"),
    [
        ("SQLITE_BUSY", TransientError, True),
        ("SQLITE_BUSY_SNAPSHOT", TransientError, True),
        ("SQLITE_LOCKED_SHAREDCACHE", TransientError, True),
        ("SQLITE_FULL", StorageFull, False),
        ("SQLITE_READONLY_DBMOVED", StorageUnusable, False),
        ("SQLITE_CORRUPT_VTAB", StorageUnusable, False),
        ("SQLITE_NOTADB", StorageUnusable, False),
        ("SQLITE_IOERR_READ", TransientError, True),
        ("SQLITE_CANTOPEN", TransientError, True),
    ],
)
def test_each_failure_says_whether_to_try_again(backend, name, expected, retryable):
    found = problem(backend, name)

    assert type(found) is expected
    assert found.retryable is retryable
    assert isinstance(found.__cause__, OperationalError)


def test_a_mistake_in_a_statement_is_not_a_failure_of_the_database(backend):
    assert problem(backend, "SQLITE_ERROR") is None
    assert problem(backend, "SQLITE_CONSTRAINT_UNIQUE") is None


def test_the_file_and_what_lies_next_to_it_is_readable_by_its_owner_only(tmp_path, backend):
    with backend.connect() as connection:
        backend.begin_write(connection)
        connection.exec_driver_sql("CREATE TABLE t (a)")
        backend.commit(connection)
        backend.presence.enter()

        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir() if path.is_file()}

    assert set(modes.values()) == {0o600}
    assert {"mission.db", "mission.db-wal", "mission.db-turn", "database.lock"} <= set(modes)


def test_references_between_rows_are_checked(backend):
    with backend.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"


@pytest.fixture
def reader(backend):
    """Another process that reads the new file just when we switch it to WAL."""
    connection = sqlite3.connect(backend.path, isolation_level=None)
    connection.execute("BEGIN")
    connection.execute("SELECT * FROM sqlite_master").fetchall()
    yield connection
    connection.close()


def test_a_reader_of_a_new_file_is_waited_for(backend, reader, monkeypatch):
    monkeypatch.setattr(sqlite.time, "sleep", lambda _: reader.execute("COMMIT"))

    with backend.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    assert not reader.in_transaction, "it was waited for"


def test_a_new_file_that_stays_locked_is_busy_in_the_end(backend, reader, monkeypatch):
    monkeypatch.setattr(sqlite, "WAL_SECONDS", 0.1)

    with pytest.raises(OperationalError) as caught:
        backend.connect()

    assert backend.translate(caught.value).message == "the database is busy; nothing was changed"


def test_a_file_of_another_kind_is_refused_at_once(backend, monkeypatch):
    backend.path.write_bytes(b"something else" * 100)
    monkeypatch.setattr(sqlite.time, "sleep", lambda _: pytest.fail("nothing to wait for"))

    with pytest.raises(DatabaseError) as caught:
        backend.connect()

    assert isinstance(backend.translate(caught.value), StorageUnusable)
