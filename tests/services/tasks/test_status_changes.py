"""Moves of a task by hand, and its plans."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.errors import InvalidState, NotOwner
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.states import MOVES, PLANNABLE, TaskStatus
from mission.services.tasks import status_changes as steering
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from tests.store.rows import at

NOBODY = Owner(agent_id=None, fence=None, lease=timedelta(minutes=10))
PLAN = {"approach": "step by step", "steps": []}


def shift(tx, task, status, owner=NOBODY, **fields):
    return steering.shift(tx, task_id=task.id, wanted=StatusChange(status=TaskStatus(status), **fields), owner=owner)


@pytest.mark.parametrize("status", list(TaskStatus))
@pytest.mark.parametrize("target", ["pending", "paused", "review", "skipped", "planning"])
def test_a_task_moves_by_hand_exactly_where_the_rules_let_it(tx, rows, status, target):
    task = rows.task(rows.mission(), status=status)

    if TaskStatus(target) in MOVES[status]:
        assert shift(tx, task, target).status == target
    else:
        with pytest.raises((InvalidState, NotOwner)):
            shift(tx, task, target)


def test_a_block_is_put_before_a_person_and_said_again_keeps_one_item(tx, rows):
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS)

    shift(tx, task, "paused", blocked=True, error="no key")
    again = shift(tx, task, "paused", blocked=True, error="still no key")

    assert again.hold == Hold(HoldKind.BLOCKED, "still no key")
    [item] = tx.inbox.open_where(task_id=task.id)
    assert item.count == 2
    shift(tx, task, "pending")
    assert tx.inbox.open_where(task_id=task.id) == []


def test_only_its_owner_moves_a_task(tx, rows):
    owner, other = rows.agent("ada"), rows.agent("bob")
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, owner_id=owner.id, fence=2, lease_until=at(9))

    with pytest.raises(NotOwner):
        shift(tx, task, "paused", Owner(agent_id=other.id, fence=None, lease=timedelta(minutes=10)))
    with pytest.raises(NotOwner):
        shift(tx, task, "paused", Owner(agent_id=owner.id, fence=1, lease=timedelta(minutes=10)))


def test_the_last_task_that_is_skipped_closes_its_planned_phase(tx, rows):
    mission = rows.mission()
    phase = rows.phase(mission, planned=True, status=PhaseStatus.IN_PROGRESS)

    shift(tx, rows.task(mission), "skipped")

    assert tx.phases.get(phase.id).status is PhaseStatus.COMPLETED


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_takes_a_plan_while_it_can_still_follow_it(tx, rows, status):
    task = rows.task(rows.mission(), status=status, context={"a": 1})

    if status not in PLANNABLE:
        with pytest.raises(InvalidState):
            steering.set_plan(tx, task_id=task.id, plan=PLAN, context=None, owner=NOBODY)
        return
    entry = steering.set_plan(tx, task_id=task.id, plan=PLAN, context={"b": 2}, owner=NOBODY)
    after = tx.tasks.get(task.id)
    assert (entry.kind, entry.summary) == (EntryKind.PLAN, "step by step")
    assert (after.plan, after.context) == (PLAN, {"a": 1, "b": 2})
    assert after.status is (TaskStatus.PLANNING if status is TaskStatus.PENDING else status)


@pytest.mark.parametrize("status", list(TaskStatus))
def test_another_plan_is_another_attempt_and_a_failed_task_waits_again(tx, rows, status):
    task = rows.task(rows.mission(), status=status, attempts=1)

    if status not in {TaskStatus.IN_PROGRESS, TaskStatus.FAILED}:
        with pytest.raises(InvalidState):
            steering.replan(tx, task_id=task.id, reason="it broke", plan=PLAN, owner=NOBODY)
        return
    entry = steering.replan(tx, task_id=task.id, reason="it broke", plan=PLAN, owner=NOBODY)
    after = tx.tasks.get(task.id)
    assert (entry.kind, entry.summary, after.plan) == (EntryKind.REPLAN, "it broke", PLAN)
    failed = status is TaskStatus.FAILED
    assert (after.status, after.attempts) == ((TaskStatus.PENDING, 1) if failed else (status, 2))
