"""What tasks put before a person, and when it is withdrawn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.inbox.item import ItemKind
from mission.domain.tasks import moves
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.moves import Cause, TaskMove
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.services.inbox import task_requests as asking
from tests.store.rows import NOW, at

BLOCK = Hold(HoldKind.BLOCKED, "no key", "a_9")


def kinds(tx, task):
    return sorted(str(item.kind) for item in tx.inbox.open_where(task_id=task.id))


def test_a_block_is_asked_about_once_by_its_reason(tx, rows):
    task = rows.task(rows.mission(), "Sort", status=TaskStatus.PAUSED, hold=BLOCK, owner_id="a_1")

    asking.blocked(tx, task, BLOCK)
    asking.blocked(tx, task, replace(BLOCK, reason="still none"))

    [item] = tx.inbox.open_where(task_id=task.id)
    assert (item.kind, item.subject, item.agent_id, item.count) == (ItemKind.BLOCKER, "no key", "a_9", 2)


def test_a_block_without_a_reason_is_named_after_its_task(tx, rows):
    task = rows.task(rows.mission(), "Sort", status=TaskStatus.PAUSED, owner_id="a_1")

    asking.blocked(tx, task, Hold(HoldKind.BLOCKED))

    [item] = tx.inbox.open_where(task_id=task.id)
    assert (item.subject, item.agent_id) == ("'Sort' is blocked", "a_1")


@pytest.mark.parametrize("outcome", [None, {}, {"manual_review_needed": False}])
def test_a_review_is_asked_for_only_by_whoever_did_the_work(tx, rows, outcome):
    task = rows.task(rows.mission(), status=TaskStatus.COMPLETED, outcome=outcome)
    asking.review(tx, task)
    assert kinds(tx, task) == []

    wanted = {"manual_review_needed": True, "manual_review_reason": "the lock", "summary": "rewrote it"}
    asking.review(tx, replace(task, outcome=wanted))

    [item] = tx.inbox.open_where(task_id=task.id)
    assert (item.subject, item.body) == ("the lock", "the lock\n\nrewrote it")


@pytest.mark.parametrize("status", list(TaskStatus))
def test_what_was_asked_about_a_held_task_goes_when_the_hold_or_the_task_ends(tx, rows, status):
    before = rows.task(rows.mission(), status=TaskStatus.PAUSED, hold=BLOCK)
    asking.blocked(tx, before, BLOCK)
    asking.verdict(tx, before, words="done?", agent_id=None)

    stays = status is TaskStatus.PAUSED
    after = replace(before, status=status, hold=BLOCK if stays else None)
    asking.moved(tx, TaskMove(before=before, after=after, cause=Cause.ANSWERED))

    assert kinds(tx, before) == (["blocker", "review"] if stays else ["review"])


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_verdict_is_withdrawn_when_the_task_leaves_its_review(tx, rows, status):
    before = rows.task(rows.mission(), status=TaskStatus.REVIEW)
    asking.verdict(tx, before, words="done?", agent_id=None)

    asking.moved(tx, TaskMove(before=before, after=replace(before, status=status), cause=Cause.SENT_BACK))

    assert kinds(tx, before) == ["review"] * (status is TaskStatus.REVIEW)


@pytest.mark.parametrize("status", sorted(OPEN))
def test_skipping_many_withdraws_what_was_asked_about_them_and_nothing_else(tx, rows, status):
    mission = rows.mission()
    task = rows.task(mission, status=status, hold=BLOCK if status is TaskStatus.PAUSED else None)
    other = rows.task(mission, status=TaskStatus.PAUSED, hold=BLOCK)
    for each in (task, other):
        asking.blocked(tx, each, BLOCK)
        asking.verdict(tx, each, words="done?", agent_id=None)

    asking.skipped(tx, mission_id=mission.id, tasks=[task])

    assert kinds(tx, task) == ([] if status is TaskStatus.REVIEW else ["review"])
    assert kinds(tx, other) == ["blocker", "review"]


def test_a_failure_is_withdrawn_when_somebody_takes_the_task_or_its_mission_ends(tx, rows):
    mission = rows.mission()
    taken, left = (rows.task(mission, fence=1) for _ in range(2))
    for task in (taken, left):
        asking.failed(tx, task, reason="exit code 1", detail="", agent_id="a_1", execution_id="x_1")

    asking.moved(tx, moves.claimed(taken, "a_2", at=NOW, until=at(9)))
    assert (kinds(tx, taken), kinds(tx, left)) == ([], ["failure"])
    asking.mission_ended(tx, mission_id=mission.id)
    assert kinds(tx, left) == []
