"""A held task: it goes on once a person closed everything that held it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.services.answers import resumption
from mission.services.inbox import items as inbox
from tests.store.rows import NOW, at

BLOCK = Hold(HoldKind.BLOCKED, "no key", "a_1")


def put(tx, **fields):
    return inbox.open_item(tx, **{"kind": ItemKind.BLOCKER, "subject": "s", **fields})


@pytest.mark.parametrize("close", [resumption.answer, resumption.dismiss])
def test_a_held_task_goes_on_only_when_nothing_else_holds_it(tx, rows, close):
    task = rows.task(rows.mission(), status=TaskStatus.PAUSED, hold=BLOCK, owner_id="a_1", lease_until=at(9))
    items = [put(tx, task_id=task.id), put(tx, kind=ItemKind.QUESTION, task_id=task.id)]

    words = {"text": "go"} if close is resumption.answer else {}
    close(tx, item_id=items[0].id, by="human", **words)
    assert tx.tasks.get(task.id).status is TaskStatus.PAUSED
    close(tx, item_id=items[1].id, by="human", **words)

    after = tx.tasks.get(task.id)
    assert (after.status, after.hold, after.owner_id) == (TaskStatus.IN_PROGRESS, None, "a_1")


def test_a_task_whose_agent_left_is_free_once_its_block_is_resolved(tx, rows):
    task = rows.task(rows.mission(), status=TaskStatus.PAUSED, hold=BLOCK)

    resumption.answer(tx, item_id=put(tx, task_id=task.id).id, text="done", by="human")

    after = tx.tasks.get(task.id)
    assert (after.status, after.hold) == (TaskStatus.PENDING, None)
    assert after.claimable(now=NOW)


@pytest.mark.parametrize("answered", [True, False])
def test_an_answer_keeps_the_task_for_the_next_execution_and_a_dismissal_frees_it(tx, rows, answered):
    agent = rows.agent()
    hold = Hold(HoldKind.INPUT, "?", agent.id)
    task = rows.task(rows.mission(), status=TaskStatus.PAUSED, hold=hold, owner_id=agent.id)
    execution = rows.execution(task, agent_id=agent.id, status=ExecutionStatus.COMPLETED)
    item = put(tx, kind=ItemKind.QUESTION, task_id=task.id, execution_id=execution.id)
    tx.executions.save(replace(execution, asked_last=(item.id,)))

    if answered:
        resumption.answer(tx, item_id=item.id, text="the red one", by="human")
    else:
        resumption.dismiss(tx, item_id=item.id, by="human")

    after = tx.tasks.get(task.id)
    expected = (
        (TaskStatus.IN_PROGRESS, agent.id, NOW + resumption.RESUME_WITHIN)
        if answered
        else (TaskStatus.PENDING, None, None)
    )
    assert (after.status, after.owner_id, after.lease_until) == expected


def test_an_item_that_holds_nothing_leaves_a_paused_task_alone(tx, rows):
    task = rows.task(rows.mission(), status=TaskStatus.PAUSED, hold=BLOCK, owner_id="a_1", lease_until=at(9))

    resumption.dismiss(tx, item_id=put(tx, kind=ItemKind.REVIEW, task_id=task.id).id, by="human")

    after = tx.tasks.get(task.id)
    assert (after.status, after.hold, after.owner_id) == (TaskStatus.PAUSED, BLOCK, "a_1")
