"""A person's answers about a run: each is carried out once, and changes the rows as was said."""

from __future__ import annotations

import pytest

from mission.domain.runs.steps import CarryOut, LookBefore
from mission.services.runs.lifecycle.decisions import parse_amounts
from mission.services.runs.view_reader import ProcessFacts, read_view
from tests.started_runs import runs as runs
from tests.started_runs import task


async def decided(call, runs, key, choice, *, text=""):
    """Ask, answer, and carry the answer out."""
    item = await runs.ask(key, choice)
    await call("queue_answer", {"id": item.id, "choice": 1, "text": text})
    return await runs.step(CarryOut(key=key, choice=choice))


async def test_going_ahead_starts_the_run_and_waives_what_is_red_on_the_base(call, runs):
    await runs.start(checks=[{"name": "lint", "run": "false"}, {"name": "unit", "run": "true"}])
    await runs.settled((await runs.step(LookBefore())).preflight["round_id"])

    run = await decided(call, runs, "preflight", "go")

    assert (run.state, run.unproved_allowed) == ("running", False)
    assert [(each["check"], each["by"]) for each in run.waivers] == [("lint", "operator")]


async def test_going_ahead_without_checks_lets_tasks_merge_unproved(call, runs):
    await runs.start(task("one"), checks=[])
    await runs.step(LookBefore())

    run = await decided(call, runs, "preflight", "go")

    assert (run.state, run.unproved_allowed, list(run.waivers)) == ("running", True, [])


@pytest.mark.parametrize("key", ["preflight", "budget", "stuck", "tip-red", "final", "client:codex", "task:t_1"])
async def test_stopping_is_an_answer_to_everything(call, runs, key):
    await runs.start()

    assert (await decided(call, runs, key, "stop")).state == "stopped"


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("40usd", {"usd": 40.0}),
        ("$ 40", {"usd": 40.0}),
        ("12.5", {"usd": 12.5}),
        ("2000000 tokens, 90 minutes", {"usd": 10.0, "tokens": 2_000_000, "minutes": 90.0}),
        ("", {"usd": 15.0}),
        ("as you like", {"usd": 15.0}),
    ],
)
async def test_a_budget_is_raised_as_far_as_a_person_says(call, runs, text, budget):
    await runs.running(budget={"usd": 10.0})

    run = await decided(call, runs, "budget", "raise", text=text)

    limits = {name: value for name, value in run.options["budget"].items() if value is not None}
    assert limits == budget
    assert run.options["finish_only"] is False


async def test_finishing_what_is_open_starts_nothing_new(call, runs):
    await runs.running(budget={"usd": 10.0})

    assert (await decided(call, runs, "budget", "finish")).options["finish_only"] is True


async def test_an_answer_is_carried_out_once(call, runs):
    await runs.running(budget={"usd": 10.0})
    await decided(call, runs, "budget", "raise")

    again = await runs.step(CarryOut(key="budget", choice="raise"))

    assert again.options["budget"]["usd"] == 15.0
    assert list(again.carried_out) == ["budget"]
    assert (await decided(call, runs, "budget", "raise")).options["budget"]["usd"] == 22.5


async def test_final_checks_are_repeated_or_accepted(call, runs):
    await runs.running()
    await runs.set(state="finishing", final={"commit": "c", "round_id": "cr_1", "repairs": ["t_1", "t_2"]})

    accepted = await decided(call, runs, "final", "finish")
    assert accepted.final["accepted"] == "operator"

    assert (await decided(call, runs, "final", "retry")).final is None


async def test_a_refused_landing_is_tried_again_or_left(call, runs):
    await runs.running()
    await runs.set(state="finishing", landing={"state": "asking", "target": "main"})

    assert (await decided(call, runs, "landing", "retry")).landing["state"] == "asked"
    assert (await decided(call, runs, "landing", "finish")).landing["state"] == "left"


async def test_unproved_results_may_be_let_through_later(call, runs):
    await runs.running()

    assert (await decided(call, runs, "unproved", "go")).unproved_allowed


async def test_without_an_answer_nothing_happens(runs):
    before = await runs.start() and await runs.run()

    assert await runs.step(CarryOut(key="preflight", choice="go")) == before


def test_amounts_are_read_from_words():
    assert parse_amounts("3", unit="launches") == {"launches": 3}
    assert parse_amounts("0usd") == {}
    assert parse_amounts("5 bananas") == {}


async def test_trying_again_after_a_red_tip_starts_merging_once(call, runs):
    await runs.running()
    await runs.set(merging_stopped="red")

    run = await decided(call, runs, "tip-red", "retry")
    assert run.merging_stopped is None

    await runs.set(merging_stopped="red again")
    view = await runs.read(lambda tx: read_view(tx, run_id=runs.id, facts=ProcessFacts()))
    assert "tip-red" not in view.decisions, "the answer was carried out, and the next red tip asks again"


async def test_a_client_is_launched_without_its_variables_if_a_person_says_so(call, runs):
    await runs.running()
    options = (await runs.run()).wanted.changed({"variables": {"codex": ["OPENAI_API_KEY"], "pi": ["PI_KEY"]}})
    await runs.set(options=options.as_dict())

    run = await decided(call, runs, "client:codex", "go")

    assert run.wanted.variables == {"pi": ["PI_KEY"]}
