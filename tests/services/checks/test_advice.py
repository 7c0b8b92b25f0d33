"""Asking for checks: as advice before a report, and as a long poll after it."""

from __future__ import annotations

import asyncio

import pytest

from mission.domain.errors import NotFound, NotOwner
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


async def test_advice_runs_the_checks_and_changes_nothing_about_the_task(checked):
    await checked.check(
        "test -f src/new.py", {"name": "wrong", "run": "test ! -f src/new.py && exit 0; echo why; exit 1"}
    )
    task = await checked.started()
    before = await checked.row(task)

    asked = await checked.call("task_checks", {"task_id": task, "run": True})

    assert (asked["state"], asked["status"].lower()) == ("failed", "in_progress")
    by_name = {each["name"]: each for each in asked["checks"]}
    assert by_name["test -f src/new.py"]["state"] == "passed"
    assert (by_name["wrong"]["state"], by_name["wrong"]["output"]) == ("failed", "why\n")
    assert await checked.row(task) == before


async def test_a_task_that_was_never_checked_lists_its_checks(checked):
    await checked.check("true")
    task = await checked.start()

    asked = await checked.call("task_checks", {"task_id": task})

    assert (asked["state"], [each["state"] for each in asked["checks"]]) == ("none", ["not_run"])


async def test_a_task_without_checks_or_a_tree_has_nothing_to_run(checked, call):
    made = await call("start_mission", {"name": "N", "objective": "o"})
    task = (await call("start_task", {"mission_id": made["mission_id"], "name": "t", "goal": "g"}))["task_id"]

    assert (await call("task_checks", {"task_id": task, "run": True}))["state"] == "none"
    assert (await call("task_checks", {"task_id": await checked.start(), "run": True}))["state"] == "none"


async def test_a_long_poll_returns_when_the_checks_have_ended(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")
    polling = asyncio.create_task(checked.call("task_checks", {"task_id": task, "wait_seconds": 50}))
    running = await checked.call("task_checks", {"task_id": task, "wait_seconds": 0})
    await signals.let_through("slow")

    asked = await polling

    assert (running["state"], running["status"]) == ("running", "checking")
    assert (asked["state"], asked["status"].lower()) == ("passed", "success")


async def test_asking_to_run_while_a_report_is_checked_joins_it(checked, signals):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")

    asked = await checked.call("task_checks", {"task_id": task, "run": True, "wait_seconds": 0})

    assert asked["state"] == "running"
    assert len(await checked.rounds(task)) == 1
    await signals.let_through("slow")
    await checked.until_status(task, "completed")
    assert signals.notes("runs") == ["x"]


async def test_a_report_uses_the_advice_that_is_under_way(checked, signals):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True, "wait_seconds": 0})
    await signals.reached("slow")
    reporting = asyncio.create_task(checked.report(task))
    await checked.until(lambda: _rounds(checked, task, 2))
    await signals.let_through("slow")

    done = await reporting

    assert (done["evidence"]["state"], signals.notes("runs")) == ("proved", ["x"])
    advice, report = await checked.evidence(task)
    assert report.reused_from == advice.id


async def _rounds(checked, task, number):
    return len(await checked.rounds(task)) == number


async def test_only_the_owner_of_a_task_runs_its_checks(checked, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await checked.check("true")
    task = await checked.started(agent_id=ada)

    with pytest.raises(NotOwner):
        await checked.call("task_checks", {"task_id": task, "run": True, "agent_id": bob})

    assert (await checked.call("task_checks", {"task_id": task, "agent_id": bob}))["state"] == "none"


async def test_an_unknown_task_is_not_found(checked):
    with pytest.raises(NotFound):
        await checked.call("task_checks", {"task_id": "t_aaaaaaaaaa"})
