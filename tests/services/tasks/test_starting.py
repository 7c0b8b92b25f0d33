"""The start of a task: whose it becomes, and which mission, phase and parent it stands in."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotOwner
from tests.tools.conftest import planned


@pytest.fixture
async def mission(call):
    return (await call("start_mission", {"name": "m", "objective": "o", "total_phases": 2}))["mission_id"]


async def start(call, **wanted):
    return await call("start_task", {"name": "t", "goal": "g", **wanted})


async def again(call, task_id, **who):
    return await call("start_task", {"task_id": task_id, **who})


async def stored(call, task_id):
    return await call.app.database.read(lambda tx: tx.tasks.get(task_id))


async def test_a_mission_without_a_repository_belongs_to_the_first_one_that_is_worked_in(call, mission, repository):
    await start(call, mission_id=mission, repository_path=str(repository))

    found = await call.app.database.read(lambda tx: tx.missions.get(mission))
    assert found.repository_path == str(repository)
    second = await call("start_task", {"name": "second", "goal": "g"}, directory=str(repository))
    assert second["mission_id"] == mission


async def test_a_new_owner_raises_the_fence_and_the_same_one_keeps_it(call, make_workflow, make_agent, clock):
    _, tasks = await make_workflow(planned("a"))
    ada, bob = await make_agent("ada"), await make_agent("bob")
    first = await again(call, tasks["a"], agent_id=ada)
    await call(
        "complete_task", {"task_id": tasks["a"], "status": "failed", "outcome": {"summary": "no"}, "agent_id": ada}
    )

    same = await again(call, tasks["a"], agent_id=ada)
    clock.advance(hours=5)
    other = await again(call, tasks["a"], agent_id=bob)

    assert same["fence"] == first["fence"]
    assert other["fence"] > same["fence"]
    assert other["recovery"]["previous_owner"] == ada
    with pytest.raises(NotOwner):
        await call(
            "complete_task", {"task_id": tasks["a"], "status": "success", "outcome": {"summary": "s"}, "agent_id": ada}
        )


async def test_nobody_starts_a_task_that_another_holds(call, make_workflow, make_agent):
    _, tasks = await make_workflow(planned("a"))
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await again(call, tasks["a"], agent_id=ada)

    with pytest.raises(NotOwner):
        await again(call, tasks["a"], agent_id=bob)

    assert (await stored(call, tasks["a"])).owner_id == ada


async def test_a_parent_stands_in_the_same_mission(call, mission, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    parent = await start(call, mission_id=mission)

    child = await start(call, mission_id=mission, name="child", parent_task_id=parent["task_id"])

    assert (await stored(call, child["task_id"])).parent_id == parent["task_id"]
    with pytest.raises(InvalidInput, match=r"parent_task_id: .* belongs to mission"):
        await start(call, mission_id=mission, parent_task_id=tasks["a"])


async def test_a_phase_is_made_once_and_one_beyond_the_expected_is_said(call, mission):
    first = await start(call, mission_id=mission, phase=3, phase_name="Ship")
    second = await start(call, mission_id=mission, name="u", phase=3)

    assert (first["phase_created"], second["phase_created"]) == (True, False)
    assert (second["phase_id"], second["phase_name"]) == (first["phase_id"], "Ship")
    assert any("beyond the 2 phases" in warning for warning in first["warnings"])


async def test_the_first_start_begins_the_mission_and_each_start_counts_as_an_attempt(call, make_workflow):
    id, tasks = await make_workflow(planned("a"))
    before = await call("workflow_get", {"id": id})

    for _ in range(2):
        await again(call, tasks["a"])
        await call("complete_task", {"task_id": tasks["a"], "status": "failed", "outcome": {"summary": "no"}})

    after = await call("workflow_get", {"id": id})
    assert (before["status"], after["status"]) == ("ready", "in_progress")
    assert (await stored(call, tasks["a"])).attempts == 2
