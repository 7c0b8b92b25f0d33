"""Phases, through the gateway."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound


@pytest.fixture
async def mission(call):
    return (await call("start_workflow", {"name": "x", "objective": "y"}))["workflow_id"]


async def test_a_phase_is_started_once(call, mission):
    wanted = {"workflow_id": mission, "number": 1, "name": "Design", "is_parallel": True}
    first = await call("start_phase", wanted)
    second = await call("start_phase", {**wanted, "name": "Other"})

    assert first == {
        "phase_id": first["phase_id"],
        "workflow_id": mission,
        "mission_id": mission,
        "number": 1,
        "name": "Design",
        "is_parallel": True,
        "status": "IN_PROGRESS",
        "started_at": first["started_at"],
        "already_exists": False,
    }
    assert second == {**first, "already_exists": True}


async def test_closing_a_phase_counts_its_tasks_and_names_the_open_ones(call, mission, clock):
    phase = (await call("start_phase", {"mission_id": mission, "number": 1, "name": "Build"}))["phase_id"]
    endings = ["success", "partial_success", "failed"]
    for ending in endings:
        task = await call("start_task", {"workflow_id": mission, "phase_id": phase, "name": ending, "goal": "g"})
        await call("complete_task", {"task_id": task["task_id"], "status": ending, "outcome": {"summary": "s"}})
    left = await call("start_task", {"workflow_id": mission, "phase_id": phase, "name": "left", "goal": "g"})
    clock.advance(seconds=90)

    done = await call("complete_phase", {"phase_id": phase, "status": "completed", "summary": "s"})

    assert done["tasks"] == {"total": 4, "success": 1, "partial": 1, "failed": 1, "in_progress": 1}
    assert done["status"] == "completed"
    assert 90_000 <= done["duration_ms"] < 91_000
    assert left["task_id"] in done["warnings"][0]
    assert await call("complete_phase", {"phase_id": phase, "status": "completed", "summary": "s"}) == done
    with pytest.raises(InvalidState, match="is completed and cannot become failed"):
        await call("complete_phase", {"phase_id": phase, "status": "failed"})


async def test_the_current_phase_follows_the_work(call, mission):
    async def current():
        return (await call("get_context", {"workflow_id": mission, "include": ["phase_summary"]}))["current_phase"]

    assert await current() == 1
    first = (await call("start_phase", {"workflow_id": mission, "number": 1, "name": "a"}))["phase_id"]
    second = (await call("start_phase", {"workflow_id": mission, "number": 2, "name": "b"}))["phase_id"]
    assert await current() == 1
    await call("complete_phase", {"phase_id": first, "status": "completed"})
    assert await current() == 2
    await call("complete_phase", {"phase_id": second, "status": "completed"})
    assert await current() == 3


@pytest.mark.parametrize("number", [0, -1, 1.5, "two", None])
async def test_a_phase_has_a_whole_number_from_one(call, mission, number):
    with pytest.raises(InvalidInput, match="number"):
        await call("start_phase", {"workflow_id": mission, "number": number, "name": "x"})


async def test_an_unknown_phase_is_not_found(call):
    with pytest.raises(NotFound, match="p_0000000000"):
        await call("complete_phase", {"phase_id": "p_0000000000", "status": "completed"})


async def test_a_phase_that_a_task_closed_may_be_completed_once_more(call, mission):
    task = await call("start_task", {"workflow_id": mission, "phase": 1, "name": "t", "goal": "g"})
    ending = {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}, "phase_complete": True}
    await call("complete_task", ending)

    done = await call("complete_phase", {"phase_id": task["phase_id"], "status": "completed", "summary": "again"})

    assert (done["status"], done["tasks"]["success"]) == ("completed", 1)
