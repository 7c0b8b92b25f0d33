"""What is around a task: the source, earlier work, and what goes on at the same time."""

from __future__ import annotations

import pytest

from mission.domain.tasks.states import OPEN, RUNNING, TaskStatus
from tests.store.rows import at


def names(tasks):
    return [task.name for task in tasks]


def test_the_source_is_cut_to_its_beginning_and_empty_when_there_is_none(tx, rows):
    mission = rows.mission()
    assert tx.nearby_tasks.source_start(mission.id, characters=5) == ""

    tx.missions.set_source(mission.id, "äöüß and more")

    assert tx.nearby_tasks.source_start(mission.id, characters=5) == "äöüß "


def test_the_number_of_entries_is_that_of_the_last_one(tx, rows):
    task = rows.task(rows.mission())
    assert tx.nearby_tasks.entries(task.id) == 0

    rows.entry(task)
    last = rows.entry(task)

    assert tx.nearby_tasks.entries(task.id) == last.sequence == 2


@pytest.mark.parametrize("status", list(TaskStatus))
def test_earlier_work_is_what_ended_in_phases_before(tx, rows, status):
    mission = rows.mission()
    ended = None if status in OPEN else at(3)
    rows.task(mission, "before", status=status, completed_at=ended)
    rows.task(mission, "same phase", phase=2, status=TaskStatus.COMPLETED, completed_at=at(4))
    task = rows.task(mission, "task", phase=2)
    counts = status not in OPEN

    assert names(tx.nearby_tasks.earlier(task, since=None, limit=9)) == ["before"] * counts
    assert tx.nearby_tasks.ended_before(task) == counts


def test_earlier_work_comes_latest_first_and_only_what_is_new(tx, rows):
    mission = rows.mission()
    for minute in (1, 3, 2):
        rows.task(mission, str(minute), status=TaskStatus.FAILED, completed_at=at(minute), updated_at=at(minute))
    task = rows.task(mission, "task", phase=2)

    assert names(tx.nearby_tasks.earlier(task, since=None, limit=2)) == ["3", "2"]
    assert names(tx.nearby_tasks.earlier(task, since=at(1), limit=9)) == ["3", "2"]


@pytest.mark.parametrize("status", list(TaskStatus))
def test_tasks_next_to_one_are_listed_with_those_in_hand_first(tx, rows, status):
    mission = rows.mission()
    rows.task(mission, "pending", position=1)
    rows.task(mission, "other", position=2, status=status, created_at=at(1))
    task = rows.task(mission, "task")
    rows.task(mission, "later phase", phase=2)

    expected = ["other", "pending"] if status in RUNNING else ["pending", "other"]
    assert names(tx.nearby_tasks.same_phase(task, since=None, limit=9)) == expected
    assert names(tx.nearby_tasks.same_phase(task, since=None, limit=1)) == expected[:1]


def test_a_mission_lists_what_is_in_hand_by_plan_and_what_was_completed_latest_first(tx, rows):
    mission = rows.mission()
    rows.task(mission, "b", phase=2, status=TaskStatus.REVIEW)
    rows.task(mission, "a", phase=1, status=TaskStatus.PLANNING)
    rows.task(mission, "waits", status=TaskStatus.PENDING, waiting_for=1)
    for minute in (2, 1):
        rows.task(mission, f"done {minute}", status=TaskStatus.COMPLETED, completed_at=at(minute))
    rows.task(mission, "failed", status=TaskStatus.FAILED, completed_at=at(9))

    assert names(tx.nearby_tasks.in_hand(mission.id, limit=9)) == ["a", "b"]
    assert names(tx.nearby_tasks.completed_last(mission.id, limit=9)) == ["done 2", "done 1"]
