"""Steering a run: pause, resume, stop and new options, and what is refused."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.plans.option_fields import OPTIONS
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.steps import LookBefore
from mission.services.runs.lifecycle import controls
from tests.checked_tasks import signals as signals
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import runs as runs
from tests.started_runs import task


async def test_a_run_is_paused_and_continues_where_it_was(call, runs, clock):
    await runs.running()

    paused = await call("run_pause", {"run_id": runs.id, "reason": "lunch"})
    assert (paused["state"], paused["reason"]) == ("paused", "lunch")
    assert (await call("run_pause", {"run_id": runs.id}))["reason"] == "lunch"
    clock.advance(minutes=5)

    assert (await call("run_resume", {"mission_id": runs.mission_id}))["state"] == "running"
    assert (await runs.run()).paused_seconds == pytest.approx(300, abs=1)
    assert (await call("run_resume", {"run_id": runs.id}))["state"] == "running"


@pytest.mark.parametrize(("state", "after"), [("ready", "ready"), ("finishing", "running")])
async def test_a_run_is_resumed_in_the_state_from_which_it_can_go_on(call, runs, state, after):
    await runs.start()
    await runs.set(state=state)
    await call("run_pause", {"run_id": runs.id})

    assert (await call("run_resume", {"run_id": runs.id}))["state"] == after


async def test_a_stopped_run_withdraws_results_and_questions_and_frees_its_tasks(call, runs, fake_executions):
    await runs.running(task("one"), task("two"))
    ids = {name: row.id for name, row in (await runs.tasks()).items()}
    made = await fake_executions.launch(ids["one"])
    await fake_executions.start(made.execution.id)
    await fake_executions.end(made.execution.id, "failed")
    candidate = await runs.candidate("two", state=CandidateState.QUEUED)
    item = await runs.ask("budget", "raise", "stop")

    answer = await call("run_stop", {"mission_id": runs.mission_id, "reason": "enough"})

    assert (answer["state"], answer["reason"]) == ("stopped", "enough")
    assert (await runs.run()).ended_at is not None
    assert (await runs.read(lambda tx: tx.candidates.get(candidate.id))).state is CandidateState.WITHDRAWN
    assert (await runs.read(lambda tx: tx.inbox.get(item.id))).state == "dismissed"
    assert {str(row.status) for row in (await runs.tasks()).values()} == {"pending"}
    assert (await call("run_stop", {"run_id": runs.id}))["reason"] == "enough"


async def test_a_stopped_run_asks_its_agents_to_end(runs, fake_executions):
    await runs.running()
    id = (await runs.tasks())["one"].id
    made = await fake_executions.launch(id)
    await fake_executions.start(made.execution.id)

    run, live = await runs.write(lambda tx: controls.stop_run(tx, run_id=runs.id, reason="enough"))

    assert [each.id for each in live] == [made.execution.id]
    commands = await runs.read(lambda tx: tx.commands.pending_of(made.execution.id))
    assert [str(each.kind) for each in commands] == ["stop"]
    assert (await runs.tasks())["one"].status == "in_progress"
    await fake_executions.end(made.execution.id, "stopped")
    await runs.write(lambda tx: controls.release_tasks(tx, run_id=run.id))
    assert (await runs.tasks())["one"].status == "pending"


async def test_a_task_whose_agent_asked_is_pending_again_when_the_run_stops(call, runs, fake_executions):
    await runs.running()
    id = (await runs.tasks())["one"].id
    made = await fake_executions.launch(id)
    await fake_executions.start(made.execution.id)
    await fake_executions.signal(made.execution.id, "e1", "needs_input", question="Which port?")
    await fake_executions.end(made.execution.id, "completed")

    await call("run_stop", {"run_id": runs.id})

    row = (await runs.tasks())["one"]
    assert (str(row.status), row.hold, row.owner_id) == ("pending", None, None)
    assert (await call("queue_list", {"mission_id": runs.mission_id}))["total"] == 0


async def test_checks_under_way_end_with_the_run(call, runs, signals):
    await runs.start(checks=[{"name": "slow", "run": f"{signals.pause('slow')}"}])
    run = await runs.step(LookBefore())
    await signals.reached("slow")

    await call("run_stop", {"run_id": runs.id})

    round = await runs.settled(run.preflight["round_id"])
    assert round.state == "withdrawn"


@pytest.mark.parametrize("tool", ["run_pause", "run_resume", "run_update"])
async def test_a_run_that_has_ended_is_not_steered(call, runs, tool):
    await runs.start()
    await call("run_stop", {"run_id": runs.id})

    with pytest.raises(InvalidState, match=f"run {runs.id} is stopped and cannot be"):
        await call(tool, {"run_id": runs.id})


async def test_a_finished_run_cannot_be_stopped(call, runs):
    await runs.start()
    await runs.set(state="finished")

    with pytest.raises(InvalidState, match="is finished"):
        await call("run_stop", {"run_id": runs.id})


async def test_options_change_and_others_stay(call, runs):
    await runs.start(budget={"usd": 3.0, "minutes": 5})

    shown = await call(
        "run_update", {"run_id": runs.id, "budget": {"usd": 20}, "max_parallel": 2, "target": "main", "land": True}
    )

    assert (shown["budget"]["usd"], shown["budget"]["minutes"]) == (20.0, 5.0)
    assert (shown["options"]["max_parallel"], shown["options"]["land"]) == (2, True)
    assert (shown["target"], shown["agents"][0]["client"]) == ("main", "command")


async def test_a_raised_budget_answers_the_question_about_it(call, runs, fake_executions):
    await runs.running(budget={"launches": 1})
    await fake_executions.launch((await runs.tasks())["one"].id)
    item = await runs.ask("budget", "raise", "stop")
    await call("run_update", {"run_id": runs.id, "attempts": 2})
    assert (await runs.read(lambda tx: tx.inbox.get(item.id))).is_open

    await call("run_update", {"run_id": runs.id, "budget": {"launches": 9}})

    assert not (await runs.read(lambda tx: tx.inbox.get(item.id))).is_open


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"agents": [{"client": "nobody"}]}, "'nobody' is not a known client"),
        ({"budget": {"tokens": 0}}, "tokens"),
        ({"stall_minutes": 0}, "stall_minutes"),
        ({"target": "a b"}, "not the name of a branch"),
        ({"review": "agent"}, "not available yet"),
    ],
)
async def test_wrong_options_change_nothing(call, runs, wrong, words):
    await runs.start()
    before = await runs.run()

    with pytest.raises(InvalidInput, match=words):
        await call("run_update", {"run_id": runs.id, **wrong})

    assert await runs.run() == before


OPTION_VALUES = {
    "max_parallel": 2,
    "overlap": "allow",
    "attempts": 5,
    "revisions": 0,
    "retry_minutes": [2.0],
    "stall_minutes": 3.0,
    "tool_minutes": 30.0,
    "target": "main",
    "land": True,
    "squash": True,
    "regenerate": {"*.lock": "make lock"},
    "setup_inputs": ["*.lock"],
    "budget": {"usd": 3.0, "per_task": {"minutes": 5.0}},
}


async def test_a_plan_the_start_and_an_update_take_the_same_names(call, runs):
    assert OPTION_VALUES.keys() == OPTIONS.keys()

    def shown(run):
        given = {**run["options"], "target": run["target"]}
        budget = {name: limit for name, limit in run["budget"].items() if limit is not None}
        budget["per_task"] = {name: limit for name, limit in budget["per_task"].items() if limit is not None}
        return {**{name: given[name] for name in OPTION_VALUES if name != "budget"}, "budget": budget}

    await runs.start(**OPTION_VALUES)
    assert shown(await runs.get()) == OPTION_VALUES

    await runs.start(name="other")
    updated = await call("run_update", {"run_id": runs.id, **OPTION_VALUES})
    assert shown(updated) == OPTION_VALUES

    given = {"plan": runs.plan(name="third"), "folder": str(runs.repository), **OPTION_VALUES}
    runs.id = (await call("run_start", given))["run_id"]
    assert shown(await runs.get()) == OPTION_VALUES
