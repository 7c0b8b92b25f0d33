"""What a verdict means for a task: flags, reviews, launched agents that have ended, and what is kept of the output."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


def junit(*, passed, skipped):
    """Return a report of so many tests."""
    cases = ["<testcase name='p'/>"] * passed + ["<testcase name='s'><skipped/></testcase>"] * skipped
    return f"<testsuite>{''.join(cases)}</testsuite>"


async def test_a_check_that_passes_only_after_a_retry_is_flaky_and_never_used_again(checked, signals):
    command = f"{signals.note('runs')}; test $(wc -l < {signals.path('runs')}) -gt 1"
    await checked.check({"name": "shaky", "run": command, "retries": 2})
    task = await checked.started()
    asked = await checked.call("task_checks", {"task_id": task, "run": True})
    assert asked["state"] == "passed"

    done = await checked.report(task)

    assert len(signals.notes("runs")) == 3
    assert done["evidence"]["state"] == "proved"
    rows = await checked.evidence(task)
    assert [(str(row.state), row.flaky, row.reused_from) for row in rows] == [
        ("failed", False, None),
        ("passed", True, None),
        ("passed", False, None),
    ]


async def test_a_check_fails_once_all_its_retries_have_failed(checked, signals):
    await checked.check({"name": "unit", "run": f"{signals.note('runs')}; test ! -f src/new.py", "retries": 2})
    task = await checked.started()

    assert (await checked.refused(task))["code"] == "CHECKS_FAILED"

    assert len([row for row in await checked.evidence(task) if row.role == "result"]) == 3


async def test_a_check_that_must_run_every_time_is_not_used_again(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs"), "reuse": False})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})

    await checked.report(task)

    assert len(signals.notes("runs")) == 2


async def test_another_definition_is_not_answered_by_earlier_evidence(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})
    await checked.check({"name": "unit", "run": signals.note("runs"), "env": {"MODE": "strict"}})

    await checked.report(task)

    assert len(signals.notes("runs")) == 2


@pytest.mark.parametrize("changed", ["tests/test_app.py", ".github/workflows/ci.yml", "package-lock.json"])
async def test_a_task_that_changes_what_it_is_judged_by_is_flagged(checked, repository, git, changed):
    checked.write(changed, "before\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "tests")
    await checked.check({"name": "unit", "run": "true", "tests": ["tests/**"]})
    task = await checked.started()
    checked.write(changed, "after\n")

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    assert done["evidence"]["flags"] == [f"the agent changed files that its work is judged by: {changed}"]


async def test_a_new_test_is_no_reason_to_flag_a_task(checked):
    await checked.check({"name": "unit", "run": "true", "tests": ["tests/**"]})
    task = await checked.started(edited="tests/test_new.py")

    assert (await checked.report(task))["evidence"]["flags"] == []


async def test_untouched_turns_a_changed_exam_into_a_failure(checked):
    await checked.check({"name": "unit", "run": "true"}, {"name": "exam", "untouched": ["README.md"]})
    task = await checked.started(edited="README.md")

    error = await checked.refused(task)

    assert [(each["name"], each["files"]) for each in error["details"]["checks"]] == [("exam", ["README.md"])]


async def test_fewer_tests_than_on_the_start_tree_are_flagged(checked, signals):
    """The start tree was counted by an earlier task that reported exactly it."""
    checked.write(".gitignore", "junit.xml\n")
    checked.write("count", junit(passed=5, skipped=0))
    await checked.check({"name": "unit", "run": "cp count junit.xml", "junit": "junit.xml"})
    first = await checked.started()
    assert (await checked.report(first))["evidence"]["flags"] == []
    counted, _ = await checked.evidence(first)
    assert (counted.tests_run, counted.tests_skipped) == (5, 0)
    second = await checked.start(name="second")
    checked.write("count", junit(passed=4, skipped=0))

    done = await checked.report(second)

    assert done["evidence"]["flags"] == ["unit ran 4 tests, 1 fewer than before the change"]


async def test_the_start_tree_of_the_first_task_is_counted_to_be_compared_with(checked):
    checked.write(".gitignore", "junit.xml\n")
    checked.write("count", junit(passed=5, skipped=0))
    await checked.check({"name": "unit", "run": "cp count junit.xml", "junit": "junit.xml"})
    task = await checked.start()
    checked.write("count", junit(passed=3, skipped=0))

    done = await checked.report(task)

    assert done["evidence"]["state"] == "proved"
    assert done["evidence"]["flags"] == ["unit ran 3 tests, 2 fewer than before the change"]
    assert [(str(row.role), row.tests_run) for row in await checked.evidence(task)] == [("result", 3), ("start", 5)]


async def test_a_reviewed_mission_asks_a_person_after_its_checks_passed(checked, repository, signals):
    made = await checked.call(
        "workflow_create",
        {
            "name": "W",
            "source_type": "prompt",
            "source_content": "x",
            "review": "person",
            "checks": [{"name": "unit", "run": signals.note("runs")}],
            "repository_path": str(repository),
        },
    )
    checked.id = made["id"]
    task = await checked.started()

    told = await checked.report(task)

    assert (told["status"], told["evidence"]["state"]) == ("review", "proved")
    assert "A person reviews" in told["evidence"]["next"]
    (item,) = await checked.items("review")
    await checked.call("queue_answer", {"id": item["id"], "choice": 1})
    await checked.call("task_checks", {"task_id": task})
    await checked.until_status(task, "completed")
    assert (await checked.row(task)).proof_state == "proved"
    assert len(signals.notes("runs")) == 1


async def test_a_review_is_answered_without_the_tree_and_keeps_what_was_reported(checked, repository):
    checked.id = (
        await checked.call(
            "workflow_create",
            {
                "name": "W",
                "source_type": "prompt",
                "source_content": "x",
                "review": "person",
                "checks": ["test -f src/new.py"],
                "repository_path": str(repository),
            },
        )
    )["id"]
    task = await checked.started(phase=1)
    await checked.report(task, summary="sorted the shelves", phase_complete=True)
    (item,) = await checked.items("review")
    repository.rename(repository.with_name("gone"))

    await checked.call("queue_answer", {"id": item["id"], "choice": 1})

    found = await checked.task(task)
    row = await checked.row(task)
    assert (found["status"], found["evidence"]["state"]) == ("completed", "proved")
    assert (row.outcome["summary"], row.changes["added"]) == ("sorted the shelves", ["src/new.py"])
    phase = await checked.read(lambda tx: tx.phases.get(row.phase_id))
    assert str(phase.status) == "completed"


@pytest.mark.parametrize("checks", [[], ["test -f src/new.py"]], ids=["without checks", "with checks"])
async def test_a_review_of_work_on_another_host_is_answered_here(checked, make_agent, checks):
    """Without checks the task is completed; with checks the daemon of that host runs them."""
    ada = await make_agent("ada")
    await checked.check(*checks)
    task = await checked.started(agent_id=ada)
    await checked.call("mcp__task__update_status", {"taskId": task, "status": "REVIEW"}, agent=ada)
    (item,) = await checked.items("review")
    row = await checked.row(task)
    await checked.call.app.database.write(lambda tx: tx.tasks.save(replace(row, host_id="elsewhere")))

    await checked.call("queue_answer", {"id": item["id"], "choice": 1})

    found = await checked.task(task)
    if not checks:
        assert (found["status"], found["evidence"]["state"]) == ("completed", "unproved")
        return
    (round,) = await checked.rounds(task)
    assert (str((await checked.row(task)).hold.kind), round.host_id, round.is_open) == ("checks", "elsewhere", True)


async def test_a_review_that_is_accepted_does_not_pass_a_tree_that_fails(checked, make_agent):
    """The person agreed to what they saw; the checks decide about what is there now."""
    ada = await make_agent("ada")
    await checked.check({"name": "unit", "run": "! grep -q wrong src/new.py"})
    task = await checked.started(agent_id=ada)
    checked.write("src/new.py", "wrong\n")
    await checked.call("mcp__task__update_status", {"taskId": task, "status": "REVIEW"}, agent=ada)
    (item,) = await checked.items("review")

    await checked.call("queue_answer", {"id": item["id"], "choice": 1})

    await checked.call("task_checks", {"task_id": task})
    await checked.until_status(task, "in_progress")
    assert (await checked.row(task)).proof_state == "failing"


async def launched(fake_executions, checked, *checks):
    """Launch an agent without a process on a checked task in the repository; return both ids."""
    await checked.check(*checks)
    new = {"name": "t", "description": "d", "sequence": 1, "depends_on": []}
    await checked.call("workflow_add_tasks", {"id": checked.id, "tasks": [new]})
    task = (await checked.call("workflow_get", {"id": checked.id, "include_tasks": True}))["tasks"][0]["id"]
    made = await fake_executions.launch(task)
    await fake_executions.start(made.execution.id)
    checked.write("src/new.py")
    return task, made.execution.id


async def test_the_claim_of_an_agent_that_ends_is_checked_and_completes_the_task(fake_executions, checked):
    task, execution = await launched(fake_executions, checked, "test -f src/new.py")
    await fake_executions.signal(execution, "e1", "completed_claim", summary="all done")

    await fake_executions.end(execution)

    await checked.call("task_checks", {"task_id": task})
    await checked.until_status(task, "completed")
    assert (await checked.row(task)).proof_state == "proved"
    assert (await checked.row(task)).outcome["summary"] == "all done"


async def test_an_agent_that_has_ended_is_started_again_with_what_failed(fake_executions, checked):
    task, execution = await launched(fake_executions, checked, {"name": "unit", "run": "test ! -f src/new.py"})
    await fake_executions.signal(execution, "e1", "completed_claim", summary="all done")
    await fake_executions.end(execution)

    await checked.call("task_checks", {"task_id": task})

    await checked.until_settled(task)
    (command,) = await checked.read(lambda tx: tx.commands.pending_of(execution))
    assert "unit" in command.next_launch.failure
    row = await checked.row(task)
    assert (str(row.status), row.proof_state) == ("pending", "failing")


async def test_a_person_is_asked_if_files_change_twice_after_the_agent_has_ended(fake_executions, checked, signals):
    task, execution = await launched(fake_executions, checked, {"name": "slow", "run": signals.pause("slow")})
    await fake_executions.signal(execution, "e1", "completed_claim", summary="all done")
    await fake_executions.end(execution)
    waiting = asyncio.create_task(checked.call("task_checks", {"task_id": task, "wait_seconds": 50}))
    for turn in range(2):
        await signals.reached("slow")
        checked.write("src/new.py", f"edit {turn}\n")
        await signals.let_through("slow")

    assert (await waiting)["state"] == "void"

    (item,) = await checked.items("failure")
    assert (item["task_id"], "src/new.py" in item["body"]) == (task, True)
    row = await checked.row(task)
    assert (str(row.status), row.proof_state, row.failed_attempts) == ("pending", None, 0)
    assert await checked.read(lambda tx: tx.commands.pending_of(execution)) == []


async def test_advice_that_failed_is_not_counted_as_an_attempt(fake_executions, checked):
    task, execution = await launched(fake_executions, checked, {"name": "unit", "run": "test ! -f src/new.py"})
    for number in range(4):
        checked.write("src/new.py", f"{number}\n")
        assert (await checked.call("task_checks", {"task_id": task, "run": True}))["state"] == "failed"
    await fake_executions.signal(execution, "e1", "completed_claim", summary="all done")
    await fake_executions.end(execution)

    await checked.call("task_checks", {"task_id": task})

    await checked.until_settled(task)
    assert await checked.items("failure") == []
    assert len(await checked.read(lambda tx: tx.commands.pending_of(execution))) == 1


async def test_secrets_are_masked_in_row_answer_and_journal(checked):
    secret = "ghp_" + "a1B2" * 9
    await checked.check({"name": "leak", "run": f"test ! -f src/new.py || {{ echo token {secret}; exit 1; }}"})
    task = await checked.started()

    error = await checked.refused(task)

    (row, *_) = await checked.evidence(task)
    entries = await checked.read(lambda tx: tx.journal.latest_of_task(task, limit=10))
    shown = await checked.call("evidence_get", {"id": row.id})
    output = await checked.call("evidence_output", {"id": row.id})
    outputs = [row.output, error["details"]["checks"][0]["output"], shown["output"], output["text"]]
    assert all("token" in text and secret not in text for text in outputs)
    assert secret not in json.dumps(
        [entry.detail["checks"][0]["output"] for entry in entries if entry.detail.get("checks")]
    )


async def test_a_report_of_a_failure_ends_the_checks_under_way(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)
    await signals.reached("slow")

    done = await checked.report(task, status="failed")

    assert done["status"] == "failed"
    assert (await checked.until_settled(task)).state == "withdrawn"
    assert (await checked.row(task)).proof_state is None


async def test_many_failures_fit_into_one_error(checked):
    loud = "test ! -f src/new.py || { seq 1 5000; exit 1; }"
    await checked.check(*({"name": f"c{number}", "run": loud, "env": {"N": str(number)}} for number in range(6)))
    task = await checked.started()

    error = await checked.refused(task)

    assert len(json.dumps({key: error[key] for key in error if key != "http_status"})) <= 8_000
    assert len(error["details"]["checks"]) == 6
    assert error["details"]["checks"][0]["output"].rstrip().endswith("5000")


async def test_a_reporter_who_left_does_not_stop_the_checks(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    reporting = asyncio.create_task(checked.report(task))
    await signals.reached("slow")
    reporting.cancel()
    await asyncio.gather(reporting, return_exceptions=True)
    await signals.let_through("slow")

    await checked.until_status(task, "completed")

    assert (await checked.row(task)).proof_state == "proved"
