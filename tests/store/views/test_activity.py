"""From when to when tasks were worked on, and items waited for a person."""

from __future__ import annotations

from mission.domain.inbox.item import ItemState
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.states import TaskStatus
from tests.store.rows import at


def test_work_is_what_ended_after_a_moment_and_what_is_in_hand(tx, rows):
    mission = rows.mission(updated_at=at(9))
    ended = rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(1), completed_at=at(5))
    running = rows.task(mission, status=TaskStatus.PAUSED, started_at=at(-9))
    rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(1), completed_at=at(2))
    rows.task(mission, status=TaskStatus.SKIPPED, completed_at=at(5))
    rows.task(mission)
    closed = rows.mission("closed", status=MissionStatus.FAILED, updated_at=at(9))
    rows.task(closed, status=TaskStatus.IN_PROGRESS, started_at=at(1))

    worked = [tuple(row) for row in tx.activity.worked(since=at(2), limit=9)]

    assert worked == [(ended.id, at(1), at(5)), (running.id, at(-9), None)]


def test_so_many_of_what_ended_last_are_enough(tx, rows):
    mission = rows.mission(updated_at=at(9))
    tasks = [
        rows.task(mission, status=TaskStatus.FAILED, started_at=at(0), completed_at=at(minute)) for minute in (1, 3, 2)
    ]

    assert [row.id for row in tx.activity.worked(since=at(0), limit=2)] == [tasks[1].id, tasks[2].id]


def test_items_wait_while_they_are_open_and_waited_until_they_were_closed(tx, rows):
    rows.item(created_at=at(1), closed_at=at(2), state=ItemState.ANSWERED)
    closed = rows.item(created_at=at(2), closed_at=at(5), state=ItemState.DISMISSED)
    waiting = rows.item(created_at=at(-9))

    waited = [tuple(row) for row in tx.activity.waited(since=at(2), limit=9)]

    assert waited == [(None, closed.created_at, at(5)), (None, waiting.created_at, None)]
    assert len(tx.activity.waited(since=at(2), limit=1)) == 1
