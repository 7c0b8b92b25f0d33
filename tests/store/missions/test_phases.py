"""Phases and how many of their tasks are where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.errors import NotFound
from mission.domain.missions.phase import Phase, PhaseStatus
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from tests.store.rows import NOW, at, undone


def test_an_unknown_phase_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound, match="p_nowhere000"):
        tx.phases.get("p_nowhere000")


def test_the_phases_of_a_mission_are_listed_by_number(tx, rows):
    mission, other = rows.mission(), rows.mission("other")
    third, first = rows.phase(mission, 3), rows.phase(mission, 1)
    rows.phase(other, 2)

    assert [phase.id for phase in tx.phases.of_mission(mission.id)] == [first.id, third.id]
    assert tx.phases.by_number(mission.id, 3).id == third.id
    assert tx.phases.by_number(mission.id, 2) is None


def test_a_number_is_given_once_in_a_mission(tx, rows):
    mission = rows.mission()
    rows.phase(mission, 1)

    with pytest.raises(IntegrityError), undone(tx):
        tx.phases.add(Phase(id="p_2", mission_id=mission.id, number=1, name="again", created_at=NOW))


def test_each_task_is_counted_in_the_bucket_of_its_state(tx, rows):
    mission = rows.mission()
    for status in TaskStatus:
        rows.task(mission, status=status, quality=Quality.PARTIAL if status is TaskStatus.COMPLETED else None)
    rows.task(mission, status=TaskStatus.COMPLETED)

    tally = tx.phases.by_number(mission.id, 1).counts

    counted = (tally.pending, tally.in_progress, tally.success, tally.partial, tally.failed, tally.skipped)
    assert counted == (2, 3, 1, 1, 1, 1)


def test_saving_a_phase_does_not_touch_its_counts(tx, rows):
    mission = rows.mission()
    phase = rows.phase(mission)
    rows.task(mission)

    tx.phases.save(replace(phase, status=PhaseStatus.COMPLETED, summary="done", completed_at=at(3)))

    found = tx.phases.get(phase.id)
    assert (found.status, found.summary, found.completed_at) == (PhaseStatus.COMPLETED, "done", at(3))
    assert found.counts.total == 1
