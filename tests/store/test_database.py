"""Transactions: group commit, rollback, re-run, and events numbered without gap, on both databases."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from mission.app import App
from mission.domain import events
from mission.domain.errors import NotFound, StorageFull, TransientError
from mission.domain.ids import new_id
from mission.domain.missions.mission import Family, Mission
from mission.store import database, writer
from mission.store.backends import postgres, sqlite
from mission.store.database import Database
from mission.store.logs.events import StoredEvent
from mission.store.open_database import new_backend
from tests import fault_cases
from tests.transports.live_server import until

FULL = 2


def add_mission(tx, *, name="x", id=None, fail=None, entered=None):
    """A transaction function that can be told to fail."""
    if entered is not None:
        entered()
    mission = Mission(
        id=id or new_id("mission"),
        name=name,
        objective="y",
        family=Family.MISSION,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.missions.add(mission)
    tx.emit(events.MissionCreated(mission=mission))
    if fail is not None:
        raise fail
    return mission


def names(tx):
    return sorted(tx.connection.execute(text("SELECT name FROM missions")).scalars())


class Gate:
    """Holds the writer until everything that should share its next commit is waiting."""

    def __init__(self, database):
        self._open = threading.Event()
        self._entered = threading.Event()
        self._held = asyncio.create_task(database.write(self._wait))

    def _wait(self, _tx):
        self._entered.set()
        assert self._open.wait(60)

    async def __aenter__(self):
        await asyncio.to_thread(self._entered.wait, 10)

    async def __aexit__(self, *_):
        await asyncio.sleep(0)  # the writes begun inside have been handed in now
        self._open.set()
        await self._held


async def test_what_was_written_is_read_back(app):
    mission = await app.database.write(add_mission, name="Auth")

    found = await app.database.read(lambda tx: tx.missions.get(mission.id))

    assert (found.name, found.created_at, found.family) == ("Auth", mission.created_at, Family.MISSION)


async def test_a_failing_function_leaves_nothing_behind_and_its_error_reaches_the_caller(app):
    with pytest.raises(ValueError, match="no"):
        await app.database.write(add_mission, fail=ValueError("no"))

    assert await app.database.read(names) == []
    assert await app.database.read(lambda tx: tx.events.newest()) == 0


async def test_in_a_group_only_the_failing_function_is_undone(app):
    async with Gate(app.database):
        writes = [
            asyncio.create_task(app.database.write(add_mission, name=name, fail=fail))
            for name, fail in (("a", None), ("b", NotFound("gone")), ("c", None))
        ]
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert isinstance(results[1], NotFound)
    assert await app.database.read(names) == ["a", "c"]
    assert await app.database.read(lambda tx: tx.events.newest()) == 2


async def test_a_broken_rule_of_the_database_undoes_only_its_own_function(app):
    twice = new_id("mission")
    async with Gate(app.database):
        writes = [
            asyncio.create_task(app.database.write(add_mission, name=name, id=id))
            for name, id in (("first", twice), ("second", twice), ("third", None))
        ]
    results = await asyncio.gather(*writes, return_exceptions=True)

    assert isinstance(results[1], IntegrityError)
    assert await app.database.read(names) == ["first", "third"]


async def test_what_waits_shares_one_commit(app, monkeypatch):
    commits = []
    commit = type(app.backend).commit
    monkeypatch.setattr(
        type(app.backend), "commit", lambda self, connection: (commits.append(1), commit(self, connection))[1]
    )
    async with Gate(app.database):
        writes = [asyncio.create_task(app.database.write(add_mission)) for _ in range(20)]
    await asyncio.gather(*writes)

    assert len(commits) == 2  # the gate's own, and one for all twenty


async def test_a_passing_failure_is_tried_again_without_the_caller_noticing(app, monkeypatch):
    fail_first = iter([True, True])
    begin = type(app.backend).begin_write

    def begin_or_fail(self, connection):
        begin(self, connection)
        if next(fail_first, False):
            raise DBAPIError("BEGIN", {}, Exception("deadlock"))

    monkeypatch.setattr(type(app.backend), "begin_write", begin_or_fail)
    monkeypatch.setattr(type(app.backend), "translate", lambda *_: TransientError())

    await app.database.write(add_mission, name="at last")

    assert await app.database.read(names) == ["at last"]


async def test_a_lasting_failure_reaches_the_caller_as_a_passing_one_to_try_later(app, monkeypatch):
    def begin(self, connection):
        raise DBAPIError("BEGIN", {}, Exception("locked"))

    monkeypatch.setattr(type(app.backend), "begin_write", begin)
    monkeypatch.setattr(type(app.backend), "translate", lambda *_: TransientError("busy"))

    with pytest.raises(TransientError, match="busy"):
        await app.database.write(add_mission)


async def test_a_store_that_others_hold_is_waited_for_a_while_and_then_given_up_on(app, monkeypatch):
    class Time:
        now = 0.0

        def monotonic(self):
            return self.now

        def sleep(self, seconds):
            self.now += seconds

    time = Time()
    free_at = 2.5
    begin = type(app.backend).begin_write

    def begin_when_free(self, connection):
        time.now += 1  # as long as a database waits by itself
        if time.now < free_at:
            raise DBAPIError("BEGIN", {}, Exception("locked"))
        begin(self, connection)

    for module in (database, writer):
        monkeypatch.setattr(module, "time", time)
    monkeypatch.setattr(type(app.backend), "begin_write", begin_when_free)
    monkeypatch.setattr(type(app.backend), "translate", lambda *_: TransientError("busy"))

    await app.database.write(add_mission, name="after a short lock")
    begun, free_at = time.now, 1_000
    with pytest.raises(TransientError):
        await app.database.write(add_mission)

    assert await app.database.read(names) == ["after a short lock"]
    assert time.now - begun < writer.GIVE_UP_SECONDS + 1.5


async def test_what_another_has_locked_holds_neither_writers_nor_readers_for_long(postgres_settings, monkeypatch):
    monkeypatch.setattr(postgres, "LOCK_MILLISECONDS", 50)
    monkeypatch.setattr(writer, "GIVE_UP_SECONDS", 0)
    app = App(postgres_settings, role="a test")
    async with app.running(periodic=False):
        with psycopg.connect(postgres_settings.database_url) as other:
            other.execute("LOCK TABLE missions IN ACCESS EXCLUSIVE MODE")
            for waiting in (app.database.write(add_mission), app.database.read(names)):
                with pytest.raises(TransientError):
                    await waiting
        await app.database.write(add_mission, name="free again")
        assert await app.database.read(names) == ["free again"]


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=20))
async def test_sixteen_writers_that_fail_at_random_leave_no_gap_for_a_reader(app, settings, seed):
    """A reader that always asks for what came after the last number it saw misses nothing."""
    writers, rounds, chance = 16, 25, random.Random(seed)
    other = Database(_second_backend(app, settings), silence=app.database.silence)
    other.open()
    made: list[str] = []
    seen: list[StoredEvent] = []
    done = asyncio.Event()

    async def write(number):
        database = app.database if number % 2 else other
        for step in range(rounds):
            fail = ValueError() if chance.random() < 0.3 else None
            try:
                made.append((await database.write(add_mission, name=f"{number}-{step}", fail=fail)).id)
            except ValueError:
                continue

    async def read():
        while True:
            finished = done.is_set()
            last = seen[-1].seq if seen else 0
            seen.extend(await app.database.read(lambda tx, since=last: tx.events.since(since, limit=100)))
            if finished and (not seen or seen[-1].seq == await app.database.read(lambda tx: tx.events.newest())):
                return

    reader = asyncio.create_task(read())
    await asyncio.gather(*(write(number) for number in range(writers)))
    done.set()
    await asyncio.wait_for(reader, 30)
    await other.close()

    assert [event.seq for event in seen] == list(range(1, len(made) + 1))
    assert sorted(event.mission_id for event in seen) == sorted(made)


async def test_the_record_of_a_failed_write_stays_when_its_effect_does_not(app):
    class Record:
        written = False

        def row(self, error, at):
            return {
                "id": new_id("audit entry"),
                "at": at,
                "finished_at": at,
                "transport": "test",
                "caller": "operator",
                "tool": "t",
                "status": "error" if error else "ok",
                "arguments": {},
            }

    alone, grouped, fine = Record(), Record(), Record()
    with pytest.raises(NotFound):
        await app.database.write(add_mission, fail=NotFound(), record=alone)
    async with Gate(app.database):
        writes = [
            asyncio.create_task(app.database.write(add_mission, fail=NotFound(), record=grouped)),
            asyncio.create_task(app.database.write(add_mission, name="stays", record=fine)),
        ]
    await asyncio.gather(*writes, return_exceptions=True)

    statuses = await app.database.read(
        lambda tx: list(tx.connection.execute(text("SELECT status FROM audit ORDER BY at")).scalars())
    )
    assert statuses == ["error", "error", "ok"]
    assert (alone.written, grouped.written, fine.written) == (True, True, True)
    assert await app.database.read(names) == ["stays"]


async def test_a_reader_sees_one_state_throughout(app):
    await app.database.write(add_mission, name="before")
    paused, go_on = threading.Event(), threading.Event()

    def read_twice(tx):
        first = names(tx)
        paused.set()
        assert go_on.wait(60)
        return first, names(tx)

    reading = asyncio.create_task(app.database.read(read_twice))
    await asyncio.to_thread(paused.wait, 10)
    await app.database.write(add_mission, name="meanwhile")
    go_on.set()

    assert await reading == (["before"], ["before"])


def test_sqlite_waits_for_the_disk(tmp_path, monkeypatch):
    """The tests do without: conftest.py adds a last word."""
    monkeypatch.setattr(sqlite, "_PRAGMAS", sqlite._PRAGMAS[:-1])
    backend = sqlite.SqliteBackend(tmp_path / "mission.db", role="a test")
    with backend.connect() as connection:
        names = ("journal_mode", "synchronous", "fullfsync")
        found = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in names]
    backend.close()

    assert found == ["wal", FULL, 1]


def test_a_connection_that_breaks_again_while_it_is_replaced_is_replaced_the_next_time(postgres_settings):
    ours, other = (new_backend(postgres_settings, role=role) for role in ("a daemon", "a look"))
    connect = ours.presence._connect

    def kill(connection):
        pid = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        with other.connect() as killer:
            killer.exec_driver_sql(f"SELECT pg_terminate_backend({pid}, 60000)")  # waits until it is gone
        return connection

    ours.presence.enter()
    kill(ours.presence._connection())
    ours.presence._connect = lambda: kill(connect())
    with pytest.raises(DBAPIError):
        ours.presence.keep()
    ours.presence._connect = connect
    ours.presence.keep()

    assert [holder.partition(" (")[0] for holder in other.presence.holders()] == ["a daemon"]
    ours.close()
    other.close()


async def test_killed_connections_are_replaced_and_the_database_is_in_use_again(postgres_settings, clock, monkeypatch):
    monkeypatch.setattr(postgres, "POLL_SECONDS", 0.05)
    app = App(postgres_settings, role="a test", clock=clock)
    other = new_backend(postgres_settings, role="a look")
    async with app.running(periodic=False):
        await app.database.write(add_mission, name="before")
        await app.database.write(_kill_others)

        await app.database.write(add_mission, name="after")

        assert await app.database.read(names) == ["after", "before"]
        await asyncio.to_thread(until, other.presence.holders, 60)
    other.close()


async def test_a_commit_that_was_cut_off_is_neither_lost_nor_done_twice(postgres_settings, clock, monkeypatch):
    """The connection dies right after COMMIT was sent: the server is asked what became of it."""
    from mission.store.backends.postgres import PostgresBackend

    app = App(postgres_settings, role="a test", clock=clock)
    async with app.running(periodic=False):
        commit = PostgresBackend.commit
        cuts = iter(["after", "before"])

        def cut_off(self, connection):
            cut = next(cuts, None)
            if cut == "after":
                commit(self, connection)
            if cut is not None:
                connection.connection.driver_connection.close()
            commit(self, connection)

        monkeypatch.setattr(PostgresBackend, "commit", cut_off)
        await app.database.write(add_mission, name="took effect")
        await app.database.write(add_mission, name="did not, was run again")

        assert await app.database.read(names) == ["did not, was run again", "took effect"]
        assert await app.database.read(lambda tx: tx.events.newest()) == 2


def _kill_others(tx):
    tx.connection.execute(
        text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    )


def _second_backend(app, settings):
    from mission.store.open_database import open_backend

    return open_backend(settings, role="a second writer")


@pytest.mark.parametrize("name", ["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE"])
def test_each_word_of_sqlite_for_a_full_disk_is_understood(tmp_path, name):
    problem = sqlite3.OperationalError("disk I/O error")
    problem.sqlite_errorname = name

    told = sqlite.SqliteBackend(tmp_path / "mission.db", role="a test").translate(
        OperationalError("COMMIT", {}, problem)
    )

    assert isinstance(told, StorageFull)
