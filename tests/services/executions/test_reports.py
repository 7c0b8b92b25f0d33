"""A report by signal becomes a candidate of the run at once, and only once."""

from __future__ import annotations

import pytest

from mission.services.executions import reports
from tests.fake_executions import FakeExecutions
from tests.merged_runs import merged as merged


@pytest.fixture
async def working(merged):
    """An agent at work on a task of a run: its execution, and the task."""
    fakes = FakeExecutions(merged.call.app, merged.call)
    made = await merged.call(
        "workflow_add_tasks",
        {"workflow_id": merged.mission_id, "tasks": [{"name": "add", "description": "d", "sequence": 1}]},
    )
    (task_id,) = made["task_ids"]
    created = await fakes.launch(task_id)
    await fakes.start(created.execution.id)
    merged.worktrees[task_id] = created.execution.directory
    return fakes, created.execution.id, task_id


async def test_a_report_is_a_candidate_while_its_agent_still_lives(merged, working):
    fakes, execution, task = working

    await fakes.signal(execution, "e1", "completed_claim", summary="It works")

    (candidate,) = await merged.candidates(task)
    assert (candidate.execution_id, candidate.report["outcome"]["summary"]) == (execution, "It works")
    assert str((await merged.row(task)).status) == "review"
    await merged.settle()
    assert await merged.states(task) == ["merged"]
    await fakes.end(execution)
    assert len(await merged.candidates(task)) == 1


async def test_a_report_that_was_sent_back_is_not_taken_again_when_its_agent_ends(merged, working):
    fakes, execution, task = working
    await merged.check("test -f never.txt")
    await fakes.signal(execution, "e1", "completed_claim", summary="It works")
    await merged.settle()
    assert await merged.states(task) == ["failed"]

    await fakes.end(execution)

    assert len(await merged.candidates(task)) == 1
    assert str((await merged.row(task)).status) == "pending"


async def test_a_second_report_is_a_second_candidate(merged, working):
    fakes, execution, task = working
    await merged.check("test -f never.txt")
    await fakes.signal(execution, "e1", "completed_claim", summary="one")
    await merged.settle()

    await fakes.signal(execution, "e2", "completed_claim", summary="two")

    assert [each.report["outcome"]["summary"] for each in await merged.candidates(task)] == ["one", "two"]


async def test_neither_a_failure_nor_a_task_of_another_agent_is_a_report(merged, working):
    fakes, execution, task = working
    await fakes.signal(execution, "e1", "failed_claim", reason="No")
    assert await merged.candidates(task) == []

    await merged.call("task_update_status", {"id": task, "status": "skipped"})
    await fakes.signal(execution, "e2", "completed_claim", summary="It works")

    assert await merged.candidates(task) == []
    row = await fakes.get(execution)
    assert await merged.read(lambda tx: reports.submit(tx, row)) is False
