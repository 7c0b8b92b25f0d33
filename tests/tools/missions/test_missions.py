"""Missions as a whole, through the gateway."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound


async def test_a_mission_starts_pending_with_the_phases_of_its_profile(call):
    started = await call("start_mission", {"name": "Auth", "objective": "Log in with JWT"})

    assert started == {
        "mission_id": started["mission_id"],
        "workflow_id": started["mission_id"],
        "profile": "STANDARD",
        "total_phases": 3,
        "created_at": started["created_at"],
    }
    assert started["mission_id"].startswith("m_")
    assert len(started["mission_id"]) == 12
    found = await call("get_context", {"mission_id": started["mission_id"], "include": ["phase_summary"]})
    assert found["mission_status"] == "PENDING"
    assert found["phase_summary"] == []
    assert found["current_phase"] == 1


@pytest.mark.parametrize(("profile", "phases"), [("simple", 2), ("standard", 3), ("complex", 4)])
async def test_each_profile_has_its_number_of_phases(call, profile, phases):
    started = await call("start_workflow", {"name": "x", "objective": "y", "profile": profile})

    assert (started["profile"], started["total_phases"]) == (profile.upper(), phases)


async def test_the_number_of_phases_can_be_given(call):
    started = await call("start_mission", {"name": "x", "objective": "y", "total_phases": 7})

    assert started["total_phases"] == 7


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"objective": "y"}, "name"),
        ({"name": "x"}, "objective"),
        ({"name": "", "objective": "y"}, "name"),
        ({"name": "x" * 201, "objective": "y"}, "name"),
        ({"name": "x", "objective": "y", "total_phases": 0}, "total_phases: must be at least 1, not 0"),
        ({"name": "x", "objective": "y", "total_phases": 101}, "total_phases: must be at most 100, not 101"),
        ({"name": "x", "objective": "y", "profile": "huge"}, "profile"),
        ({"name": 5, "objective": "y"}, "name"),
        ({"name": "x", "objective": ["y"]}, "objective"),
    ],
)
async def test_a_wrong_field_is_named(call, arguments, field):
    with pytest.raises(InvalidInput) as caught:
        await call("start_mission", arguments)

    assert field in caught.value.message
    assert caught.value.hint


async def test_completing_reports_what_was_accomplished(call, clock):
    mission = (await call("start_mission", {"name": "Auth", "objective": "JWT"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    clock.advance(minutes=30)
    await call(
        "complete_task",
        {
            "task_id": task["task_id"],
            "status": "success",
            "outcome": {"summary": "done"},
            "metadata": {"tokens_input": 100, "tokens_output": 20},
        },
    )
    clock.advance(minutes=30)

    done = await call(
        "complete_mission",
        {
            "mission_id": mission,
            "status": "completed",
            "summary": "All in",
            "achievements": ["JWT"],
            "limitations": ["no OAuth"],
        },
    )

    assert done["status"] == "completed"
    assert (done["summary"], done["achievements"], done["limitations"]) == ("All in", ["JWT"], ["no OAuth"])
    metrics = done["metrics"]
    assert (metrics["total_phases"], metrics["total_tasks"], metrics["files_changed"]) == (1, 1, 0)
    assert round(metrics["total_duration_seconds"]) == round(metrics["duration"]) == 3600
    assert metrics["total_duration_minutes"] == 60
    assert round(metrics["task_seconds"]) == 1800
    assert (metrics["tokens_input"], metrics["tokens_output"]) == (100, 20)


async def test_a_mission_with_open_tasks_cannot_be_completed_and_names_them(call):
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "half done", "goal": "g"})

    with pytest.raises(InvalidState) as caught:
        await call("complete_mission", {"mission_id": mission, "status": "completed", "summary": "s"})

    assert task["task_id"] in caught.value.message
    assert "half done" in caught.value.message
    assert caught.value.details["open_tasks"] == [task["task_id"]]


@pytest.mark.parametrize(("outcome", "shown"), [("failed", "FAILED"), ("partial", "COMPLETED")])
async def test_ending_otherwise_skips_open_tasks_and_says_so(call, outcome, shown):
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "half done", "goal": "g"})

    done = await call("complete_workflow", {"workflow_id": mission, "status": outcome, "summary": "s"})

    assert done["status"] == outcome
    assert any(task["task_id"] in warning for warning in done["warnings"])
    found = await call("get_context", {"mission_id": mission, "include": ["tasks", "phase_summary"]})
    assert [row["status"] for row in found["tasks"]] == ["SKIPPED"]
    assert found["mission_status"] == shown
    assert found["phase_summary"][0]["status"] == shown


async def test_completing_twice_with_the_same_words_answers_the_same(call, clock):
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    ending = {"mission_id": mission, "status": "partial", "summary": "s"}
    first = await call("complete_mission", ending)
    clock.advance(hours=1)

    assert await call("complete_mission", ending) == first
    with pytest.raises(InvalidState, match="is completed and cannot become failed"):
        await call("complete_mission", {**ending, "status": "failed"})


async def test_a_completed_mission_takes_no_new_work(call):
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    await call("complete_mission", {"mission_id": mission, "status": "completed", "summary": "s"})

    with pytest.raises(InvalidState):
        await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    with pytest.raises(InvalidState):
        await call("start_phase", {"workflow_id": mission, "number": 1, "name": "p"})


async def test_an_unknown_mission_is_not_found_and_a_wrong_kind_of_id_says_which_kind_it_is(call):
    with pytest.raises(NotFound, match="m_0000000000"):
        await call("complete_mission", {"mission_id": "m_0000000000", "status": "failed", "summary": "s"})
    with pytest.raises(InvalidInput, match="is the id of a task, not a mission id"):
        await call("complete_mission", {"mission_id": "t_0000000000", "status": "failed", "summary": "s"})


async def test_both_words_for_the_id_are_understood(call):
    mission = (await call("start_workflow", {"name": "x", "objective": "y"}))["workflow_id"]

    found = await call("get_context", {"workflow_id": mission, "include": ["tasks"]})
    done = await call("complete_mission", {"workflow_id": mission, "status": "completed", "summary": "s"})

    assert found["workflow_name"] == found["mission_name"] == "x"
    assert done["workflow_id"] == mission
