"""The states of a task: the legal moves, and the groups of states that rules ask for."""

from __future__ import annotations

from mission.domain.tasks.states import (
    ACTIVE,
    COMPLETABLE,
    DONE,
    FREE,
    HELD,
    MOVES,
    NOT_STARTED,
    OPEN,
    PLANNABLE,
    REPLANNABLE,
    RUNNING,
    STALLED,
    TaskStatus,
)


def test_the_sets_of_states_fit_together():
    assert STALLED < RUNNING < OPEN
    assert OPEN | {TaskStatus.FAILED} == HELD
    assert DONE.isdisjoint(HELD)
    assert FREE < HELD
    assert PLANNABLE < OPEN
    assert NOT_STARTED < OPEN
    assert ACTIVE == RUNNING - STALLED


def test_only_what_is_done_for_good_has_no_move_left():
    assert {status for status, legal in MOVES.items() if not legal} == DONE


def test_every_state_can_be_reached_from_the_first_one():
    reached = {TaskStatus.PENDING}
    while more := {after for before in reached for after in MOVES[before]} - reached:
        reached |= more

    assert reached == set(TaskStatus)


def test_a_task_may_be_completed_from_where_complete_task_is_offered():
    assert all(TaskStatus.COMPLETED in MOVES[status] for status in COMPLETABLE)


def test_a_new_plan_replaces_one_whose_work_has_begun_or_failed():
    assert REPLANNABLE.isdisjoint(NOT_STARTED)
    assert all(TaskStatus.IN_PROGRESS in MOVES[status] for status in REPLANNABLE - {TaskStatus.IN_PROGRESS})
