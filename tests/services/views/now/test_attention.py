"""What is stuck and what is next, read from the rows."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.domain.timestamps import format_time
from mission.services.agents.registration import LivenessSettings
from mission.services.views import overview as views
from tests.store.rows import NOW, at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))
OLD = {"created_at": at(-60), "updated_at": at(-60)}


@pytest.fixture
def attention(tx):
    def read(shown_at=views.nobody):
        return views.overview(tx, since=None, liveness=LIVENESS, shown_at=shown_at).attention

    return read


@pytest.fixture
def mission(rows):
    return rows.mission("Ledger", status=MissionStatus.IN_PROGRESS, max_parallel=2)


def stuck(found):
    return [(str(each.stuck.reason), each.task.row.name, len(each.stuck.tasks)) for each in found.stuck]


def test_ready_tasks_that_nobody_takes_are_stuck_together_unless_all_places_are_taken(rows, mission, attention):
    rows.task(mission, "first", position=1, **OLD)
    rows.task(mission, "second", position=2, **OLD)
    rows.task(mission, "fresh", position=3)
    assert stuck(attention()) == [("untouched", "first", 2)]

    for _ in range(2):
        rows.task(mission, "runs", status=TaskStatus.IN_PROGRESS, owner_id="a_1")

    assert stuck(attention()) == []


def test_a_task_is_ready_since_the_last_of_its_dependencies_was_done(tx, rows, mission, attention):
    done = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "completed_at": at(-5)}
    before = rows.task(mission, "before", **done)
    task = rows.task(mission, "after", **OLD)
    tx.plans.add_dependencies([(task.id, before.id)])

    found = attention()

    assert stuck(found) == []
    assert [(each.line.row.name, each.since) for each in found.next_up] == [("after", at(-5))]


def test_nothing_is_untouched_in_a_mission_that_waits_or_has_ended(rows, attention):
    for status in (MissionStatus.PLANNING, MissionStatus.PAUSED, MissionStatus.COMPLETED):
        rows.task(rows.mission(status=status), **OLD)

    assert stuck(attention()) == []


def test_a_review_is_stuck_from_ten_minutes_after_it_was_asked_for(rows, mission, attention):
    task = rows.task(mission, "look", status=TaskStatus.REVIEW, owner_id="a_1", **OLD)
    item = {"task_id": task.id, "mission_id": mission.id}
    rows.item(ItemKind.REVIEW, created_at=at(-9), **item)
    assert stuck(attention()) == []

    rows.item(ItemKind.REVIEW, created_at=at(-11), **item)

    assert stuck(attention()) == [("review", "look", 1)]


def test_a_silent_agent_is_stuck_and_a_launched_one_is_silent_when_its_screen_is(rows, mission, attention):
    quiet = rows.agent("quiet", last_seen_at=at(-11))
    lively = rows.agent("lively")
    rows.task(mission, "quiet", status=TaskStatus.IN_PROGRESS, owner_id=quiet.id)
    launched = rows.task(mission, "launched", status=TaskStatus.IN_PROGRESS, owner_id=lively.id)
    run = rows.execution(launched, agent_id=lively.id, status=ExecutionStatus.RUNNING)

    found = attention(shown_at={run.id: at(-12)}.get)
    assert stuck(found) == [("silent", "launched", 1), ("silent", "quiet", 1)]
    assert [each.execution_id for each in found.stuck] == [run.id, None]
    assert stuck(attention(shown_at={run.id: at(-1)}.get)) == [("silent", "quiet", 1)]


def test_a_task_that_failed_twice_is_stuck_whoever_has_it_now(rows, mission, attention):
    rows.task(mission, "again", failed_attempts=2)
    rows.task(mission, "gone", status=TaskStatus.FAILED, failed_attempts=3, completed_at=NOW)
    rows.task(mission, "done", status=TaskStatus.COMPLETED, quality=Quality.SUCCESS, failed_attempts=3)

    found = attention()

    assert sorted(stuck(found)) == [("failed", "again", 1), ("failed", "gone", 1)]
    assert found.stuck_total == 2


def test_what_is_next_comes_in_plan_order_with_an_estimate_once_enough_tasks_ended(rows, mission, attention):
    rows.task(mission, "second", phase=1, position=2)
    rows.task(mission, "first", phase=1, position=1)
    rows.task(mission, "third", phase=2, position=1)
    rows.task(mission, "fourth", phase=2, position=2)
    assert [(each.line.row.name, each.typical) for each in attention().next_up] == [
        ("first", None),
        ("second", None),
        ("third", None),
    ]

    for minutes in (4, 5, 6, 7, 8):
        span = {"started_at": at(-60), "attempt_started_at": at(-60), "completed_at": at(minutes - 60)}
        rows.task(mission, "done", status=TaskStatus.COMPLETED, quality=Quality.SUCCESS, **span)

    found = attention()
    assert found.ready == 4
    assert [each.typical.range for each in found.next_up] == [(300, 420)] * 3


def test_the_last_signal_of_a_launched_agent_is_shown_unless_the_journal_is_newer(tx, rows, mission):
    task = rows.task(mission, "write", status=TaskStatus.IN_PROGRESS, owner_id="a_1")
    progress = {"summary": "Wrote the handler", "at": format_time(at(-3))}
    rows.execution(task, status=ExecutionStatus.RUNNING, progress=progress)

    def said():
        [line] = views.overview(tx, since=None, liveness=LIVENESS).running
        return line.said, line.said_at

    assert said() == ("Wrote the handler", at(-3))
    rows.entry(task, summary="How? → Like this", created_at=at(-1))
    assert said() == ("How? → Like this", at(-1))
