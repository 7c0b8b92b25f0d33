"""The schema: what the migrations make is what the tables say, and migrating is safe."""

from __future__ import annotations

import textwrap
import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, insert, text

from mission.settings import Settings
from mission.store import migrate
from mission.store.open_database import new_backend, open_backend
from mission.store.tables import metadata
from tests import forked_processes as processes


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request, tmp_path):
    """Settings of a database without tables."""
    url = request.getfixturevalue("empty_postgres") if request.param == "postgresql" else ""
    return Settings(home=tmp_path, database_url=url)


def test_the_migrations_make_exactly_the_tables(fresh):
    backend = open_backend(fresh, role="a test")
    with backend.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"include_name": _is_shared, "include_object": lambda _, name, *__: _is_shared(name)}
        )
        differences = compare_metadata(context, metadata)
    backend.close()

    assert differences == []


def test_the_newest_revision_is_the_one_we_expect():
    config = Config()
    config.set_main_option("script_location", str(migrate.__file__).replace("migrate.py", "migrations"))

    assert ScriptDirectory.from_config(config).get_current_head() == migrate.HEAD


def test_a_database_in_use_is_not_migrated_and_its_user_is_named(fresh):
    user = open_backend(fresh, role="the daemon")
    _pretend_revision(user, "0000")
    other = new_backend(fresh, role="a second one")

    with pytest.raises(migrate.DatabaseInUse, match="the daemon"):
        migrate.prepare(other, backup=_no_backup)

    other.close()
    user.close()


def test_a_database_of_a_newer_version_is_left_alone(fresh):
    backend = open_backend(fresh, role="a test")
    _pretend_revision(backend, "9999")
    backend.close()

    with pytest.raises(migrate.NewerDatabase):
        open_backend(fresh, role="a test")


def test_an_older_database_is_backed_up_before_it_is_migrated(fresh, monkeypatch):
    backend = open_backend(fresh, role="a test")
    _pretend_revision(backend, "0000")
    backend.close()
    monkeypatch.setattr(migrate, "migrate", lambda *_: None)

    backend = open_backend(fresh, role="a test")
    backend.close()

    (made,) = fresh.backups_path.iterdir()
    assert made.name.startswith("before-migration-from-0000-")
    assert made.stat().st_mode & 0o777 == 0o600


def test_processes_that_start_at_once_on_a_new_database_all_find_it_ready(fresh):
    program = textwrap.dedent(
        """
        from pathlib import Path
        from mission.settings import Settings
        from mission.store.open_database import open_backend

        def main(home, url):
            open_backend(Settings(home=Path(home), database_url=url), role="a test").close()
        """
    )

    started = processes.start(program, [[str(fresh.home), fresh.database_url]] * 4)

    assert (started.communicate(timeout=processes.PATIENCE)[1], started.returncode) == ("", 0)


def test_whoever_waited_for_a_migration_that_was_killed_migrates_itself(fresh, monkeypatch):
    killed = new_backend(fresh, role="the first one")
    assert killed.presence.enter_alone() is None
    refused, opened = threading.Event(), []
    original = migrate._migrate_alone

    def seen(*arguments, **options):
        answer = original(*arguments, **options)
        refused.set()
        return answer

    monkeypatch.setattr(migrate, "_migrate_alone", seen)
    second = threading.Thread(target=lambda: opened.append(open_backend(fresh, role="the second one")))
    second.start()
    assert refused.wait(processes.PATIENCE)
    killed.presence.leave()  # as the system does for a process that is killed
    second.join(processes.PATIENCE)
    killed.close()

    [backend] = opened
    with backend.connect() as connection:
        assert migrate.revision_of(connection) == migrate.HEAD
    backend.close()


def test_waiting_for_a_migration_leaves_no_trace_of_a_store(tmp_path):
    fresh = Settings(home=tmp_path)
    killed, waiting = (new_backend(fresh, role=role) for role in ("the first one", "the second one"))

    waiting.presence.wait()
    killed.close()
    waiting.close()

    assert new_backend(fresh, role="the third one").expects_store() is None
    backend = open_backend(fresh, role="the third one")
    assert new_backend(fresh, role="a look").expects_store() is not None
    backend.close()


def _is_shared(name, *_):
    """Not what each database has of its own for searching: a full-text table here, an index there."""
    return not (name or "").startswith("search_words")


def _pretend_revision(backend, revision):
    with backend.connect() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})


def _no_backup(revision):
    pytest.fail("nothing may be written while somebody uses the database")


def test_what_is_known_of_earlier_attempts_is_taken_over(fresh):
    at = 1_768_471_200_000_000
    mission = {"id": "m_1", "name": "M", "objective": "o", "status": "in_progress", "created_at": at, "updated_at": at}
    phase = {"id": "p_1", "mission_id": "m_1", "number": 1, "name": "P", "status": "in_progress", "created_at": at}
    task = {"id": "t_1", "mission_id": "m_1", "phase_id": "p_1", "phase_number": 1, "name": "T", "goal": "g"}
    execution = {"mission_id": "m_1", "task_id": "t_1", "adapter": "command", "mode": "headless", "host_id": "h"}
    note = {"mission_id": "m_1", "task_id": "t_1", "kind": "recovery", "author": "a_ada"}
    rows = {
        "missions": [mission],
        "phases": [{**phase, "is_parallel": False}],
        "tasks": [{**task, "status": "pending", "fence": 2, "attempts": 2, "created_at": at, "updated_at": at}],
        "executions": [
            {**execution, "id": "x_1", "agent_id": "a_ada", "status": "failed", "created_at": at},
            {**execution, "id": "x_2", "agent_id": "a_bob", "status": "lost", "created_at": at},
        ],
        "journal": [
            {**note, "id": "cp_1", "sequence": 1, "summary": "execution x_1 ended failed: killed by SIGKILL"},
            {**note, "id": "cp_2", "sequence": 2, "summary": "too hard"},
        ],
    }
    backend = new_backend(fresh, role="a test")
    with backend.connect() as connection:
        backend.begin_write(connection)
        migrate.upgrade(connection, target="0011")
        known = MetaData()
        known.reflect(connection)
        for name, given in rows.items():
            connection.execute(insert(known.tables[name]), [_filled(known.tables[name], row) for row in given])
        migrate.upgrade(connection)
        found = connection.execute(text("SELECT previous_owner_id, failed_attempts FROM tasks")).one()
        authors = connection.execute(text("SELECT author FROM journal ORDER BY sequence")).scalars().all()
        backend.rollback(connection)
    backend.close()

    assert tuple(found) == ("a_bob", 2)
    assert authors == ["system", "a_ada"]


def _filled(table, row):
    """The row with something in every column that must have a value."""
    needed = [column for column in table.c if not column.nullable and column.server_default is None]
    return {column.name: _something(column) for column in needed} | row


def _something(column):
    kind = type(column.type).__name__.upper()
    return 0 if "INT" in kind else False if "BOOL" in kind else "[]"
