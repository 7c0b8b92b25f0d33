"""Tasks of a plan: plan, move, replan, read, with the truth about what they changed."""

from __future__ import annotations

import pytest

from mission.domain.errors import IllegalMove, InvalidInput, InvalidState, NotOwner
from tests.tools.conftest import planned

PLAN = {"approach": "test first", "steps": ["red", "green"], "files_to_modify": ["a.py"], "context_needed": ["README"]}


async def status_of(call, task_id):
    return (await call("task_get", {"id": task_id}))["status"]


async def test_a_fresh_task_is_read_whole(call, make_workflow):
    id, tasks = await make_workflow(planned("a", files_likely_affected=["src/a.py"]))

    found = await call("task_get", {"id": tasks["a"]})

    assert found == {
        "id": tasks["a"],
        "workflow_id": id,
        "name": "a",
        "description": "do a",
        "status": "pending",
        "state": "ready",
        "sequence": 1,
        "parallel_group": None,
        "depends_on": [],
        "requires": [],
        "estimated_complexity": None,
        "files_likely_affected": ["src/a.py"],
        "plan": None,
        "context": None,
        "outcome": None,
        "outcome_detail": None,
        "error": None,
        "hold": None,
        "workspace_id": None,
        "assigned_agent_id": None,
        "claimed_at": None,
        "lease_until": None,
        "fence": 0,
        "attempts": 0,
        "failed_attempts": 0,
        "files_changed": None,
        "created_at": found["created_at"],
        "updated_at": found["updated_at"],
    }


async def test_a_plan_moves_a_waiting_task_to_planning_and_leaves_a_checkpoint(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await call("task_set_plan", {"id": tasks["a"], "plan": PLAN, "context": {"branch": "x"}})
    await call("task_set_plan", {"id": tasks["a"], "plan": PLAN | {"approach": "later"}, "context": {"port": 1}})

    found = await call("task_get", {"id": tasks["a"], "include_checkpoints": True})
    last = await call("task_get", {"id": tasks["a"], "include_checkpoints": True, "checkpoint_limit": 1})

    assert (found["status"], found["context"]) == ("planning", {"branch": "x", "port": 1})
    assert found["plan"] == PLAN | {"approach": "later", "files_to_create": []}
    assert [(each["type"], each["summary"]) for each in found["checkpoints"]] == [
        ("plan", "test first"),
        ("plan", "later"),
    ]
    assert last["checkpoints"] == found["checkpoints"][-1:]


async def test_an_ended_task_takes_no_plan(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "skipped"})

    with pytest.raises(InvalidState, match="skipped"):
        await call("task_set_plan", {"id": tasks["a"], "plan": PLAN})
    with pytest.raises(InvalidState, match="skipped"):
        await call("task_replan", {"id": tasks["a"], "reason": "r", "new_plan": PLAN})


@pytest.mark.parametrize("way", ["planning", "in_progress", "set_plan", "claim", "start_task"])
async def test_a_task_that_waits_for_others_cannot_be_begun_by_any_way(call, make_workflow, make_agent, way):
    _, tasks = await make_workflow(planned("a"), planned("b", after=["a"]))
    calls = {
        "set_plan": ("task_set_plan", {"id": tasks["b"], "plan": PLAN}),
        "claim": ("task_claim", {"task_id": tasks["b"], "agent_id": await make_agent()}),
        "start_task": ("start_task", {"task_id": tasks["b"]}),
    }

    with pytest.raises(InvalidState) as caught:
        await call(*calls.get(way, ("task_update_status", {"id": tasks["b"], "status": way})))

    assert f"{tasks['a']} 'a'" in caught.value.message
    assert caught.value.details["waiting_for"] == [tasks["a"]]


async def test_dependencies_are_told_with_their_outcomes(call, make_workflow):
    _, tasks = await make_workflow(planned("a"), planned("b"), planned("s"), planned("c", after=["a", "b", "s"]))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "built"})
    await call("task_update_status", {"id": tasks["s"], "status": "skipped"})

    found = await call("task_check_dependencies", {"task_id": tasks["c"]})

    assert found == {
        "satisfied": False,
        "pending": [{"id": tasks["b"], "name": "b", "status": "pending"}],
        "completed": [
            {"id": tasks["a"], "name": "a", "outcome": "built"},
            {"id": tasks["s"], "name": "s", "outcome": "skipped"},
        ],
    }
    assert (await call("task_check_dependencies", {"task_id": tasks["a"]}))["satisfied"] is True


async def test_moving_a_task_takes_the_snapshot_and_computes_the_changes(call, make_workflow, repository):
    call.directory = str(repository)
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    (repository / "new.txt").write_text("x")

    await call(
        "task_update_status",
        {"id": tasks["a"], "status": "completed", "outcome": "did it", "outcome_detail": {"tests": 3}},
    )
    found = await call("task_get", {"id": tasks["a"]})

    assert found["files_changed"] == {"added": ["new.txt"], "modified": [], "deleted": [], "renamed": []}
    assert (found["status"], found["outcome"], found["outcome_detail"]) == ("completed", "did it", {"tests": 3})
    assert (found["attempts"], found["error"]) == (1, None)


async def test_completed_wants_an_outcome_and_failed_an_error(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))

    for status, field in (("completed", "outcome"), ("failed", "error")):
        with pytest.raises(InvalidInput, match=f"{field} is required") as caught:
            await call("task_update_status", {"id": tasks["a"], "status": status})
        assert caught.value.details["field"] == field


async def test_an_illegal_move_names_the_legal_ones(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))

    with pytest.raises(IllegalMove) as caught:
        await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "x"})

    assert caught.value.details["legal"] == ["planning", "in_progress", "skipped"]


async def test_a_planned_task_may_be_completed_without_being_started(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "planning"})

    await call("task_update_status", {"id": tasks["a"], "status": "completed", "outcome": "nothing to do"})

    assert await status_of(call, tasks["a"]) == "completed"


async def test_a_reported_block_is_a_hold_that_ends_with_work(call, make_workflow, make_agent):
    agent = await make_agent()
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": agent})
    await call("task_update_status", {"id": tasks["a"], "status": "blocked", "error": "no key", "agent_id": agent})

    held = await call("task_get", {"id": tasks["a"]})
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": agent})

    assert (held["status"], held["hold"]) == ("blocked", {"kind": "blocked", "reason": "no key", "by": agent})
    assert (await call("task_get", {"id": tasks["a"]}))["hold"] is None
    await call("task_update_status", {"id": tasks["a"], "status": "paused", "agent_id": agent})
    assert await status_of(call, tasks["a"]) == "paused"
    await call("task_update_status", {"id": tasks["a"], "status": "blocked", "error": "again", "agent_id": agent})
    assert await status_of(call, tasks["a"]) == "blocked"


async def test_a_failed_task_is_replanned_and_waits_again(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    await call("task_update_status", {"id": tasks["a"], "status": "failed", "error": "boom"})
    failed = await call("task_get", {"id": tasks["a"]})

    replanned = await call("task_replan", {"id": tasks["a"], "reason": "too big", "new_plan": PLAN})
    found = await call("task_get", {"id": tasks["a"], "include_checkpoints": True})

    assert (failed["status"], failed["error"], failed["outcome"]) == ("failed", "boom", None)
    assert (found["status"], found["attempts"], found["plan"]["approach"]) == ("pending", 1, "test first")
    assert [(each["id"], each["type"], each["summary"]) for each in found["checkpoints"]] == [
        (replanned["checkpoint_id"], "replan", "too big")
    ]
    assert replanned["checkpoint_id"].startswith("cp_")
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
    assert (await call("task_get", {"id": tasks["a"]}))["attempts"] == 2


async def test_replanning_work_in_progress_is_another_attempt(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})

    await call("task_replan", {"id": tasks["a"], "reason": "r", "new_plan": PLAN})

    found = await call("task_get", {"id": tasks["a"]})
    assert (found["status"], found["attempts"]) == ("in_progress", 2)


async def test_a_second_failure_with_the_same_words_is_a_failure_of_its_own(call, make_workflow):
    _, tasks = await make_workflow(planned("a"))
    for attempt in (1, 2):
        await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})
        await call("task_update_status", {"id": tasks["a"], "status": "failed", "error": "boom"})

        found = await call("task_get", {"id": tasks["a"]})
        assert (found["status"], found["attempts"]) == ("failed", attempt)


async def test_the_operator_moves_a_task_without_taking_it_from_its_owner(call, make_workflow, make_agent):
    agent = await make_agent()
    _, tasks = await make_workflow(planned("a"))
    claimed = await call("task_claim", {"task_id": tasks["a"], "agent_id": agent})

    await call("task_update_status", {"id": tasks["a"], "status": "in_progress"})

    found = await call("task_get", {"id": tasks["a"]})
    assert (found["assigned_agent_id"], found["fence"]) == (agent, claimed["fence"])


async def test_an_agent_that_begins_a_free_task_owns_it(call, make_workflow, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    _, tasks = await make_workflow(planned("a"), planned("b"))
    await call("task_set_plan", {"id": tasks["a"], "plan": PLAN, "agent_id": ada})
    await call("task_update_status", {"id": tasks["b"], "status": "in_progress", "agent_id": ada})

    for task in tasks.values():
        found = await call("task_get", {"id": task})
        assert (found["assigned_agent_id"], found["fence"]) == (ada, 1)
        with pytest.raises(NotOwner) as caught:
            await call("task_update_status", {"id": task, "status": "pending", "agent_id": bob})
        assert caught.value.details["owner_id"] == ada
