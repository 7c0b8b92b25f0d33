"""Executions: the task is taken before the process is there, and its end decides what becomes of the task."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState


async def test_a_launch_claims_and_starts_the_task_before_any_process_is_there(fake_executions):
    task_id = await fake_executions.task()

    created = await fake_executions.launch(task_id)

    task = await fake_executions.task_now(task_id)
    assert (task["status"], task["assigned_agent_id"]) == ("in_progress", created.agent.id)
    assert created.execution.status == "starting"
    assert created.token not in repr(created.execution)
    with pytest.raises(InvalidState, match=f"execution {created.execution.id} is already working on task"):
        await fake_executions.launch(task_id)


async def test_an_end_without_a_claim_releases_the_task(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.start(created.execution.id)

    await fake_executions.end(created.execution.id, "failed", exit_code=3)
    again = await fake_executions.end(created.execution.id, "completed")

    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"]) == ("pending", None)
    assert (again.status, again.exit_code) == ("failed", 3)


async def test_an_end_after_a_claim_puts_the_task_under_review(fake_executions):
    created = await fake_executions.launch()

    ack = await fake_executions.signal(created.execution.id, "e1", "completed_claim", summary="Done")
    before = await fake_executions.task_now(created.task.id)
    await fake_executions.end(created.execution.id)

    assert ack["status"] == "recorded-only"
    assert before["status"] == "in_progress"
    task = await fake_executions.app.database.read(lambda tx: tx.tasks.get(created.task.id))
    assert (task.status, task.owner_id) == ("review", created.agent.id)


async def test_an_end_with_an_open_question_keeps_the_claim_until_the_answer_starts_the_next_execution(
    fake_executions, clock
):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.end(created.execution.id)
    clock.advance(hours=5)

    held = await fake_executions.task_now(created.task.id)
    [item] = (await fake_executions.call("queue_list"))["items"]
    await fake_executions.call("queue_answer", {"id": item["id"], "text": "8080"})
    next = await fake_executions.launch(created.task.id, resumes=created.execution.id)

    assert (held["status"], held["hold"]["kind"], held["assigned_agent_id"]) == ("paused", "input", created.agent.id)
    assert (next.agent.id, next.execution.resumes) == (created.agent.id, created.execution.id)
    assert next.token != created.token
    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["attempts"], task["hold"]) == ("in_progress", 1, None)


async def test_a_dismissed_question_of_an_ended_execution_frees_the_task(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "q1", "needs_input", question="Which port?")
    await fake_executions.end(created.execution.id)

    [item] = (await fake_executions.call("queue_list"))["items"]
    await fake_executions.call("queue_dismiss", {"id": item["id"]})

    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"], task["hold"]) == ("pending", None, None)


async def test_who_takes_a_task_that_an_execution_left_reads_why(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "e1", "progress", summary="Half way")
    await fake_executions.signal(created.execution.id, "e2", "failed_claim", reason="No compiler")
    await fake_executions.end(created.execution.id, "failed", exit_code=1)

    bob = (await fake_executions.call("agent_register", {"name": "bob", "runtime": "custom"}))["id"]
    claim = await fake_executions.call("task_claim", {"task_id": created.task.id, "agent_id": bob})

    note = claim["recovery"]["checkpoints"][-1]
    assert (note["summary"], note["author"]) == ("command failed: No compiler", "system")
    assert (note["detail"]["claim"]["reason"], note["detail"]["progress"]["summary"]) == ("No compiler", "Half way")


async def test_a_task_that_was_left_blocked_belongs_to_nobody_until_a_person_resolves_it(fake_executions):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "b1", "blocked", reason="No network")
    await fake_executions.end(created.execution.id)

    left = await fake_executions.task_now(created.task.id)
    [item] = (await fake_executions.call("queue_list"))["items"]
    await fake_executions.call("queue_answer", {"id": item["id"], "text": "It is back"})

    assert (left["status"], left["assigned_agent_id"], item["kind"]) == ("blocked", None, "blocker")
    task = await fake_executions.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"], task["hold"]) == ("pending", None, None)
