"""Moves of a task: what each does to it, and what follows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import IllegalMove, InvalidState
from mission.domain.tasks import moves
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.moves import Cause, TaskEnd, TaskMove
from mission.domain.tasks.states import DONE, OPEN, TaskStatus
from mission.domain.tasks.task import Quality
from tests.domain.samples import NOW, after, task

STATUSES = st.sampled_from(TaskStatus)
QUESTION = Hold(HoldKind.INPUT, "Which one?", "a_1")
LATER = after(minutes=5)


def asked(**fields):
    return task(
        status=TaskStatus.PAUSED, owner_id="a_1", hold=QUESTION, started_at=NOW, attempt_started_at=NOW, **fields
    )


def end(status):
    quality = Quality.SUCCESS if status is TaskStatus.COMPLETED else None
    return TaskEnd(status=status, quality=quality, outcome={"summary": "s"}, metadata=None, changes=None, error="e")


@given(STATUSES, STATUSES, st.integers(0, 1), st.sampled_from([None, "a_1"]), st.sampled_from([None, "a_2"]))
def test_what_follows_from_a_move_is_read_from_what_it_changed(was, now, fence, owner, next_owner):
    before = task(status=was, fence=fence, owner_id=owner, hold=QUESTION if was is TaskStatus.PAUSED else None)
    move = TaskMove(
        before=before,
        after=task(status=now, fence=fence, owner_id=next_owner, hold=QUESTION if now is TaskStatus.PAUSED else None),
        cause=Cause.STARTED,
    )

    assert move.frees_dependents == (now in DONE and was not in DONE)
    assert move.ends_hold == (was is TaskStatus.PAUSED and now is not TaskStatus.PAUSED)
    assert move.ends_review == (was is TaskStatus.REVIEW and now is not TaskStatus.REVIEW)
    assert now in OPEN or move.withdraws_questions == (now is not was or move.ends_search)
    assert not move.ends_search or (fence and owner is None)


def test_a_claim_is_stored_by_its_own_statement_and_everything_else_that_changes_by_saving():
    claim = moves.claimed(task(), "a_2", at=NOW, until=LATER)

    assert not claim.needs_saving
    assert not moves.reported(task()).needs_saving
    assert moves.held(task(status=TaskStatus.IN_PROGRESS), QUESTION, at=LATER, cause=Cause.ASKED).needs_saving


def test_an_agent_that_comes_back_to_its_task_goes_on_with_the_same_attempt():
    answered = moves.resumed(asked(attempts=1), at=after(hours=8), cause=Cause.ANSWERED, lease_until=after(hours=9))
    back = moves.resumed_by(answered.after, answered.after, at=after(hours=8, minutes=1))

    assert (answered.after.status, answered.after.hold, answered.ends_hold) == (TaskStatus.IN_PROGRESS, None, True)
    assert (back.after.status, back.after.attempts, back.cause) == (TaskStatus.IN_PROGRESS, 1, Cause.RESUMED)
    assert back.after.attempt_started_at == after(hours=8, minutes=1)


@pytest.mark.parametrize("status", [TaskStatus.COMPLETED, TaskStatus.FAILED])
def test_a_held_task_ends_from_its_hold_and_its_attempt_began_before_it(status):
    ended = moves.ended(asked(), end(status), at=LATER)

    assert (ended.after.status, ended.after.hold, ended.after.completed_at) == (status, None, LATER)
    assert ended.after.attempt_started_at == NOW
    assert (ended.after.failed_attempts, ended.cause) == (
        (1, Cause.FAILED) if status is TaskStatus.FAILED else (0, Cause.COMPLETED)
    )


@given(STATUSES)
def test_work_is_put_under_review_and_sent_back_without_a_state_in_between(status):
    one = task(status=status, owner_id="a_1", attempts=2, lease_until=NOW)
    if status not in {TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}:
        with pytest.raises(InvalidState):
            moves.submitted(one, at=LATER)
        return

    review = moves.submitted(one, at=LATER).after
    back = moves.sent_back(review, at=LATER).after

    assert (review.status, review.owner_id, review.lease_until) == (TaskStatus.REVIEW, "a_1", None)
    assert (back.status, back.owner_id, back.previous_owner_id) == (TaskStatus.PENDING, None, "a_1")
    assert review.attempts == back.attempts == 2


@given(STATUSES)
def test_only_a_legal_end_ends_a_task(status):
    one = task(status=status)
    try:
        moved = moves.ended(one, end(TaskStatus.COMPLETED), at=LATER)
    except IllegalMove:
        return

    assert status in OPEN
    assert moved.frees_dependents


@pytest.mark.parametrize("failed", [True, False])
def test_a_block_outlives_the_agent_that_reported_it(failed):
    blocked = task(status=TaskStatus.PAUSED, owner_id="a_1", hold=Hold(HoldKind.BLOCKED, "no key", "a_1"))

    left = moves.left(blocked, failed=failed, at=LATER).after
    free = moves.left(task(status=TaskStatus.IN_PROGRESS, owner_id="a_1"), failed=failed, at=LATER).after

    assert (left.status, left.hold, left.owner_id) == (TaskStatus.PAUSED, blocked.hold, None)
    assert (free.status, free.owner_id) == (TaskStatus.PENDING, None)
    assert left.failed_attempts == free.failed_attempts == int(failed)


def test_a_new_owner_and_a_new_start_begin_a_new_attempt():
    began = task().move_to(TaskStatus.IN_PROGRESS, at=NOW)
    failed = began.move_to(TaskStatus.FAILED, at=after(seconds=10))
    again = failed.move_to(TaskStatus.IN_PROGRESS, at=after(hours=20))
    handed = asked().handed_to("a_2", at=LATER, until=LATER)

    assert (began.started_at, began.attempt_started_at) == (NOW, NOW)
    assert (again.started_at, again.attempt_started_at) == (NOW, after(hours=20))
    assert again.released(at=LATER).attempt_started_at is None
    assert handed.attempt_started_at is None
    assert asked().move_to(TaskStatus.IN_PROGRESS, at=LATER).attempt_started_at == LATER


def test_a_hold_is_stored_and_read_as_it_always_was():
    stored = {"kind": "input", "reason": "Which one?", "by": "a_1"}

    assert QUESTION.as_dict() == stored
    assert Hold.from_dict(stored) == QUESTION
    assert Hold.from_dict({"kind": "budget"}).as_dict() == {"kind": "budget", "reason": None, "by": None}
