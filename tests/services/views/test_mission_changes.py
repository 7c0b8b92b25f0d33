"""What a mission changed: stored lines of ended tasks, and the worktrees of running tasks."""

from __future__ import annotations


async def started(call, repository, name, **arguments):
    return (await call("start_task", {"name": name, "goal": "g", **arguments}))["task_id"]


async def test_lines_are_counted_from_the_stored_patch_and_running_worktrees_apart(call, repository):
    place = {"repository_path": str(repository)}
    mission = (await call("start_mission", {"name": "m", "objective": "o", **place}))["mission_id"]
    first = await started(call, repository, "First", mission_id=mission)
    (repository / "new.txt").write_text("one\ntwo\n")
    (repository / "README.md").unlink()
    await call("complete_task", {"task_id": first, "status": "success", "outcome": {"summary": "s"}})
    second = await started(call, repository, "Second", mission_id=mission)
    (repository / "new.txt").write_text("one\n2\n3\n")
    (repository / "image.bin").write_bytes(b"\0\1\2")

    stored = await call("overview_changes", {"mission_id": mission})
    running = await call("overview_running_changes", {"mission_id": mission})

    assert [(each["path"], each["tasks"][0]["how"], each["tasks"][0]["added"]) for each in stored["files"]] == [
        ("README.md", "D", 0),
        ("new.txt", "A", 2),
    ]
    removed = stored["files"][0]["tasks"][0]["removed"]
    assert (stored["added"], stored["removed"], stored["uncounted"]) == (2, removed, 0)
    assert removed > 0
    assert {each["path"]: each["tasks"] for each in running["files"]}["new.txt"] == [
        {"task_id": second, "task_name": "Second", "how": "M", "added": 2, "removed": 1}
    ]
    assert running["trees_left_out"] == 0

    await call("complete_task", {"task_id": second, "status": "success", "outcome": {"summary": "s"}})
    assert (await call("overview_running_changes", {"mission_id": mission}))["files"] == []
    files = (await call("overview_changes", {"mission_id": mission}))["files"]
    assert [[by["task_name"] for by in each["tasks"]] for each in files if each["path"] == "new.txt"] == [
        ["First", "Second"]
    ]


async def test_a_worktree_that_is_gone_is_left_out_and_said(call, repository, tmp_path):
    place = {"repository_path": str(repository)}
    mission = (await call("start_mission", {"name": "m", "objective": "o", **place}))["mission_id"]
    await started(call, repository, "First", mission_id=mission)
    repository.rename(tmp_path / "elsewhere")

    running = await call("overview_running_changes", {"mission_id": mission})

    assert (running["files"], running["trees_left_out"]) == ([], 1)
