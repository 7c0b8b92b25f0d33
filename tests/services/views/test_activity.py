"""How many tasks were worked on and items waited, moment by moment."""

from __future__ import annotations

from mission.domain.inbox.item import ItemState
from mission.domain.tasks.states import TaskStatus
from mission.services.views.activity import LONGEST, SHORTEST, activity
from tests.store.rows import NOW, at


def test_work_that_waits_for_a_person_is_not_at_work(tx, rows):
    mission = rows.mission(updated_at=NOW)
    task = rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(-60), completed_at=at(-1))
    rows.item(task_id=task.id, created_at=at(-40), closed_at=at(-20), state=ItemState.ANSWERED)

    found = activity(tx, since=at(-60))

    by_minute = {(moment - NOW).total_seconds() / 60: place for place, moment in enumerate(found.at)}

    def near(minute):
        return by_minute[min(by_minute, key=lambda each: abs(each - minute))]

    assert [found.at_work[near(minute)] for minute in (-50, -30, -10)] == [1, 0, 1]
    assert [found.waiting[near(minute)] for minute in (-50, -30, -10)] == [0, 1, 0]
    assert found.unanswered_since is None


def test_the_oldest_open_item_says_since_when_somebody_waits(tx, rows):
    rows.item(created_at=at(-5))
    rows.item(created_at=at(-9))

    assert activity(tx, since=at(-60)).unanswered_since == at(-9)


def test_the_time_shown_is_neither_too_short_nor_too_long(tx):
    assert activity(tx, since=NOW).at[0] == NOW - SHORTEST
    assert activity(tx, since=at(-10_000_000)).at[0] == NOW - LONGEST
