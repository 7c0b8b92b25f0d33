"""Backups: everything comes back, into either database, and event numbers never go backwards."""

from __future__ import annotations

import errno
import shutil
import zipfile

import pytest
from sqlalchemy import select

from mission.app import App
from mission.events.bus import Topic
from mission.store import backup, migrate
from mission.store.logs.events import EventRows
from mission.store.open_database import new_backend
from mission.store.tables import metadata


async def fill(settings, clock, repository):
    """A little of everything; the result is every row of every table."""
    app = App(settings, role="a test", clock=clock)
    async with app.running(periodic=False):
        from tests.conftest import Front

        call = Front(app)
        call.directory = str(repository)
        await call("start_mission", {"name": "Aüth ☃", "objective": "y"})
        task = await call("start_task", {"name": "t", "goal": "g"})
        await call("log_milestone", {"task_id": task["task_id"], "message": "m", "metadata": {"a": [1, None, "ü"]}})
        await call("agent_register", {"name": "ada", "runtime": "codex"})
    return task["task_id"], rows_of(settings)


def rows_of(settings):
    backend = new_backend(settings, role="a test")
    with backend.connect() as connection:
        rows = {
            name: sorted(map(repr, (tuple(row) for row in connection.execute(select(table)))))
            for name, table in metadata.tables.items()
        }
    backend.close()
    return rows


def newest_of(settings):
    backend = new_backend(settings, role="a test")
    with backend.connect() as connection:
        newest = EventRows(connection).newest()
    backend.close()
    return newest


def restored(settings, file):
    backend = new_backend(settings, role="a test")
    counts = backup.restore(settings, backend, file)
    backend.close()
    return counts


def written(settings, file):
    backend = new_backend(settings, role="a test")
    counts = backup.write(settings, backend, file)
    backend.close()
    return counts


async def test_everything_comes_back(settings, clock, repository, tmp_path):
    task_id, before = await fill(settings, clock, repository)
    counts = written(settings, tmp_path / "all.zip")
    await fill(settings, clock, repository)

    restored(settings, tmp_path / "all.zip")

    after = rows_of(settings)
    assert {name: rows for name, rows in after.items() if name != "event_counter"} == {
        name: rows for name, rows in before.items() if name != "event_counter"
    }
    assert counts == {name: len(rows) for name, rows in before.items() if name not in backup.DERIVED}
    app = App(settings, role="a test", clock=clock)
    async with app.running(periodic=False):
        from tests.conftest import Front

        (repository / "new").write_text("x")
        done = await Front(app)("complete_task", {"task_id": task_id, "status": "success", "outcome": {"summary": "s"}})
    assert done["files_changed"]["added"] == ["new"]


async def test_event_numbers_go_on_above_the_highest_ever_given(settings, clock, repository, tmp_path):
    await fill(settings, clock, repository)
    written(settings, tmp_path / "all.zip")
    await fill(settings, clock, repository)
    highest = newest_of(settings)

    restored(settings, tmp_path / "all.zip")

    assert newest_of(settings) > highest


async def test_a_reader_that_saw_what_a_restore_undid_begins_anew(settings, clock, repository, tmp_path):
    await fill(settings, clock, repository)
    written(settings, tmp_path / "all.zip")
    await fill(settings, clock, repository)
    seen = newest_of(settings)
    for _ in range(2):
        restored(settings, tmp_path / "all.zip")

        app = App(settings, role="a test", clock=clock)
        async with app.running(periodic=False):
            old = await app.events.read(Topic("global"), since=seen)
            assert not old.reaches(seen)
            assert not old.reaches(seen - 1)
            assert old.reaches(old.newest)
        await fill(settings, clock, repository)
        seen = newest_of(settings)


async def test_a_backup_moves_from_sqlite_to_postgresql(
    sqlite_settings, postgres_settings, clock, repository, tmp_path
):
    _, before = await fill(sqlite_settings, clock, repository)
    written(sqlite_settings, tmp_path / "all.zip")

    restored(postgres_settings, tmp_path / "all.zip")

    assert rows_of(postgres_settings) == before


async def test_a_database_in_use_is_not_replaced(settings, clock, tmp_path):
    app = App(settings, role="the daemon", clock=clock)
    async with app.running(periodic=False):
        written(settings, tmp_path / "all.zip")

        with pytest.raises(migrate.DatabaseInUse, match="the daemon"):
            restored(settings, tmp_path / "all.zip")


@pytest.mark.parametrize("content", [None, b"", b"not a zip", "empty zip", "other manifest"])
def test_what_is_no_backup_is_refused_and_nothing_is_lost(sqlite_settings, tmp_path, content):
    file = tmp_path / "broken.zip"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        with zipfile.ZipFile(file, "w") as archive:
            if content == "other manifest":
                archive.writestr("manifest.json", '{"format": 99}')
    before = rows_of(sqlite_settings)

    with pytest.raises(backup.BadBackup):
        restored(sqlite_settings, file)

    assert rows_of(sqlite_settings) == before


def test_a_backup_is_readable_by_its_owner_only_and_written_whole(sqlite_settings, tmp_path):
    written(sqlite_settings, tmp_path / "all.zip")

    assert (tmp_path / "all.zip").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_what_was_there_survives_a_backup_that_fails_on_its_way(sqlite_settings, tmp_path):
    def full(_table, _rows):
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "kept" / "b.zip"
    file.parent.mkdir()
    file.write_text("the only one")
    backend = new_backend(sqlite_settings, role="a test")

    with pytest.raises(OSError, match="No space"):
        backup.write(sqlite_settings, backend, file, report=full)

    backend.close()
    assert file.read_text() == "the only one"
    assert list(file.parent.iterdir()) == [file]


def test_a_snapshot_that_goes_while_it_is_written_is_left_out(sqlite_settings, tmp_path, monkeypatch):
    for name in ("ended", "running"):
        (sqlite_settings.snapshots_path / "trees").mkdir(parents=True, exist_ok=True)
        (sqlite_settings.snapshots_path / "trees" / name).write_text(name)
    write = zipfile.ZipFile.write

    def overtaken(archive, path, *rest):
        (sqlite_settings.snapshots_path / "trees" / "ended").unlink(missing_ok=True)
        write(archive, path, *rest)

    monkeypatch.setattr(zipfile.ZipFile, "write", overtaken)

    written(sqlite_settings, tmp_path / "all.zip")

    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert [name for name in archive.namelist() if name.startswith("snapshots/")] == ["snapshots/trees/running"]


async def test_the_lines_of_tasks_come_back_and_stay_private(settings, clock, repository, tmp_path):
    from tests.conftest import Front

    (repository / "loose.txt").write_text("before\n")
    start = {"name": "t", "goal": "g", "repository_path": str(repository)}
    done = {"status": "success", "outcome": {"summary": "s"}}
    async with App(settings, role="a test", clock=clock).running(periodic=False) as app:
        call = Front(app)
        mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
        start["mission_id"] = mission["mission_id"]
        ended = (await call("start_task", start))["task_id"]
        (repository / "README.md").write_text("hello\nof the first\n")
        await call("complete_task", {"task_id": ended, **done})
        running = (await call("start_task", start))["task_id"]
    (room,) = (settings.snapshots_path / "trees").iterdir()
    (room / ".scratch").mkdir()
    (room / ".scratch" / "0").write_text("passing\n")

    written(settings, tmp_path / "all.zip")
    shutil.rmtree(settings.snapshots_path)
    restored(settings, tmp_path / "all.zip")
    (repository / "loose.txt").write_text("before\nafter\n")

    files = [path for path in settings.snapshots_path.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in files} == {0}
    assert not [path for path in files if ".scratch" in path.parts]
    async with App(settings, role="a test", clock=clock).running(periodic=False) as app:
        call = Front(app)
        first = await call("overview_diff", {"task_id": ended, "path": "README.md"})
        second = await call("overview_diff", {"task_id": running, "path": "loose.txt"})
    assert first["patch"].endswith("\n hello\n+of the first\n")
    assert second["patch"].endswith("\n before\n+after\n")
