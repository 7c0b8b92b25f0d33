"""The schema: what the migrations make is what the tables say, and migrating is safe."""

from __future__ import annotations

import textwrap
import threading

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, insert, select, text

from mission.settings import Settings
from mission.store import migrate
from mission.store.open_database import new_backend, open_backend
from mission.store.tables import executions, metadata
from tests import fault_cases
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


@pytest.mark.faults
@pytest.mark.parametrize("number", fault_cases.sample(range(2, 13), size=1))
def test_processes_that_start_at_once_on_a_new_database_all_find_it_ready(fresh, number):
    program = textwrap.dedent(
        """
        from pathlib import Path
        from mission.settings import Settings
        from mission.store.open_database import open_backend

        def main(home, url):
            open_backend(Settings(home=Path(home), database_url=url), role="a test").close()
        """
    )

    started = processes.start(program, [[str(fresh.home), fresh.database_url]] * number)

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


AT = 1_768_471_200_000_000
ATTEMPTS = {
    # name: (state of the task, ends of its executions, notes of those that freed it, failed attempts by today's rule)
    "t_crashed": ("pending", [("failed", "exit code 1", None), ("lost", None, None)], "12", 2),
    "t_refused": ("pending", [("failed", "not launched: no such program", None)], "1", 0),
    "t_asked": ("paused", [("failed", "killed by SIGKILL", None)], "", 0),
    "t_reviewed": ("review", [("lost", None, None)], "", 0),
    "t_done": ("completed", [("failed", "exit code 1", None)], "", 0),
    "t_said_so": ("pending", [("completed", None, {"type": "failed_claim", "reason": "too hard"})], "1", 1),
    "t_stopped": ("pending", [("stopped", "by the operator", None)], "1", 0),
    "t_failed": ("failed", [], "", 1),
    "t_failed_twice": ("failed", [("failed", "exit code 1", None), ("completed", None, None)], "1", 2),
    "t_planned": ("pending", [], "", 0),
}


def test_what_is_known_of_earlier_attempts_is_taken_over(fresh):
    rows = _older_rows()
    for name, (status, ends, freed, _) in ATTEMPTS.items():
        task = {"id": name, "mission_id": "m_1", "phase_id": "p_1", "phase_number": 1, "name": name, "goal": "g"}
        rows["tasks"].append({**task, "status": status, "fence": 1, "created_at": AT, "updated_at": AT})
        for number, (end, reason, claim) in enumerate(ends, 1):
            execution = {"id": f"x_{name}{number}", "mission_id": "m_1", "task_id": name, "agent_id": f"a_{number}"}
            launch = {"adapter": "command", "mode": "headless", "host_id": "h", "created_at": AT + number}
            rows["executions"].append({**execution, **launch, "status": end, "reason": reason, "claim": claim})
        for number in freed:
            summary = f"execution x_{name}{number} ended {ends[int(number) - 1][0]}: somehow"
            rows["journal"].append(_note(name, int(number), summary, author=f"a_{number}"))
    rows["journal"].append(_note("t_crashed", 3, "too hard", author="a_ada"))

    tasks, authors = _migrated(
        fresh,
        rows,
        "SELECT id, failed_attempts, previous_owner_id FROM tasks",
        "SELECT author, count(*) FROM journal GROUP BY author",
    )

    assert {id: failed for id, failed, _ in tasks} == {name: failed for name, (*_, failed) in ATTEMPTS.items()}
    assert {id: owner for id, _, owner in tasks}["t_crashed"] == "a_2", "who had it last"
    assert dict(authors) == {"system": 6, "a_ada": 1}


def test_the_attempt_of_an_older_task_began_with_its_last_claim_or_its_start(fresh):
    times = {
        "t_running": ("in_progress", AT, AT - 5, None, AT),
        "t_claimed_again": ("in_progress", AT, AT + 50, None, AT + 50),
        "t_done": ("completed", AT, AT - 5, AT + 90, AT),
        "t_waits": ("pending", AT, None, None, None),
        "t_new": ("pending", None, None, None, None),
    }
    rows = _older_rows()
    for name, (status, started, claimed, ended, _) in times.items():
        task = {"id": name, "mission_id": "m_1", "phase_id": "p_1", "phase_number": 1, "name": name, "goal": "g"}
        moments = {"started_at": started, "claimed_at": claimed, "completed_at": ended}
        rows["tasks"].append({**task, **moments, "status": status, "created_at": AT, "updated_at": AT})

    (tasks,) = _migrated(fresh, rows, "SELECT id, attempt_started_at FROM tasks")

    assert dict(map(tuple, tasks)) == {name: began for name, (*_, began) in times.items()}


def _older_rows():
    mission = {"id": "m_1", "name": "M", "objective": "o", "status": "in_progress", "created_at": AT, "updated_at": AT}
    phase = {"id": "p_1", "mission_id": "m_1", "number": 1, "name": "P", "status": "in_progress", "created_at": AT}
    return {
        "missions": [mission],
        "phases": [{**phase, "is_parallel": False}],
        "tasks": [],
        "executions": [],
        "journal": [],
    }


def _note(task_id, sequence, summary, *, author):
    id = f"cp_{task_id}{sequence}"
    entry = {"id": id, "mission_id": "m_1", "task_id": task_id, "kind": "recovery", "sequence": sequence}
    return {**entry, "summary": summary, "author": author}


def _migrated(fresh, rows, *queries):
    """What these queries find after rows of an older version were migrated."""
    backend = new_backend(fresh, role="a test")
    with backend.connect() as connection:
        backend.begin_write(connection)
        migrate.upgrade(connection, target="0011")
        known = MetaData()
        known.reflect(connection)
        for name, given in rows.items():
            for row in given:
                connection.execute(insert(known.tables[name]), [_filled(known.tables[name], row)])
        migrate.upgrade(connection)
        found = [connection.execute(text(query)).all() for query in queries]
        backend.rollback(connection)
    backend.close()
    return found


def test_what_agents_that_wait_asked_last_is_taken_over(fresh):
    at = 1_768_471_200_000_000
    execution = {"mission_id": "m_1", "task_id": "t_1", "mode": "headless", "host_id": "h"}
    item = {"kind": "question", "state": "open", "mission_id": "m_1", "task_id": "t_1"}
    seen = {"type": "progress", "created_at": at + 2}
    rows = {
        "missions": [{"id": "m_1"}],
        "phases": [{"id": "p_1", "mission_id": "m_1"}],
        "tasks": [{"id": "t_1", "mission_id": "m_1", "phase_id": "p_1"}],
        "executions": [
            {**execution, "id": "x_waits", "status": "completed"},
            {**execution, "id": "x_lives", "status": "running"},
            {**execution, "id": "x_ended", "status": "completed"},
        ],
        "queue_items": [
            {**item, "id": "q_1", "execution_id": "x_waits", "created_at": at + 1, "state": "answered"},
            {**item, "id": "q_2", "execution_id": "x_waits", "created_at": at + 2, "kind": "blocker"},
            {**item, "id": "q_3", "execution_id": "x_lives", "created_at": at + 1, "state": "answered"},
            {**item, "id": "q_4", "execution_id": "x_lives", "created_at": at + 3, "state": "answered"},
            {**item, "id": "q_5", "execution_id": "x_ended", "created_at": at + 1, "state": "answered"},
        ],
        "observations": [{**seen, "id": "o_1", "execution_id": "x_lives", "event_id": "e_1"}],
    }
    backend = new_backend(fresh, role="a test")
    with backend.connect() as connection:
        backend.begin_write(connection)
        migrate.upgrade(connection, target="0013")
        known = MetaData()
        known.reflect(connection)
        for name, given in rows.items():
            for row in given:
                connection.execute(insert(known.tables[name]), _filled(known.tables[name], row))
        migrate.upgrade(connection)
        asked = dict(connection.execute(select(executions.c.id, executions.c.asked_last)).all())
        backend.rollback(connection)
    backend.close()

    assert asked == {"x_waits": ["q_1", "q_2"], "x_lives": ["q_4"], "x_ended": []}


def _filled(table, row):
    """The row with something in every column that must have a value."""
    needed = [column for column in table.c if not column.nullable and column.server_default is None]
    return {column.name: _something(column) for column in needed} | row


def _something(column):
    kind = type(column.type).__name__.upper()
    return 0 if "INT" in kind else False if "BOOL" in kind else "[]"
