"""Phases: started, closed, and closed by themselves when a plan made them."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.domain.missions.mission import MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import TaskStatus
from mission.services import phases
from tests.store.rows import NOW, at


def start(tx, mission, number=1):
    return phases.start(tx, mission_id=mission.id, number=number, name="P", description=None, is_parallel=False)


def complete(tx, phase, status=PhaseStatus.COMPLETED, summary=None):
    return phases.complete(tx, phase_id=phase.id, status=status, summary=summary)


def test_a_phase_is_made_once_and_the_mission_begins_with_it(tx, rows):
    mission = rows.mission()

    first, again = start(tx, mission), start(tx, mission)

    assert (first.already_exists, again.already_exists) == (False, True)
    assert first.phase.id == again.phase.id
    assert tx.missions.get(mission.id).status is MissionStatus.IN_PROGRESS


def test_a_planned_phase_that_waited_is_started(tx, rows):
    mission = rows.mission()
    waiting = rows.phase(mission, 2, planned=True)

    started = start(tx, mission, 2).phase

    assert (started.id, started.status, started.started_at) == (waiting.id, PhaseStatus.IN_PROGRESS, NOW)


def test_closing_names_what_is_still_open_and_said_again_answers_the_same(tx, rows):
    mission = rows.mission()
    phase = start(tx, mission).phase
    task = rows.task(rows.mission("other"))
    tx.connection.exec_driver_sql(f"UPDATE tasks SET phase_id = '{phase.id}' WHERE id = '{task.id}'")

    first = complete(tx, phase, summary="s")
    tx.now = at(5)
    again = complete(tx, phase, summary="s")

    assert first.warnings == [f"task {task.id} 'Sort' is still pending"]
    assert (again.warnings, again.phase.completed_at) == (first.warnings, NOW)
    with pytest.raises(InvalidState):
        complete(tx, phase, summary="another")


def test_a_phase_that_has_not_begun_cannot_be_closed(tx, rows):
    phase = rows.phase(rows.mission())

    with pytest.raises(InvalidState, match="has not started"):
        complete(tx, phase)


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_phase_of_a_plan_closes_with_its_last_task_unless_one_failed(tx, rows, planned, status):
    mission = rows.mission()
    phase = rows.phase(mission, planned=planned, status=PhaseStatus.IN_PROGRESS)
    rows.task(mission, status=TaskStatus.COMPLETED)
    rows.task(mission, status=status)

    settled = phases.settle(tx, mission=mission, phase_id=phase.id)

    done = status in {TaskStatus.COMPLETED, TaskStatus.SKIPPED}
    assert (settled.status is PhaseStatus.COMPLETED) is (planned and done)
