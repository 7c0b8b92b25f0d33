"""The driver of rounds: turns, commands that nobody needs any more, and what a new process finds."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from mission.app import App
from mission.services.checks import progress
from tests.checked_tasks import CheckedMission, is_alive
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals
from tests.conftest import Front


def endless(signals, name="pid"):
    """Return a command that notes its process id and never ends by itself."""
    return f"echo $$ >> {signals.path(name)}; {signals.pause(name)}; exec sleep 1000"


async def running(signals, name="pid"):
    """Return the process id of an endless command once it runs."""
    await signals.reached(name)
    await signals.let_through(name)
    return int(signals.notes(name)[-1])


async def gone(checked, pid):
    async def ended():
        return not is_alive(pid)

    await checked.until(ended)


async def test_a_skipped_task_ends_the_commands_of_its_checks(checked, signals):
    await checked.check(endless(signals), {"name": "later", "run": signals.note("later")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    pid = await running(signals)

    await checked.call("task_update_status", {"id": task, "status": "skipped"})

    await gone(checked, pid)
    assert (await checked.until_settled(task)).state == "withdrawn"

    async def all_ended():
        return all(row.is_finished for row in await checked.evidence(task))

    await checked.until(all_ended)
    assert {(row.state, row.exit_code) for row in await checked.evidence(task)} == {("lost", None)}
    assert signals.notes("later") == []
    assert (await checked.row(task)).proof_state is None


async def test_a_running_check_costs_no_write_when_something_else_happens(app, checked, signals, monkeypatch):
    advanced = []
    advance = progress.advance
    monkeypatch.setattr(progress, "advance", lambda tx, **given: advanced.append(1) or advance(tx, **given))
    looked = []
    is_due = progress.is_due
    monkeypatch.setattr(progress, "is_due", lambda tx, **given: looked.append(1) or is_due(tx, **given))
    await checked.check(endless(signals))
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await running(signals)
    before = len(advanced)

    for number in range(3):
        await checked.call("log_milestone", {"task_id": await checked.started(), "message": f"at {number}"})
        seen = len(looked)
        app.checker.wake()

        async def has_looked(seen=seen):
            return len(looked) > seen

        await checked.until(has_looked)

    assert len(advanced) == before
    await checked.call("task_update_status", {"id": task, "status": "skipped"})
    assert (await checked.until_settled(task)).state == "withdrawn"


async def test_a_mission_that_ends_ends_the_commands_of_its_checks(checked, signals):
    await checked.check(endless(signals))
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    pid = await running(signals)

    await checked.call("complete_mission", {"mission_id": checked.id, "status": "partial", "summary": "no more"})

    await gone(checked, pid)
    assert (await checked.until_settled(task)).state == "withdrawn"
    assert (await checked.row(task)).proof_state is None


async def test_an_accepted_task_ends_the_commands_of_its_checks(checked, signals):
    await checked.check(endless(signals))
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    pid = await running(signals)

    done = await checked.call("task_accept", {"task_id": task, "reason": "I looked"})

    assert done["evidence"]["state"] == "accepted"
    await gone(checked, pid)
    assert (await checked.until_settled(task)).state == "withdrawn"


async def test_advice_about_a_task_that_ended_is_withdrawn(checked, signals):
    await checked.check(endless(signals))
    task = await checked.started()
    asked = await checked.call("task_checks", {"task_id": task, "run": True, "wait_seconds": 0})
    assert asked["state"] == "running"
    pid = await running(signals)

    await checked.report(task, status="failed")

    await gone(checked, pid)
    assert (await checked.until_settled(task)).state == "withdrawn"


async def test_a_check_that_had_to_wait_never_answers_for_a_tree_it_did_not_see(checked, signals):
    """The first check is void, so the second is queued for a tree that is gone: it must not pass for that."""
    first = f"{signals.pause('first')}"
    await checked.check({"name": "first", "run": first}, {"name": "second", "run": "grep -q edited src/new.py"})
    task = await checked.started()
    reporting = asyncio.create_task(checked.report(task))
    await signals.reached("first")
    checked.write("src/new.py", "edited\n")
    await signals.let_through("first")
    await signals.reached("first")
    await signals.let_through("first")

    done = await reporting

    assert done["evidence"]["state"] == "proved"
    seconds = [row for row in await checked.evidence(task) if row.name == "second"]
    assert [(row.take, str(row.state)) for row in seconds] == [(1, "lost"), (2, "passed")]
    assert seconds[1].tree == done["evidence"]["tree"] != seconds[0].tree


async def test_a_parallel_check_of_the_tree_before_is_stopped(checked, signals):
    await checked.check(
        {"name": "first", "run": signals.pause("first"), "parallel": True},
        {
            "name": "second",
            "run": f"grep -q edited src/new.py || {{ {endless(signals)}; }}",
            "parallel": True,
        },
    )
    task = await checked.started()
    reporting = asyncio.create_task(checked.report(task))
    pid = await running(signals)
    await signals.reached("first")
    checked.write("src/new.py", "edited\n")
    await signals.let_through("first")
    await signals.reached("first")

    assert not is_alive(pid)
    await signals.let_through("first")
    assert (await reporting)["evidence"]["state"] == "proved"
    seconds = [row for row in await checked.evidence(task) if row.name == "second"]
    assert [(row.take, str(row.state)) for row in seconds] == [(1, "lost"), (2, "passed")]


async def test_two_missions_of_one_repository_take_turns(checked, signals, call, repository):
    """One check at a time for a repository; the mission that waited longest is next."""
    made = await call("start_mission", {"name": "N", "objective": "o", "repository_path": str(repository)})
    other = CheckedMission(call, repository, made["mission_id"])
    command = f"{signals.note('order', 'in-$WHO')}; {signals.pause('turn')}; {signals.note('order', 'out-$WHO')}"
    for mission, who in ((checked, "a"), (other, "b")):
        await mission.check(*({"name": f"{who}{n}", "run": command, "env": {"WHO": f"{who}{n}"}} for n in (1, 2)))
    tasks = [await checked.started(name="a"), await other.started(name="b", edited="src/b.py")]
    reports = [asyncio.create_task(each.report(task)) for each, task in zip((checked, other), tasks, strict=True)]
    for each, task in zip((checked, other), tasks, strict=True):
        await each.until(partial(each.evidence, task))  # both are in line before the first one ends
    for _ in range(4):
        await signals.reached("turn")
        await signals.let_through("turn")

    done = await asyncio.gather(*reports)

    order = signals.notes("order")
    assert [each["evidence"]["state"] for each in done] == ["proved", "proved"]
    assert [each[:2] for each in order] == ["in", "ou"] * 4
    assert order[0][3] != order[2][3] != order[4][3] != order[6][3]


async def test_checks_that_use_the_same_thing_never_overlap(checked, signals, call, tmp_path, git):
    """Other repositories run at the same time, unless both checks use one thing."""
    second = tmp_path / "second"
    git(tmp_path, "clone", "-q", str(checked.repository), str(second))
    made = await call("start_mission", {"name": "N", "objective": "o", "repository_path": str(second)})
    other = CheckedMission(call, second, made["mission_id"])
    command = f"{signals.note('order', 'in')}; {signals.pause('turn')}; {signals.note('order', 'out')}"
    for mission in (checked, other):
        await mission.check({"name": "db", "run": command, "uses": ["database"], "reuse": False})
    reports = [asyncio.create_task(each.report(await each.started())) for each in (checked, other)]
    for _ in range(2):
        await signals.reached("turn")
        await signals.let_through("turn")

    await asyncio.gather(*reports)

    assert signals.notes("order") == ["in", "out", "in", "out"]


async def test_a_check_keeps_its_turn_when_its_driver_stops(checked, signals, settings, clock, tmp_path, git):
    """Its command runs on; another check of the repository waits until it has ended."""
    await checked.check({"name": "slow", "run": f"{signals.pause('slow')}; {signals.note('order', 'slow')}"})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")
    await checked.call.app.checker.close()
    await checked.call.app.check_runner.leave()
    clock.advance(minutes=5)
    second = App(replace(settings, check_wait_seconds=0.05), role="a test", clock=clock)
    async with second.running(periodic=False):
        call = Front(second)
        made = await call("start_mission", {"name": "N", "objective": "o", "repository_path": str(checked.repository)})
        worktree = tmp_path / "worktree"
        git(checked.repository, "worktree", "add", "-q", str(worktree))
        other = CheckedMission(call, worktree, made["mission_id"])
        await other.check({"name": "quick", "run": signals.note("order", "quick")})
        quick = await other.started(name="q")
        assert (await other.report(quick))["status"] == "checking"
        assert signals.notes("order") == []
        await signals.let_through("slow")
        await other.until_status(quick, "completed")
        await other.until_status(task, "completed")
        assert signals.notes("order") == ["slow", "quick"]


async def test_the_next_process_continues_with_a_check_that_still_runs(checked, signals, settings, clock):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")
    await checked.call.app.checker.close()
    await checked.call.app.check_runner.leave()
    second = App(settings, role="a test", clock=clock)
    async with second.running(periodic=True):
        await signals.let_through("slow")
        await checked.until_status(task, "completed")

    assert signals.notes("runs") == ["x"]
    assert (await checked.row(task)).proof_state == "proved"


@pytest.mark.parametrize("left", [1, 2])
async def test_several_parallel_checks_are_settled_as_soon_as_the_last_has_ended(checked, signals, left):
    names = [f"p{number}" for number in range(left + 1)]
    await checked.check(*({"name": name, "run": signals.pause(name), "parallel": True} for name in names))
    task = await checked.started()
    reporting = asyncio.create_task(checked.report(task))
    for name in names:
        await signals.reached(name)
    await asyncio.gather(*(signals.let_through(name) for name in names))

    assert (await reporting)["evidence"]["state"] == "proved"
