"""Completion without proof: when a result has nothing to be checked with, and when its checks may be skipped."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


@pytest.mark.parametrize("status", ["partial_success", "failed"])
async def test_a_partial_success_and_a_failure_run_no_checks(checked, signals, status):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()

    done = await checked.report(task, status=status)

    assert done["status"] == status
    assert signals.notes("runs") == []
    assert (await checked.row(task)).proof_state == ("unproved" if status == "partial_success" else None)


async def test_a_task_that_changed_nothing_has_nothing_to_check_and_says_so(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.start()

    done = await checked.report(task)

    assert (done["status"], done["evidence"]["state"]) == ("success", "unproved")
    assert "nothing changed" in done["evidence"]["reason"]
    assert signals.notes("runs") == []


async def test_without_a_required_check_nothing_is_proved(checked, signals):
    await checked.check({"name": "nice", "run": signals.note("runs"), "required": False})
    task = await checked.started()

    done = await checked.report(task)

    assert (done["evidence"]["state"], signals.notes("runs")) == ("unproved", ["x"])
    assert "no required check" in done["evidence"]["reason"]


async def test_a_check_that_is_not_required_may_fail(checked):
    await checked.check("test -f src/new.py", {"name": "nice", "run": "test ! -f src/new.py", "required": False})
    task = await checked.started()

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    assert [(each["name"], each["state"]) for each in done["evidence"]["checks"]] == [
        ("test -f src/new.py", "passed"),
        ("nice", "failed"),
    ]


async def test_a_mission_without_checks_completes_tasks_unproved(checked):
    done = await checked.report(await checked.started())

    assert done["evidence"]["state"] == "unproved"


async def test_unproved_is_refused_before_the_checks_had_a_chance(checked):
    await checked.check("true")
    task = await checked.started()

    error = await checked.refused(task, unproved=True)

    assert (error["code"], error["http_status"]) == ("INVALID_STATE", 409)
    assert str((await checked.row(task)).status) == "in_progress"


async def test_unproved_is_refused_after_a_failure(checked):
    await checked.check("test ! -f src/new.py")
    task = await checked.started()
    await checked.refused(task)

    error = await checked.refused(task, unproved=True)

    assert "one of its checks failed" in error["message"]


async def test_unproved_is_refused_while_checks_run(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)

    assert (await checked.refused(task, unproved=True))["code"] == "INVALID_STATE"
    await signals.reached("slow")
    await signals.let_through("slow")
    await checked.until_status(task, "completed")


async def test_a_failure_is_not_left_behind_by_making_the_next_round_void(checked, signals):
    """An agent that edits under its checks gets no answer; that must not excuse the failure before."""
    command = f"grep -q failing src/new.py && exit 1; {signals.pause('slow')}"
    await checked.check({"name": "unit", "run": command})
    task = await checked.started()
    checked.write("src/new.py", "failing\n")
    start_tree = asyncio.create_task(checked.refused(task))
    await signals.reached("slow")
    await signals.let_through("slow")
    assert (await start_tree)["code"] == "CHECKS_FAILED"
    checked.write("src/new.py", "hidden\n")
    void = asyncio.create_task(checked.refused(task))
    for turn in range(2):
        await signals.reached("slow")
        checked.write("src/new.py", f"{turn}\n")
        await signals.let_through("slow")
    error = await void

    assert error["code"] == "CHECKS_VOID"
    assert "cannot be completed unproved" in error["hint"]
    assert "one of its checks failed" in (await checked.refused(task, unproved=True))["message"]
    assert (await checked.row(task)).proof_state == "failing"


async def test_a_failure_next_to_a_void_check_is_not_skipped(checked, signals):
    await checked.check(
        {"name": "wrong", "run": "test ! -f src/new.py"}, {"name": "slow", "run": signals.pause("slow")}
    )
    task = await checked.started()
    reporting = asyncio.create_task(checked.refused(task))
    for turn in range(2):
        await signals.reached("slow")
        checked.write("src/new.py", f"{turn}\n")
        await signals.let_through("slow")
    assert (await reporting)["code"] == "CHECKS_VOID"

    assert "one of its checks failed" in (await checked.refused(task, unproved=True))["message"]


async def test_a_task_without_a_tree_cannot_be_checked(checked, call):
    made = await call("start_mission", {"name": "N", "objective": "o"})
    await call("checks_set", {"scope": "mission", "id": made["mission_id"], "checks": ["true"]})
    task = (await call("start_task", {"mission_id": made["mission_id"], "name": "t", "goal": "g"}))["task_id"]

    assert (await checked.refused(task, unproved=True))["code"] == "INVALID_STATE"
    error = await checked.refused(task)

    assert (error["code"], error["http_status"]) == ("CHECKS_ERROR", 409)
    assert "no working tree is known" in error["message"]
    assert "unproved: true" in error["hint"]
    (item,) = await checked.items("checks")
    assert item["subject"].startswith("The tree cannot be checked: no working tree is known")
    assert str((await checked.row(task)).status) == "in_progress"
    assert (await checked.report(task, unproved=True))["evidence"]["state"] == "unproved"


async def test_a_tree_that_is_gone_is_an_error_that_may_be_skipped(checked, repository):
    await checked.check("true")
    task = await checked.started()
    shutil.rmtree(repository)

    error = await checked.refused(task)

    assert error["code"] == "CHECKS_ERROR"
    assert str(repository.parent) not in str(error["details"])
    assert any("could not be checked" in line for line in await checked.journal(task))
    assert (await checked.report(task, unproved=True))["evidence"]["state"] == "unproved"
    assert len(await checked.items("review")) == 1


async def test_a_failing_report_still_gates_when_the_tree_is_gone(checked, repository):
    await checked.check("test ! -f src/new.py")
    task = await checked.started()
    await checked.refused(task)
    shutil.rmtree(repository)

    assert (await checked.refused(task))["code"] == "CHECKS_ERROR"
    assert "one of its checks failed" in (await checked.refused(task, unproved=True))["message"]


async def test_child_tasks_skip_the_checks_of_their_mission(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    parent = await checked.start(name="parent")
    child = await checked.started(name="child", parent_task_id=parent)

    assert (await checked.report(child))["evidence"]["state"] == "unproved"
    assert signals.notes("runs") == []
    assert (await checked.report(parent))["evidence"]["state"] == "proved"
    assert signals.notes("runs") == ["x"]


async def test_a_paused_task_passes_through_work_in_progress(checked, make_agent):
    ada = await make_agent("ada")
    await checked.check("test -f src/new.py")
    task = await checked.started(agent_id=ada)
    await checked.call("task_update_status", {"id": task, "status": "blocked", "error": "no key", "agent_id": ada})

    done = await checked.report(task, agent_id=ada)

    assert done["evidence"]["state"] == "proved"
    assert await checked.items() == []


async def test_a_phase_is_completed_with_its_task_and_not_before(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    told = await checked.report(task, phase_complete=True)
    assert told["phase_status"] == "in_progress"
    await signals.reached("slow")
    await signals.let_through("slow")

    await checked.until_status(task, "completed")

    assert str((await checked.read(lambda tx: tx.phases.get(tx.tasks.get(task).phase_id))).status) == "completed"
