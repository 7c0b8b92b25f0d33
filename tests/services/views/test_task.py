"""What a person asks about one task: its states in order, and the files and lines it changed."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.services.views import task as views
from mission.services.work import BackgroundWork

SUCCESS = {"status": "success", "outcome": {"summary": "Done."}, "phase_complete": True}


@pytest.fixture
async def task(call, repository):
    """A task that was started in the repository and added a line to README.md."""
    mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    started = await call("start_task", {"mission_id": mission["mission_id"], "name": "t", "goal": "g"})
    (repository / "README.md").write_text("hello\nworld\n")
    return started["task_id"]


async def files(app, task_id):
    found = await changed(app, task_id)
    return found.changes.paths if found.changes is not None else None, found.final


async def changed(app, task_id):
    return await views.changed_files(BackgroundWork(app.database), app.trees, task_id=task_id)


async def lines(app, task_id, path="README.md"):
    return await views.lines(BackgroundWork(app.database), app.trees, task_id=task_id, path=path)


async def test_changes_follow_the_tree_until_the_task_ends_and_stay_then(app, call, task, repository):
    before = await files(app, task)
    await call("complete_task", {"task_id": task, **SUCCESS})
    (repository / "later.txt").write_text("x")

    assert before == (["README.md"], False)
    assert await files(app, task) == (["README.md"], True)


async def test_lines_are_read_from_the_tree_and_after_the_end_from_what_was_kept(app, call, task, repository):
    going = await lines(app, task)
    await call("complete_task", {"task_id": task, **SUCCESS})
    (repository / "README.md").write_text("other\n")

    kept = await lines(app, task)

    assert "+world" in going.text
    assert "+world" in kept.text
    assert "other" not in kept.text


async def test_lines_are_counted_and_files_outside_the_areas_are_named_before_and_after_the_end(app, call, repository):
    mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    place = {"mission_id": mission["mission_id"], "name": "t", "goal": "g", "areas": ["src"]}
    task = (await call("start_task", place))["task_id"]
    (repository / "README.md").write_text("--- one\n+++ two\nthree\n")
    (repository / "src").mkdir(exist_ok=True)
    (repository / "src" / "new.py").write_text("a\nb\n")

    going = await changed(app, task)
    await call("complete_task", {"task_id": task, **SUCCESS})
    ended = await changed(app, task)

    for found in (going, ended):
        assert found.outside == {"README.md"}
        counts = {path: (each.added, each.removed) for path, each in found.counts.items()}
        assert counts == {"README.md": (3, 1), "src/new.py": (2, 0)}


async def test_a_review_shows_what_the_checks_saw_whatever_happens_in_the_tree_then(app, call, repository):
    source = {"source_type": "prompt", "source_content": "s", "repository_path": str(repository)}
    rules = {"review": "person", "checks": ["true"]}
    mission = (await call("workflow_create", {"name": "m", **source, **rules}))["id"]
    task = (await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}))["task_id"]
    (repository / "README.md").write_text("hello\nworld\n")
    reported = await call("complete_task", {"task_id": task, **SUCCESS})
    (repository / "README.md").write_text("other\n")
    (repository / "later.txt").write_text("x")

    assert reported["status"] == "review"
    assert await files(app, task) == (["README.md"], True)
    assert "+world" in (await lines(app, task)).text


async def test_a_file_that_did_not_change_has_no_lines_before_and_after_the_end(app, call, task):
    with pytest.raises(InvalidInput, match=r"did not change 'src/app\.py'"):
        await lines(app, task, "src/app.py")
    await call("complete_task", {"task_id": task, **SUCCESS})
    with pytest.raises(InvalidInput, match=r"did not change 'src/app\.py'"):
        await lines(app, task, "src/app.py")


async def test_an_end_without_a_kept_patch_says_so(app, call, task):
    await call("complete_task", {"task_id": task, **SUCCESS})
    await app.database.write(lambda tx: tx.patches.put(task, None))

    with pytest.raises(InvalidState, match="no patch was stored"):
        await lines(app, task)


async def test_a_task_without_a_tree_has_no_files_and_no_lines(app, call, make_workflow):
    _, tasks = await make_workflow({"name": "a", "description": "d", "sequence": 1, "depends_on": []})

    assert await files(app, tasks["a"]) == (None, False)
    with pytest.raises(InvalidInput, match="path"):
        await lines(app, tasks["a"])


async def test_the_history_has_one_move_for_each_new_state_or_owner(app, call, make_workflow, make_agent):
    _, tasks = await make_workflow({"name": "a", "description": "d", "sequence": 1, "depends_on": []})
    id, ada = tasks["a"], await make_agent("ada")
    await call("task_claim", {"task_id": id, "agent_id": ada})
    await call("start_task", {"task_id": id, "agent_id": ada})
    await call("agent_heartbeat", {"agent_id": ada})
    await call("complete_task", {"task_id": id, "agent_id": ada, **SUCCESS})

    found = await app.database.read(views.read, task_id=id)

    assert [(move.word, move.agent_id) for move in found.moves][-3:] == [
        ("ready", ada),
        ("working", ada),
        ("unproved", ada),
    ]
    assert len({(move.word, move.agent_id) for move in found.moves}) == len(found.moves)
    assert (found.mission_name, found.agents) == ("W", {ada: "ada"})
