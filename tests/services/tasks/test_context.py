"""What a new owner needs to go on with a task, and what is new since it last looked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.tasks.states import TaskStatus
from mission.services.tasks import context
from mission.services.tasks.context import ContextCursor, ContextRequest
from tests.store.rows import at

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


def situation(tx, task, **wanted):
    everything = {
        "checkpoints": 9,
        "source_characters": 9,
        "earlier": True,
        "siblings": True,
        "dependencies": True,
        "since": None,
    }
    return context.read(tx, task_id=task.id, wanted=ContextRequest(**{**everything, **wanted}))


def names(tasks):
    return [task.name for task in tasks]


@pytest.fixture
def task(tx, rows):
    """Task b, which waits for a, next to c, behind the finished z."""
    mission = rows.mission()
    tx.missions.set_source(mission.id, "Build the whole shop")
    rows.task(mission, "z", status=TaskStatus.COMPLETED, completed_at=at(0))
    a = rows.task(mission, "a", phase=2, status=TaskStatus.IN_PROGRESS)
    rows.task(mission, "c", phase=2)
    b = rows.task(mission, "b", phase=2, waiting_for=1)
    tx.plans.add_dependencies([(b.id, a.id)])
    return b


@given(moment=MOMENTS, sequence=st.integers(0, 999_999_999))
def test_a_cursor_is_read_back_as_it_was_written(moment, sequence):
    cursor = ContextCursor(moment=moment, sequence=sequence)

    assert ContextCursor.parse(str(cursor), field="since") == cursor


@pytest.mark.parametrize("text", ["", "1", "1.", ".1", "-1.1", "1.1.1", "x.y", "9" * 18 + ".1", "1." + "9" * 10])
def test_what_is_no_cursor_is_named(text):
    with pytest.raises(InvalidInput, match="since"):
        ContextCursor.parse(text, field="since")


def test_everything_around_a_task_is_there(tx, rows, task):
    rows.entry(task, summary="one")
    rows.entry(task, summary="two", created_at=at(1))

    found = situation(tx, task)

    assert (found.source, found.task_is_new) == ("Build the", True)
    assert names(found.dependencies) == names(found.waits_for) == ["a"]
    assert (names(found.earlier), found.earlier_total) == (["z"], 1)
    assert (sorted(names(found.siblings)), found.siblings_total) == (["a", "c"], 2)
    assert ([entry.summary for entry in found.checkpoints], found.checkpoints_total) == (["two", "one"], 2)
    assert found.latest.summary == "two"


def test_only_what_was_asked_for_is_read_and_totals_stay(tx, rows, task):
    rows.entry(task, summary="one")

    found = situation(tx, task, checkpoints=0, earlier=False, siblings=False, dependencies=False)

    assert found.checkpoints == found.earlier == found.siblings == found.dependencies == []
    assert (found.checkpoints_total, names(found.waits_for), found.latest.summary) == (1, ["a"], "one")


def test_behind_its_own_mark_nothing_is_new_until_something_happens(tx, rows, task):
    rows.entry(task, summary="one")
    mark = situation(tx, task).cursor

    still = situation(tx, task, since=mark)
    rows.entry(task, summary="two")
    rows.task(tx.missions.get(task.mission_id), "d", phase=2, updated_at=at(5))
    later = situation(tx, task, since=mark)

    assert (still.task_is_new, still.checkpoints, still.dependencies, still.siblings) == (False, [], [], [])
    assert (still.cursor, still.checkpoints_total) == (mark, 0)
    assert ([entry.summary for entry in later.checkpoints], names(later.siblings)) == (["two"], ["d"])
    assert (later.cursor.moment, later.cursor.sequence) == (at(5), 2)


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_that_can_be_begun_is_shown_as_begun(tx, rows, status):
    task = rows.task(rows.mission(), status=status)

    shown = context.once_started(situation(tx, task), agent_id="a_1").task

    beginnable = status in {TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.PAUSED}
    assert shown.status is (TaskStatus.IN_PROGRESS if beginnable else status)
    assert shown.owner_id == ("a_1" if beginnable else None)


def test_a_task_that_waits_for_others_is_shown_as_it_is(tx, task):
    assert context.once_started(situation(tx, task), agent_id="a_1").task.status is TaskStatus.PENDING
