"""Executions: the task is taken before the process is there, and its end decides what becomes of the task."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotOwner


async def test_a_launch_claims_and_starts_the_task_before_any_process_is_there(workshop):
    task_id = await workshop.task()

    created = await workshop.launch(task_id)

    task = await workshop.task_now(task_id)
    assert (task["status"], task["assigned_agent_id"]) == ("in_progress", created.agent.id)
    assert created.execution.status == "starting"
    assert created.token not in repr(created.execution)
    with pytest.raises(NotOwner):
        await workshop.launch(task_id)


async def test_an_end_without_a_claim_releases_the_task(workshop):
    created = await workshop.launch()
    await workshop.start(created.execution.id)

    await workshop.end(created.execution.id, "failed", exit_code=3)
    again = await workshop.end(created.execution.id, "completed")

    task = await workshop.task_now(created.task.id)
    assert (task["status"], task["assigned_agent_id"]) == ("pending", None)
    assert (again.status, again.exit_code) == ("failed", 3)


async def test_an_end_after_a_claim_puts_the_task_under_review(workshop):
    created = await workshop.launch()

    ack = await workshop.signal(created.execution.id, "e1", "completed_claim", summary="Done")
    before = await workshop.task_now(created.task.id)
    await workshop.end(created.execution.id)

    assert ack["status"] == "recorded-only"
    assert before["status"] == "in_progress"
    task = await workshop.app.database.read(lambda tx: tx.tasks.get(created.task.id))
    assert (task.status, task.owner_id) == ("review", created.agent.id)
