"""The end of a task: what it counts, what it frees, and where it can be told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.errors import InvalidState
from tests.tools.conftest import planned


async def start(call, task_id, **more):
    return await call("start_task", {"task_id": task_id, **more})


async def complete(call, task_id, status="success", **more):
    arguments = {"task_id": task_id, "status": status, "outcome": {"summary": "done"}, **more}
    return await call("complete_task", arguments)


async def stored(call, task_id):
    return await call.app.database.read(lambda tx: tx.tasks.get(task_id))


@pytest.mark.parametrize("status", ["success", "partial_success", "failed"])
async def test_what_waits_is_freed_by_work_that_is_done_and_not_by_a_failure(call, make_workflow, status):
    _, tasks = await make_workflow(planned("a"), planned("b", after=["a"]))
    await start(call, tasks["a"])

    await complete(call, tasks["a"], status)

    assert (await stored(call, tasks["b"])).waiting_for == (status == "failed")
    assert (await stored(call, tasks["a"])).failed_attempts == (status == "failed")


async def test_failed_attempts_stay_counted_when_a_later_one_succeeds(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    for status in ("failed", "failed", "success"):
        await start(call, tasks["a"])
        await complete(call, tasks["a"], status)

    task = await stored(call, tasks["a"])

    assert (task.failed_attempts, task.error, task.lease_until) == (2, None, None)


async def test_a_task_that_its_owner_paused_is_completed_by_its_word(call, make_workflow, make_agent):
    _, tasks = await make_workflow(planned("a"))
    ada = await make_agent("ada")
    await start(call, tasks["a"], agent_id=ada)
    await call("task_update_status", {"id": tasks["a"], "status": "blocked", "error": "no key", "agent_id": ada})

    await complete(call, tasks["a"], agent_id=ada)

    task = await stored(call, tasks["a"])
    assert (str(task.status), task.hold) == ("completed", None)
    assert (await call("queue_list"))["items"] == []


async def test_a_phase_closes_with_the_task_that_says_so(call):
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    made = [await call("start_task", {"mission_id": mission, "name": name, "goal": "g"}) for name in "ab"]

    open_still = await complete(call, made[0]["task_id"])
    closed = await complete(call, made[1]["task_id"], phase_complete=True)

    assert (open_still["phase_status"], closed["phase_status"]) == ("in_progress", "completed")


async def test_a_task_of_another_host_is_completed_there(call, repository):
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    wanted = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(repository)}
    id = (await call("start_task", wanted))["task_id"]
    there = replace(await stored(call, id), host_id="there")
    await call.app.database.write(lambda tx: tx.tasks.save(there))

    with pytest.raises(InvalidState, match="is on host there") as raised:
        await complete(call, id)

    assert raised.value.details["host_id"] == "there"
    assert str((await stored(call, id)).status) == "in_progress"


async def test_the_outcome_metadata_and_changes_are_kept_with_the_task(call, repository):
    call.directory = str(repository)
    await call("start_mission", {"name": "m", "objective": "o"})
    id = (await call("start_task", {"name": "t", "goal": "g"}))["task_id"]
    (repository / "new.txt").write_text("x")

    await complete(call, id, metadata={"tokens_input": 7})

    task = await stored(call, id)
    assert (task.outcome["summary"], task.metadata["tokens_input"]) == ("done", 7)
    assert (task.changes["added"], task.snapshots) == (["new.txt"], None)


async def test_the_same_end_told_twice_changes_nothing(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await start(call, tasks["a"])
    first = await complete(call, tasks["a"])
    ended = await stored(call, tasks["a"])

    assert await complete(call, tasks["a"]) == first
    assert await stored(call, tasks["a"]) == ended
    with pytest.raises(InvalidState):
        await complete(call, tasks["a"], "failed")


async def test_a_repeated_call_drops_no_snapshot_a_second_time(call, repository, monkeypatch):
    mission = (await call("start_mission", {"name": "x", "objective": "y", "repository_path": str(repository)}))[
        "mission_id"
    ]
    task = (await call("start_task", {"mission_id": mission, "name": "a", "goal": "b"}))["task_id"]
    dropped = []

    async def forget(snapshots):
        dropped.append(snapshots)

    monkeypatch.setattr(call.app.trees, "forget", forget)
    arguments = {"task_id": task, "status": "success", "outcome": {"summary": "done"}}

    first = await call("complete_task", arguments, key="k")
    second = await call("complete_task", arguments, key="k")

    assert second == first
    assert [list(snapshots) for snapshots in dropped] == [[str(repository)]]
