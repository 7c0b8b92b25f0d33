"""Bringing a database to the present schema."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect, text

from mission.settings import Settings
from mission.store.migrate import HEAD, DatabaseInUse, migrate, prepare, revision_of, take_alone, upgrade
from mission.store.open_database import new_backend


@pytest.fixture
def empty(tmp_path):
    backend = new_backend(Settings(home=tmp_path), role="a test")
    yield backend
    backend.close()


def test_an_empty_database_has_no_revision_and_needs_no_backup(empty):
    backups = []
    with empty.connect() as connection:
        assert revision_of(connection) is None

        prepare(empty, backup=backups.append)

        assert revision_of(connection) == HEAD
    assert backups == []


def test_a_migration_that_fails_leaves_the_database_as_it_was(empty, monkeypatch):
    def breaks(connection, **_):
        upgrade(connection, target="0003")
        raise RuntimeError("no")

    monkeypatch.setattr("mission.store.migrate.upgrade", breaks)
    with empty.connect() as connection:
        with pytest.raises(RuntimeError, match="no"):
            migrate(connection)

        assert revision_of(connection) is None
        assert inspect(connection).get_table_names() == []


def test_rows_of_an_older_schema_survive_the_way_to_the_present_one(empty):
    with empty.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        upgrade(connection, target="0001")
        connection.execute(
            text(
                "INSERT INTO agents"
                " (id, name, runtime, type, declared, capabilities, created_at, updated_at, last_seen_at)"
                " VALUES ('a_1', 'ada', 'custom', 'WORKER', 'online', '[]', 1, 1, 1)"
            )
        )
        upgrade(connection)
        connection.exec_driver_sql("COMMIT")

        assert revision_of(connection) == HEAD
        assert connection.execute(text("SELECT name FROM agents")).scalars().all() == ["ada"]


def test_whoever_needs_the_database_alone_is_told_who_has_it_and_how_to_stop_it(settings):
    one, two = (new_backend(settings, role=role) for role in ("the daemon", "a restore"))
    prepare(one, backup=str)

    with pytest.raises(DatabaseInUse) as raised:
        take_alone(two, purpose="a restore")

    assert "the daemon" in raised.value.message
    assert "mission down" in raised.value.hint
    assert "a restore" in raised.value.hint
    one.close()
    two.close()
