"""The gate of a run: every completing report becomes a candidate, and the call waits for the merge."""

from __future__ import annotations

import asyncio

import pytest

from mission.domain.errors import InvalidState, NotOwner
from mission.services.runs.merging.submission import RunGate
from tests.merged_runs import merged as merged


def test_the_gateway_uses_the_gate_of_runs(app):
    assert isinstance(app.gateway._ports.checks.gate, RunGate)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("complete_task", {"task_id": None, "status": "success", "outcome": {"summary": "done"}}),
        ("complete_task", {"task_id": None, "status": "partial_success", "outcome": {"summary": "half"}}),
        ("task_update_status", {"id": None, "status": "completed", "outcome": "done"}),
    ],
    ids=["complete_task", "partial success", "task_update_status"],
)
async def test_every_completing_call_is_completed_only_by_its_merge(merged, tool, arguments):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    given = {name: task if value is None else value for name, value in arguments.items()}

    await merged.driven(merged.call(tool, given))

    assert await merged.states(task) == ["merged"]
    row = await merged.row(task)
    assert (str(row.status), str(row.proof_state)) == ("completed", "proved")


async def test_a_report_that_is_not_merged_in_time_is_checking_and_task_checks_waits_for_it(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    merged.call.app.gateway._ports.checks.gate.wait_seconds = 0.05

    waiting = await merged.call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "done"}})

    assert (waiting["status"], waiting["evidence"]["state"]) == ("checking", "running")
    assert "task_checks" in waiting["evidence"]["next"]
    row = await merged.row(task)
    assert (str(row.status), row.hold.kind, row.lease_until) == ("review", "checks", None)
    found = await merged.driven(merged.call("task_checks", {"task_id": task}))
    assert (found["status"], found["state"]) == ("SUCCESS", "passed")


async def test_task_checks_gives_advice_on_the_agents_own_tree_before_the_report(merged):
    await merged.check("test -f a.txt")
    task = await merged.task("add")

    before = await merged.call("task_checks", {"task_id": task, "run": True})
    merged.write(task, "a.txt")
    after = await merged.call("task_checks", {"task_id": task, "run": True})

    assert (before["state"], after["state"]) == ("failed", "passed")
    assert await merged.candidates(task) == []


async def test_a_repeated_report_joins_the_open_candidate_and_its_words_count(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    first = await merged.submit(task)

    again = await merged.submit(task, outcome={"summary": "in other words"})
    await merged.settle()

    assert again.id == first.id
    assert (await merged.row(task)).outcome["summary"] == "in other words"


async def test_two_reports_at_once_make_one_candidate(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    given = {"task_id": task, "status": "success", "outcome": {"summary": "done"}}

    one, two = await merged.driven(
        asyncio.gather(merged.call("complete_task", given), merged.call("complete_task", given))
    )

    assert one["evidence"]["state"] == two["evidence"]["state"] == "proved"
    assert len(await merged.candidates(task)) == 1


async def test_a_repeated_report_of_a_merged_task_gets_the_same_answer(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})
    done = await merged.report(task)

    assert await merged.report(task) == done
    assert len(await merged.candidates(task)) == 1


async def test_unproved_is_refused_in_a_run(merged):
    task = await merged.task("add", {"a.txt": "a\n"})

    with pytest.raises(InvalidState, match="part of a run"):
        await merged.call(
            "complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "x"}, "unproved": True}
        )

    assert await merged.candidates(task) == []


async def test_a_reported_failure_makes_no_candidate(merged):
    task = await merged.task("add", {"a.txt": "a\n"})

    await merged.call("complete_task", {"task_id": task, "status": "failed", "outcome": {"summary": "cannot"}})

    assert (str((await merged.row(task)).status), await merged.candidates(task)) == ("failed", [])


async def test_another_agent_does_not_report_for_the_owner(merged, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.begin(task, agent_id=ada)

    with pytest.raises(NotOwner):
        await merged.call(
            "complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "x"}, "agent_id": bob}
        )


async def test_a_candidate_whose_task_was_skipped_is_withdrawn_and_not_merged(merged):
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.submit(task)
    await merged.call("task_update_status", {"id": task, "status": "skipped"})

    await merged.settle()

    assert await merged.states(task) == ["withdrawn"]
    assert await merged.merges() == []
