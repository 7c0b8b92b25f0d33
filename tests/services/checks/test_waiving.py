"""Acceptance in a run: the failing check is waived for the rest of the run, and the result is merged as accepted."""

from __future__ import annotations

from mission.domain.runs.decisions import choices
from mission.services.checks import waiving
from mission.services.runs.agents import asking
from tests.merged_runs import merged as merged


async def test_an_accepted_result_is_merged_and_its_check_no_longer_counts_in_the_run(merged):
    await merged.check({"name": "lint", "run": "false"}, {"name": "unit", "run": "true"})
    first = await merged.task("first", {"a.txt": "a\n"})
    await merged.refused(first)

    answer = await merged.call("task_accept", {"task_id": first, "reason": "the linter is wrong"})
    await merged.settle()

    assert answer["status"] == "checking"
    row = await merged.row(first)
    assert (str(row.status), str(row.proof_state), row.proof["reason"]) == (
        "completed", "accepted", "the linter is wrong",
    )  # fmt: skip
    (waiver,) = (await merged.run()).waivers
    assert (waiver["check"], waiver["task_id"], waiver["reason"]) == ("lint", first, "the linter is wrong")
    second = await merged.task("second", {"b.txt": "b\n"})
    assert (await merged.report(second))["evidence"]["state"] == "proved"
    assert await merged.merges() == ["Merge 'first'", "Merge 'second'"]


async def test_a_question_about_the_task_needs_no_answer_once_it_is_accepted(merged):
    await merged.check({"name": "lint", "run": "false"})
    task = await merged.task("add", {"a.txt": "a\n"})
    await merged.refused(task)
    asked = choices.about_task(task, subject="'add' was sent back 4 times")
    await asking.ask(merged.call.app.run_context, await merged.run(), asked)

    await merged.call("task_accept", {"task_id": task, "reason": "the linter is wrong"})
    await merged.settle()

    assert (await merged.call("queue_list"))["items"] == []
    assert (await merged.states(task))[-1] == "merged"


async def test_accepting_a_task_that_never_reported_takes_what_its_worktree_contains(merged):
    await merged.check("true")
    task = await merged.task("add", {"a.txt": "a\n"})

    await merged.call("task_accept", {"task_id": task, "reason": "good enough"})
    await merged.settle()

    assert str((await merged.row(task)).proof_state) == "accepted"
    assert await merged.shown("a.txt") == "a\n"


async def test_accepting_lets_merging_that_stopped_continue(merged):
    await merged.check({"name": "lint", "run": "test ! -f a.txt"})
    first = await merged.task("first", {"a.txt": "a\n"})
    await merged.refused(first)
    await merged.write_rows(lambda tx: tx.runs.save(_stopped(tx.runs.get(merged.id))))

    await merged.call("task_accept", {"task_id": first, "reason": "fine"})
    await merged.settle()

    assert (await merged.run()).merging_stopped is None
    assert await merged.states(first) == ["merged"]


async def test_accepting_a_result_under_review_merges_what_was_checked(merged):
    await merged.check("true")
    await merged.write_rows(lambda tx: tx.runs.save(_reviewed(tx.runs.get(merged.id))))
    task = await merged.task("add", {"a.txt": "a\n"})
    assert (await merged.report(task))["status"] == "review"

    await merged.call("task_accept", {"task_id": task, "reason": "seen"})
    await merged.settle()

    assert await merged.states(task) == ["merged"]
    assert len(await merged.rounds("merge")) == 1
    assert await merged.items("review") == []


def test_what_is_built_again_has_no_evidence_of_an_earlier_tree():
    assert waiving.BUILT_AGAIN["round_id"] is None


def _stopped(run):
    from dataclasses import replace

    return replace(run, merging_stopped="the tip fails")


def _reviewed(run):
    from dataclasses import replace

    return replace(run, options={**run.options, "review": "person"})
