"""The lines of a task are those between its start and its end, whatever was in the tree before or comes after."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mission.domain.errors import InvalidState

DONE = {"status": "success", "outcome": {"summary": "s"}}


@pytest.fixture
def start(call, repository):
    """Starts a task in the repository; its id."""
    mission = []

    async def begin(**more):
        if not mission:
            wish = {"name": "Lines", "objective": "o", "repository_path": str(repository)}
            mission.append((await call("start_mission", wish))["mission_id"])
        return (await call("start_task", {"mission_id": mission[0], "name": "t", "goal": "g", **more}))["task_id"]

    return begin


@pytest.fixture
def end(call):
    async def finish(task, status="success"):
        return await call("complete_task", {"task_id": task, **DONE, "status": status})

    return finish


@pytest.fixture
def diff(call):
    async def read(task, path):
        return await call("overview_diff", {"task_id": task, "path": path})

    return read


@pytest.fixture
def lines(diff):
    """The lines that a task took out of a file and put in."""

    async def read(task, path):
        patch = (await diff(task, path))["patch"]
        return [line for line in patch.splitlines() if line[:1] in "+-" and line[:4] not in ("+++ ", "--- ")]

    return read


async def test_two_tasks_in_one_tree_show_only_their_own_lines(repository, start, end, lines):
    notes = repository / "README.md"
    first = await start()
    notes.write_text("hello\nfrom the first\n")
    await end(first)
    second = await start()
    notes.write_text("hello\nfrom the first\nfrom the second\n")
    (repository / "new.txt").write_text("new\n")
    under_way = await lines(second, "README.md")
    await end(second)
    notes.write_text("edited by hand\n")
    (repository / "new.txt").write_text("edited by hand\n")

    assert await lines(first, "README.md") == ["+from the first"]
    assert under_way == await lines(second, "README.md") == ["+from the second"]
    assert await lines(second, "new.txt") == ["+new"]


async def test_lines_that_were_there_before_stay_out_when_the_task_commits_them(repository, git, start, end, lines):
    (repository / "README.md").write_text("hello\nnot yet committed\n")
    (repository / "loose.txt").write_text("untracked\n")
    (repository / "staged.txt").write_text("staged\n")
    git(repository, "add", "staged.txt")
    task = await start()
    for name in ("README.md", "loose.txt", "staged.txt"):
        with (repository / name).open("a") as file:
            file.write("of the task\n")
    under_way = [await lines(task, name) for name in ("README.md", "loose.txt", "staged.txt")]
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "All of it")
    await end(task)

    assert under_way == [["+of the task"]] * 3
    assert [await lines(task, name) for name in ("README.md", "loose.txt", "staged.txt")] == [["+of the task"]] * 3


async def test_the_patch_outlives_the_tree_and_the_repository(repository, git, start, end, lines):
    task = await start()
    (repository / "README.md").write_text("changed\n")
    git(repository, "commit", "-qam", "One")
    (repository / "README.md").write_text("changed twice\n")
    git(repository, "commit", "-qa", "--amend", "-m", "Other")
    await end(task)
    shutil.rmtree(repository)

    assert await lines(task, "README.md") == ["-hello", "+changed twice"]


async def test_content_that_git_collected_as_garbage_is_said_to_be_gone(repository, git, start, end, diff, lines):
    (repository / "dirty.txt").write_text("kept by us\n")
    task = await start()
    (repository / "dirty.txt").write_text("changed\n")
    (repository / "README.md").write_text("changed\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "--amend", "-m", "Another beginning")
    git(repository, "reflog", "expire", "--expire=now", "--all")
    git(repository, "gc", "-q", "--prune=now")
    await end(task)

    assert await lines(task, "dirty.txt") == ["-kept by us", "+changed"]
    answer = await diff(task, "README.md")
    assert (answer["patch"], answer["whole"]) == ("", False)
    assert "garbage" in answer["note"]


async def test_a_failed_task_goes_on_from_its_first_start(repository, start, end, lines, call):
    (repository / "loose.txt").write_text("before\n")
    task = await start()
    (repository / "loose.txt").write_text("before\nfirst try\n")
    await end(task, "failed")
    failed = await lines(task, "loose.txt")
    await start(task_id=task)
    (repository / "loose.txt").write_text("before\nfirst try\nsecond try\n")
    await end(task)

    assert failed == ["+first try"]
    assert await lines(task, "loose.txt") == ["+first try", "+second try"]


async def test_what_is_too_large_to_keep_is_named_at_the_start_and_at_the_end(repository, start, end, diff, call):
    (repository / "large.txt").write_text("line\n" * 300_000)
    (repository / "small.txt").write_text("small\n")
    mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    started = await call("start_task", {"mission_id": mission["mission_id"], "name": "t", "goal": "g"})
    (repository / "large.txt").write_text("other\n")
    await end(started["task_id"])

    assert [warning for warning in started["warnings"] if "large.txt" in warning and "1 MB" in warning]
    assert "small.txt" not in str(started["warnings"])
    answer = await diff(started["task_id"], "large.txt")
    assert (answer["patch"], answer["whole"]) == ("", False)
    assert "not kept" in answer["note"]


async def test_at_most_twenty_megabytes_are_kept_for_a_task(repository, start, end, diff, call, settings):
    for number in range(23):
        (repository / f"{number:02}.bin").write_bytes(os.urandom(900_000))
    mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    started = await call("start_task", {"mission_id": mission["mission_id"], "name": "t", "goal": "g"})

    assert [warning for warning in started["warnings"] if "22.bin" in warning and "20 MB" in warning]
    sizes = [path.stat().st_size for path in settings.snapshots_path.rglob("*") if path.is_file()]
    assert 18_000_000 < sum(sizes) < 20_000_000


async def test_what_was_kept_is_private_and_goes_when_the_task_ends(repository, start, end, settings, call):
    def kept():
        return [path for path in settings.snapshots_path.rglob("kept/*") if path.is_file()]

    (repository / "secret.txt").write_text("secret\n" * 1000)
    first, second = await start(), await start()
    there = kept()

    assert len(there) == 2
    assert {path.stat().st_mode & 0o777 for path in there} == {0o600}
    assert all(path.stat().st_size < 3000 and b"secret\nsecret" not in path.read_bytes() for path in there)
    await end(first)
    assert len(kept()) == 1
    await call("task_update_status", {"task_id": second, "status": "skipped"})
    assert kept() == []


async def test_nothing_is_written_into_the_repository(repository, git, start, end, diff):
    (repository / "loose.txt").write_text("loose\n")
    (repository / "staged.txt").write_text("staged\n")
    git(repository, "add", "staged.txt")
    os.utime(repository / ".git" / "objects", (1, 1))

    def state():
        return {
            str(path): (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
            for path in (repository / ".git").rglob("*")
        }

    before = state()
    task = await start()
    (repository / "loose.txt").write_text("staged\n")
    (repository / "staged.txt").write_text("loose\n")
    await diff(task, "loose.txt")
    await end(task)

    assert state() == before


async def test_a_task_whose_patch_is_missing_says_that_none_was_kept(repository, start, end, diff, app, git):
    task = await start()
    (repository / "README.md").write_text("changed\n")
    await end(task)
    await app.database.write(lambda tx: tx.patches.remove(task))

    with pytest.raises(InvalidState, match="no patch was stored"):
        await diff(task, "README.md")


async def test_a_patch_goes_with_its_mission(repository, start, end, call, app):
    task = await start()
    (repository / "README.md").write_text("changed\n")
    await end(task)
    mission = (await call("overview_task", {"task_id": task}))["mission_id"]
    await call("complete_mission", {"mission_id": mission, "status": "completed", "summary": "s"})
    kept = await app.database.read(lambda tx: tx.patches.get(task))
    await call("mission_delete", {"mission_id": mission})

    assert kept is not None
    assert await app.database.read(lambda tx: tx.patches.get(task)) is None


async def test_a_patch_longer_than_a_megabyte_is_cut_where_it_is_longest(repository, start, end, diff, lines):
    task = await start()
    (repository / "a-long.txt").write_text("a long line of a long file\n" * 200_000)
    (repository / "b-long.txt").write_text("a line of a file half as long\n" * 60_000)
    (repository / "short.txt").write_text("short\n")
    live = await diff(task, "a-long.txt")
    await end(task)
    answers = {name: await diff(task, name) for name in ("a-long.txt", "b-long.txt", "short.txt")}

    assert await lines(task, "short.txt") == ["+short"]
    assert [answer["whole"] for answer in answers.values()] == [False, False, True]
    total = sum(len(answer["patch"]) for answer in answers.values())
    assert 950_000 < total <= 1_000_000
    assert 950_000 < len(live["patch"]) <= 1_000_000
    assert all(answer["patch"].endswith("\n") for answer in answers.values())


READER = """
import asyncio, resource, sys
from pathlib import Path
from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings

home, tree = map(Path, sys.argv[1:])

async def main():
    app = App(Settings(home=home), role="a test")
    async with app.running(periodic=False):
        async def call(tool, **arguments):
            return await app.gateway(tool, arguments, Caller(transport="test"))
        mission = (await call("start_mission", name="m", objective="o", repository_path=str(tree)))["mission_id"]
        task = (await call("start_task", mission_id=mission, name="t", goal="g"))["task_id"]
        with (tree / "huge.txt").open("wb") as file:
            for _ in range(150):
                file.write(b"one line of a huge file, and more\\n" * 30_000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        said = await asyncio.gather(*(call("overview_diff", task_id=task, path="huge.txt") for _ in range(4)))
        await call("complete_task", task_id=task, status="success", outcome={"summary": "s"})
        said.append(await call("overview_diff", task_id=task, path="huge.txt"))
        unit = 1024 if sys.platform == "darwin" else 1
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // unit
        print(grown, *(f"{len(answer['patch'])}:{answer['whole']}" for answer in said))

asyncio.run(main())
"""


def test_a_huge_file_does_not_take_the_memory_of_whoever_reads_its_lines(tmp_path: Path, repository: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)

    done = subprocess.run(
        [sys.executable, "-c", READER, str(home), str(repository)], capture_output=True, text=True, check=True
    )

    grown, *answers = done.stdout.split()
    assert int(grown) < 60_000, done.stdout
    for answer in answers:
        length, whole = answer.split(":")
        assert 900_000 < int(length) <= 1_000_000
        assert whole == "False"
