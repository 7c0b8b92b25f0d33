"""How a task came to where it is, and the lines it changed, read through the tools of the page."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState


async def test_a_task_tells_its_states_its_files_and_their_lines_before_and_after_its_end(call, repository, git):
    mission = (await call("start_mission", {"name": "Lines", "objective": "o", "repository_path": str(repository)}))[
        "mission_id"
    ]
    start = {"mission_id": mission, "name": "Write", "goal": "g", "areas": ["docs/"]}
    task = (await call("start_task", {**start, "repository_path": str(repository)}))["task_id"]
    (repository / "new.txt").write_text("first\n<b>second</b>\n")

    under_way = await call("overview_files", {"task_id": task})
    patch = await call("overview_diff", {"task_id": task, "path": "new.txt"})
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})
    story = await call("overview_task", {"task_id": task})
    ended = await call("overview_files", {"task_id": task})
    git(repository, "add", "new.txt")
    git(repository, "commit", "-qm", "Later")
    committed = await call("overview_diff", {"task_id": task, "path": "new.txt"})

    assert (under_way["final"], ended["final"]) == (False, True)
    assert (
        under_way["files"]
        == ended["files"]
        == [{"path": "new.txt", "how": "A", "lines_added": 2, "lines_removed": 0, "outside": True}]
    )
    assert (ended["lines_added"], ended["lines_removed"], ended["outside"]) == (2, 0, 1)
    assert "+first\n+<b>second</b>\n" in patch["patch"]
    assert patch["whole"] is True
    assert "+first\n+<b>second</b>\n" in committed["patch"]
    assert [move["status"] for move in story["moves"]] == ["in_progress", "completed"]
    assert (story["areas"], story["scope"]["unexpected_files"]) == (["docs/"], ["new.txt"])


async def test_lines_of_a_file_that_was_there_are_those_that_differ_committed_or_not(call, repository, git):
    (repository / "kept.txt").write_text("one\ntwo\nthree\n")
    git(repository, "add", "kept.txt")
    git(repository, "commit", "-qm", "Before")
    started = await call("start_mission", {"name": "L", "objective": "o", "repository_path": str(repository)})
    start = {"mission_id": started["mission_id"], "name": "Write", "goal": "g", "repository_path": str(repository)}
    task = (await call("start_task", start))["task_id"]
    (repository / "kept.txt").write_text("one\n2\nthree\n")

    async def lines() -> list[str]:
        patch = (await call("overview_diff", {"task_id": task, "path": "kept.txt"}))["patch"]
        return [line for line in patch.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]

    under_way = await lines()
    git(repository, "commit", "-qam", "Done")
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})

    assert under_way == await lines() == ["-two", "+2"]


async def test_a_deletion_that_is_committed_later_is_still_shown(call, repository, git):
    started = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    start = {"mission_id": started["mission_id"], "name": "t", "goal": "g"}
    task = (await call("start_task", start))["task_id"]
    (repository / "README.md").unlink()
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})
    git(repository, "commit", "-qam", "Without it")

    assert "-hello\n" in (await call("overview_diff", {"task_id": task, "path": "README.md"}))["patch"]


async def test_the_lines_of_a_plain_folder_are_not_known(call, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    mission = (await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(folder)}))[
        "mission_id"
    ]
    task = (await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}))["task_id"]
    (folder / "a.txt").write_text("a\n")
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})

    with pytest.raises(InvalidState, match="plain folder"):
        await call("overview_diff", {"task_id": task, "path": "a.txt"})


async def test_lines_are_shown_where_nothing_was_committed_before(call, tmp_path, git):
    top = tmp_path / "fresh"
    top.mkdir()
    git(top, "init", "-q", "-b", "main")
    mission = (await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(top)}))["mission_id"]
    (top / "gone.txt").write_text("old\n")
    task = (await call("start_task", {"mission_id": mission, "name": "gone", "goal": "g"}))["task_id"]
    (top / "gone.txt").unlink()
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})
    assert (await call("overview_diff", {"task_id": task, "path": "gone.txt"}))["patch"].endswith("\n-old\n")
    seen = []
    for name, committed in (("first.txt", False), ("second.txt", True)):
        task = (await call("start_task", {"mission_id": mission, "name": name, "goal": "g"}))["task_id"]
        (top / name).write_text("new\n")
        if committed:
            git(top, "add", name)
            git(top, "commit", "-qm", "The first of all")
        await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})
        seen.append((await call("overview_diff", {"task_id": task, "path": name}))["patch"])

    assert ["+new\n" in patch for patch in seen] == [True, True]


async def test_only_files_that_the_task_changed_are_shown(call, repository):
    mission = (await call("start_mission", {"name": "Lines", "objective": "o", "repository_path": str(repository)}))[
        "mission_id"
    ]
    start = {"mission_id": mission, "name": "Write", "goal": "g", "repository_path": str(repository)}
    task = (await call("start_task", start))["task_id"]

    with pytest.raises(InvalidInput, match="did not change"):
        await call("overview_diff", {"task_id": task, "path": "../../etc/passwd"})
