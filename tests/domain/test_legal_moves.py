"""The state machines: exactly the moves of the tables, and errors that name the legal ones."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import IllegalMove
from mission.domain.missions import mission as missions
from mission.domain.missions import phase as phases
from mission.domain.missions.mission import Family, Mission, MissionStatus
from mission.domain.missions.phase import Phase, PhaseStatus, current_phase
from mission.domain.tasks import states
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task

NOW = datetime(2026, 1, 1, tzinfo=UTC)

TASK = {
    "pending": "planning in_progress skipped",
    "planning": "pending in_progress completed failed skipped",
    "in_progress": "pending paused review completed failed skipped",
    "paused": "pending in_progress failed skipped",
    "review": "in_progress completed failed skipped",
    "failed": "pending in_progress skipped",
    "completed": "",
    "skipped": "",
}
MISSION = {
    "planning": "ready in_progress completed failed abandoned",
    "ready": "in_progress paused completed failed abandoned",
    "in_progress": "paused blocked completed failed abandoned",
    "paused": "in_progress completed failed abandoned",
    "blocked": "in_progress completed failed abandoned",
    "failed": "in_progress",
    "completed": "",
    "abandoned": "",
}
PHASE = {"pending": "in_progress completed failed", "in_progress": "completed failed", "completed": "", "failed": ""}


def task(status):
    return Task(
        id="t_1",
        mission_id="m_1",
        phase_id="p_1",
        phase_number=1,
        name="n",
        goal="g",
        created_at=NOW,
        updated_at=NOW,
        status=TaskStatus(status),
    )


def mission(status):
    return Mission(
        id="m_1",
        name="n",
        objective="o",
        family=Family.MISSION,
        created_at=NOW,
        updated_at=NOW,
        status=MissionStatus(status),
    )


def phase(status, number=1):
    return Phase(
        id=f"p_{number}", mission_id="m_1", number=number, name="n", created_at=NOW, status=PhaseStatus(status)
    )


KINDS = [
    (task, TaskStatus, TASK, states.MOVES),
    (mission, MissionStatus, MISSION, missions.MOVES),
    (phase, PhaseStatus, PHASE, phases.MOVES),
]


@pytest.mark.parametrize(("make", "statuses", "table", "moves"), KINDS)
def test_exactly_the_moves_of_the_table_are_legal(make, statuses, table, moves):
    assert {str(state) for state in moves} == set(table)
    for current, legal in table.items():
        for wanted in statuses:
            if wanted in legal.split():
                assert make(current).move_to(wanted, at=NOW).status is wanted
            else:
                with pytest.raises(IllegalMove) as caught:
                    make(current).move_to(wanted, at=NOW)
                assert caught.value.details["current"] == current
                assert caught.value.details["legal"] == [str(state) for state in statuses if state in legal.split()]


@given(st.lists(st.sampled_from(TaskStatus), max_size=30))
def test_a_task_that_ended_has_an_end_and_one_that_goes_on_has_none(wanted):
    current = task("pending")
    for status in wanted:
        try:
            current = current.move_to(status, at=NOW)
        except IllegalMove:
            continue
    assert (current.completed_at is not None) == (current.status not in states.OPEN)
    assert current.started_at is not None or current.attempts == 0
    assert current.hold is None


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ({}, 1),
        ({1: "in_progress"}, 1),
        ({1: "completed"}, 2),
        ({1: "completed", 2: "pending"}, 2),
        ({1: "completed", 2: "in_progress", 3: "in_progress"}, 2),
        ({1: "completed", 2: "failed"}, 2),
        ({1: "completed", 2: "completed", 3: "completed"}, 3),
    ],
)
def test_the_current_phase(statuses, expected):
    assert current_phase([phase(status, number) for number, status in statuses.items()], total=3) == expected


@given(st.sampled_from(TaskStatus))
def test_every_task_lies_on_one_heap_of_its_phases_tally(status):
    assert task(status).count_bucket in phases.PhaseCounts.__dataclass_fields__
