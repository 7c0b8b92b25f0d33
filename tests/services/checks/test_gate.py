"""The gate of a completion: evidence that is there, joined reports, and answers about rounds that ended."""

from __future__ import annotations

import asyncio

import pytest

from mission.domain.errors import InvalidState, NotOwner
from mission.services.checks import gate
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


async def test_a_report_with_evidence_completes_in_one_write_and_runs_nothing(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")}, {"name": "g", "changed": ["src/**"]})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})

    done = await checked.report(task)

    assert (done["evidence"]["state"], signals.notes("runs")) == ("proved", ["x"])
    (advice, report) = await checked.rounds(task)
    assert (str(advice.purpose), str(report.purpose), str(report.state)) == ("advice", "gate", "passed")


async def test_a_repeated_report_of_a_completed_task_gets_the_same_answer(checked):
    await checked.check("true")
    task = await checked.started()
    done = await checked.report(task)

    assert await checked.report(task) == done
    assert len(await checked.rounds(task)) == 1


async def test_two_reports_at_once_run_the_checks_once(checked, signals):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    reports = [asyncio.create_task(checked.report(task, summary=words)) for words in ("one", "two")]
    await signals.reached("slow")
    await checked.until(lambda: _joined(checked, task))
    await signals.let_through("slow")

    first, second = await asyncio.gather(*reports)

    assert first["evidence"]["state"] == second["evidence"]["state"] == "proved"
    assert signals.notes("runs") == ["x"]


async def _joined(checked, task):
    return (await checked.row(task)).is_checking


async def test_another_agent_does_not_join_a_report(checked, signals, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started(agent_id=ada)
    checked.wait_at_most(0.05)
    await checked.report(task, agent_id=ada)

    with pytest.raises(NotOwner):
        await checked.report(task, agent_id=bob)

    await signals.reached("slow")
    await signals.let_through("slow")
    await checked.until_status(task, "completed")


async def test_a_report_whose_task_was_taken_away_says_so(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    reporting = asyncio.create_task(checked.refused(task))
    await signals.reached("slow")
    await checked.call("task_update_status", {"id": task, "status": "skipped"})

    error = await reporting

    assert (error["code"], error["details"]["current"]) == ("INVALID_STATE", "skipped")


async def test_the_answer_about_a_withdrawn_round_is_no_success(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await checked.call("task_accept", {"task_id": task, "reason": "fine"})
    (round,) = await checked.rounds(task)

    with pytest.raises(InvalidState, match="changed while its checks ran"):
        await checked.call.app.database.read(gate.answer, round_id=round.id)


async def test_checks_that_are_set_while_a_task_is_completed_are_not_missed(checked, monkeypatch):
    """A report without checks that meets new ones at its end is refused, not completed without them."""
    task = await checked.started()
    trees = checked.call.app.trees
    changes = type(trees).changes

    async def slow_changes(self, *given, **more):
        found = await changes(self, *given, **more)
        await checked.check("true")
        return found

    monkeypatch.setattr(type(trees), "changes", slow_changes)

    error = await checked.refused(task)

    assert (error["code"], str((await checked.row(task)).status)) == ("CONFLICT", "in_progress")
