"""Completing a task whose checks must pass, through the gateway: real commands in real trees, on both databases."""

from __future__ import annotations

import asyncio

from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


async def test_a_task_whose_checks_pass_is_proved_with_its_tree_and_checks(checked, git, repository):
    await checked.check("test -f src/new.py", {"name": "sources", "changed": ["src/**"]})
    task = await checked.started()

    done = await checked.report(task)

    git(repository, "add", "-A")
    assert done["status"] == "success"
    assert done["evidence"]["state"] == "proved"
    assert done["evidence"]["tree"] == git(repository, "write-tree")
    assert [(each["name"], each["state"]) for each in done["evidence"]["checks"]] == [
        ("test -f src/new.py", "passed"),
        ("sources", "passed"),
    ]
    rows = {row.id: row for row in await checked.evidence(task)}
    assert {rows[each["evidence_id"]].name for each in done["evidence"]["checks"]} == {"test -f src/new.py", "sources"}
    assert all(each["seconds"] is not None for each in done["evidence"]["checks"])
    assert (await checked.task(task))["status"] == "completed"
    assert (await checked.row(task)).proof_state == "proved"


async def test_a_failed_check_gives_the_task_back_with_its_output(checked, make_agent):
    ada = await make_agent("ada")
    command = "test ! -f src/new.py || { echo the reason is here; exit 3; }"
    await checked.check({"name": "unit", "run": command})
    task = await checked.started(agent_id=ada)
    before = await checked.row(task)
    checked.call.app.database.clock.advance(seconds=30)

    error = await checked.refused(task, agent_id=ada)

    assert (error["code"], error["http_status"]) == ("CHECKS_FAILED", 409)
    (failed,) = error["details"]["checks"]
    assert (failed["name"], failed["check"], failed["exit_code"]) == ("unit", command, 3)
    assert "the reason is here" in failed["output"]
    assert "complete_task again" in error["hint"]
    after = await checked.row(task)
    assert (str(after.status), after.owner_id, after.fence) == ("in_progress", ada, before.fence)
    assert after.lease_until > before.lease_until
    assert after.proof_state == "failing"
    assert "Checks failed: unit" in await checked.journal(task)


async def test_a_fixed_task_is_proved_by_the_next_report(checked):
    await checked.check("test ! -f src/new.py || grep -q right src/new.py")
    task = await checked.started()
    assert (await checked.refused(task))["code"] == "CHECKS_FAILED"
    checked.write("src/new.py", "right\n")

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"


async def test_checks_that_take_longer_than_a_caller_waits_complete_the_task_by_themselves(
    checked, signals, make_agent
):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started(agent_id=ada)
    checked.wait_at_most(0.05)

    told = await checked.report(task, agent_id=ada)

    assert (told["status"], told["evidence"]["state"]) == ("checking", "running")
    assert "task_checks" in told["evidence"]["next"]
    assert "Do not edit" in told["evidence"]["next"]
    held = await checked.row(task)
    assert (str(held.status), str(held.hold.kind), held.lease_until) == ("review", "checks", None)
    assert (await checked.call("task_claim_next", {"agent_id": bob}))["task"] is None
    await signals.reached("slow")
    await signals.let_through("slow")
    await checked.until_status(task, "completed")
    assert (await checked.row(task)).proof_state == "proved"


async def test_checks_that_fail_after_the_caller_left_return_the_task_to_its_owner(checked, signals, make_agent):
    ada = await make_agent("ada")
    await checked.check({"name": "slow", "run": f"test ! -f src/new.py || {{ {signals.pause('slow')}; exit 1; }}"})
    task = await checked.started(agent_id=ada)
    checked.wait_at_most(0.05)
    await checked.report(task, agent_id=ada)
    await signals.reached("slow")
    await signals.let_through("slow")

    found = await checked.until_status(task, "in_progress")

    row = await checked.row(task)
    assert (row.owner_id, row.hold, row.proof_state) == (ada, None, "failing")
    assert row.lease_until is not None
    assert found["evidence"]["state"] == "failing"


async def test_checks_that_fail_after_the_owner_is_gone_give_the_task_to_anybody(checked, signals, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await checked.check({"name": "slow", "run": f"test ! -f src/new.py || {{ {signals.pause('slow')}; exit 1; }}"})
    task = await checked.started(agent_id=ada)
    checked.wait_at_most(0.05)
    await checked.report(task, agent_id=ada)
    await signals.reached("slow")
    await checked.call("agent_unregister", {"id": ada})
    await signals.let_through("slow")

    await checked.until_status(task, "pending")

    taken = await checked.call("task_claim_next", {"agent_id": bob})
    assert (taken["task"]["id"], taken["recovery"]["failed_checks"][0]["name"]) == (task, "slow")


async def test_a_check_whose_runner_is_killed_is_lost_and_tried_once_more(checked, signals):
    dies = f"{signals.note('killed')}; kill -9 $PPID; sleep 60"
    await checked.check({"name": "unit", "run": f"test -f {signals.path('killed')} || {{ {dies}; }}"})

    done = await checked.report(task := await checked.started())

    assert done["evidence"]["state"] == "proved"
    lost, passed = await checked.evidence(task)
    assert (lost.state, lost.reason, passed.state, passed.flaky) == (
        "lost",
        "the process that ran it is gone",
        "passed",
        False,
    )


async def test_a_repeated_report_joins_the_open_one_and_its_words_count(checked, signals):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task, summary="first words")
    assert (await checked.report(task, summary="latest words"))["status"] == "checking"
    await signals.reached("slow")
    await signals.let_through("slow")

    await checked.until_status(task, "completed")

    assert (await checked.row(task)).outcome["summary"] == "latest words"
    assert len(signals.notes("runs")) == 1
    assert len(await checked.rounds(task)) == 1


async def test_files_that_change_under_a_check_make_it_void_and_the_tree_is_taken_once_more(checked, signals):
    await checked.check({"name": "slow", "run": f"{signals.note('runs')}; {signals.pause('slow')}"})
    task = await checked.started()
    reporting = asyncio.create_task(checked.report(task))
    await signals.reached("slow")
    checked.write("src/new.py", "edited meanwhile\n")
    await signals.let_through("slow")
    await signals.reached("slow")
    await signals.let_through("slow")

    done = await reporting

    assert done["evidence"]["state"] == "proved"
    first, second = await checked.evidence(task)
    assert (first.state, list(first.files), second.state) == ("void", ["src/new.py"], "passed")
    assert done["evidence"]["tree"] == second.tree != first.tree


async def test_a_tree_that_changes_twice_is_void_and_may_be_completed_unproved(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    reporting = asyncio.create_task(checked.refused(task))
    for turn in range(2):
        await signals.reached("slow")
        checked.write("src/new.py", f"edit {turn}\n")
        await signals.let_through("slow")

    error = await reporting

    assert (error["code"], error["http_status"]) == ("CHECKS_VOID", 409)
    assert error["details"]["files"] == ["src/new.py"]
    assert str((await checked.row(task)).status) == "in_progress"
    done = await checked.report(task, unproved=True)
    assert (done["status"], done["evidence"]["state"]) == ("success", "unproved")
    assert [item["task_id"] for item in await checked.items("review")] == [task]


async def test_a_check_that_cannot_run_is_tried_twice_and_asked_about_once(checked, signals):
    await checked.check({"name": "gone", "run": f"{signals.note('runs')}; no-such-command-here"})
    task = await checked.started()

    error = await checked.refused(task)
    again = await checked.refused(task)

    assert (error["code"], error["http_status"], again["code"]) == ("CHECKS_ERROR", 409, "CHECKS_ERROR")
    assert len(signals.notes("runs")) == 4
    row = await checked.row(task)
    assert (str(row.status), row.failed_attempts, row.attempts) == ("in_progress", 0, 1)
    (item,) = await checked.items("checks")
    assert "exit code 127" in item["subject"]
    done = await checked.report(task, unproved=True)
    assert done["evidence"]["state"] == "unproved"


async def test_evidence_of_a_day_is_used_again_for_the_same_tree_only(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    asked = await checked.call("task_checks", {"task_id": task, "run": True})
    assert (asked["state"], len(signals.notes("runs"))) == ("passed", 1)
    (checked.repository / "src" / "new.py").touch()

    done = await checked.report(task)

    assert len(signals.notes("runs")) == 1
    first, second = await checked.evidence(task)
    assert second.reused_from == first.id
    assert done["evidence"]["checks"][0]["evidence_id"] == second.id
    assert done["evidence"]["state"] == "proved"


async def test_an_edit_after_the_checks_makes_them_run_again(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    checked.write("src/new.py", "edited\n")

    await checked.report(task)

    assert len(signals.notes("runs")) == 2


async def test_evidence_that_is_older_than_a_day_is_not_used_again(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    checked.call.app.database.clock.advance(days=1, seconds=1)

    await checked.report(task)

    assert len(signals.notes("runs")) == 2
