"""What every backend promises: turns of writers, reads of one state, and news for other processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError

from mission.settings import Settings
from mission.store.open_database import new_backend

ADD = "INSERT INTO jobs (name, due_at) VALUES ('{}', 1)"
PATIENCE = 30


@pytest.fixture
def backend(settings: Settings) -> Iterator[Any]:
    made = new_backend(settings, role="one")
    yield made
    made.close()


@pytest.fixture
def other(settings: Settings) -> Iterator[Any]:
    made = new_backend(settings, role="another")
    yield made
    made.close()


def names(connection):
    return sorted(connection.execute(text("SELECT name FROM jobs")).scalars())


def test_a_read_sees_one_state_while_others_commit(backend, other):
    with backend.connect() as reader, other.connect() as writer:
        backend.begin_read(reader)
        assert names(reader) == []
        other.begin_write(writer)
        writer.exec_driver_sql(ADD.format("sweep"))
        other.commit(writer)

        assert names(reader) == []
        backend.end_read(reader)
        assert names(reader) == ["sweep"]


def test_a_write_that_is_undone_leaves_nothing_and_gives_up_its_turn(backend, other):
    with backend.connect() as one, other.connect() as two:
        backend.begin_write(one)
        one.exec_driver_sql(ADD.format("sweep"))
        backend.rollback(one)
        backend.rollback(one)

        other.begin_write(two)
        assert names(two) == []
        other.rollback(two)


def test_a_second_writer_waits_until_the_first_has_committed(backend, other):
    asking = threading.Event()
    seen = []

    def write():
        with other.connect() as connection:
            asking.set()
            other.begin_write(connection)
            seen.extend(names(connection))
            other.rollback(connection)

    with backend.connect() as connection:
        backend.begin_write(connection)
        second = threading.Thread(target=write)
        second.start()
        assert asking.wait(PATIENCE)
        connection.exec_driver_sql(ADD.format("first"))
        backend.commit(connection)
        second.join(PATIENCE)

    assert seen == ["first"]


def test_a_broken_rule_is_no_failure_of_the_database(backend):
    with backend.connect() as connection:
        backend.begin_write(connection)
        connection.exec_driver_sql(ADD.format("sweep"))
        with pytest.raises(IntegrityError) as raised:
            connection.exec_driver_sql(ADD.format("sweep"))
        backend.rollback(connection)

    assert backend.translate(raised.value) is None


def test_a_commit_of_another_process_wakes_whoever_watches(backend, other):
    woken = threading.Event()
    stop = backend.watch(woken.set)
    try:
        assert woken.wait(PATIENCE)  # the first look: something may have come before it
        woken.clear()
        with other.connect() as connection:
            other.begin_write(connection)
            connection.exec_driver_sql(ADD.format("sweep"))
            other.announce(connection)
            other.commit(connection)
        assert woken.wait(PATIENCE)
    finally:
        stop()


def test_who_has_the_database_open_is_named_and_keeps_others_from_having_it_alone(backend, other):
    backend.presence.enter()

    [holder] = other.presence.enter_alone()
    assert holder.startswith("one (")

    backend.presence.leave()
    assert other.presence.enter_alone() is None


def test_the_fate_of_a_transaction_can_be_asked_where_a_connection_can_be_lost(postgres_settings):
    backend = new_backend(postgres_settings, role="one")
    with backend.connect() as one, backend.connect() as two:
        fates = []
        for end in (backend.commit, backend.rollback):
            backend.begin_write(one)
            one.exec_driver_sql("DELETE FROM jobs")
            marker = backend.commit_marker(one)
            end(one)
            fates.append(backend.was_committed(two, marker))
    backend.close()

    assert fates == [True, False]


def test_a_file_has_no_connection_to_lose(sqlite_settings):
    backend = new_backend(sqlite_settings, role="one")
    with backend.connect() as connection:
        assert backend.commit_marker(connection) is None
        assert backend.was_committed(connection, "1") is False
    backend.close()


def test_an_error_of_the_database_never_shows_what_callers_wrote(backend):
    with backend.connect() as connection, pytest.raises(DBAPIError) as raised:
        connection.execute(text("SELECT * FROM nowhere WHERE a = :secret"), {"secret": "hunter2"})

    assert "hunter2" not in str(raised.value)
