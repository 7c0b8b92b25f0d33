"""How a mission ends: what is open is closed or named, and what it came to is measured."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.missions.mission import MissionOutcome, MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.services.missions import completion as mission_ends
from tests.store.rows import at


def complete(tx, mission, outcome=MissionOutcome.COMPLETED, summary="s"):
    return mission_ends.complete(
        tx, mission_id=mission.id, outcome=outcome, summary=summary, achievements=["a"], limitations=()
    )


@pytest.fixture
def running(rows):
    return rows.mission(status=MissionStatus.IN_PROGRESS)


def test_a_mission_with_open_tasks_is_not_completed_and_they_are_named(tx, rows, running, monkeypatch):
    monkeypatch.setattr(mission_ends, "NAMED_TASKS", 10)
    tasks = [rows.task(running, f"n{n}", created_at=at(n)) for n in range(12)]

    with pytest.raises(InvalidState) as raised:
        complete(tx, running)

    assert "12 open tasks" in raised.value.message
    assert raised.value.message.endswith("and 2 more")
    assert raised.value.details["open_tasks"] == [task.id for task in tasks]


@pytest.mark.parametrize("status", sorted(OPEN))
@pytest.mark.parametrize("outcome", [MissionOutcome.FAILED, MissionOutcome.PARTIAL])
def test_another_end_skips_what_is_open_and_says_so(tx, rows, running, outcome, status):
    phase = rows.phase(running, 1, status=PhaseStatus.IN_PROGRESS)
    task = rows.task(running, status=status, owner_id="a_1", lease_until=at(9))

    finished = complete(tx, running, outcome)

    after = tx.tasks.get(task.id)
    assert (after.status, after.owner_id) == (TaskStatus.SKIPPED, None)
    closed = PhaseStatus.FAILED if outcome is MissionOutcome.FAILED else PhaseStatus.COMPLETED
    assert tx.phases.get(phase.id).status is closed
    assert finished.warnings == [
        f"task {task.id} 'Sort' was still {status} and is now skipped",
        f"phase 1 'Phase 1' was still in progress and is now {closed}",
    ]
    assert tx.missions.get(running.id).status is outcome.status


def test_an_end_said_again_answers_as_the_first_and_another_is_refused(tx, running):
    first = complete(tx, running)
    tx.now = at(60)

    again = complete(tx, running)

    assert (again.metrics, again.outcome, again.mission.completed_at) == (first.metrics, first.outcome, at(0))
    with pytest.raises(InvalidState):
        complete(tx, running, summary="another")


def test_what_a_mission_came_to_counts_each_file_once(tx, rows, running):
    changes = {"added": ["a"], "modified": ["b"], "deleted": [], "renamed": []}
    spent = {"tokens_input": 3, "tokens_output": None}
    for minute in (1, 2):
        rows.task(
            running,
            status=TaskStatus.COMPLETED,
            changes=changes,
            metadata=spent,
            started_at=at(0),
            completed_at=at(minute),
        )
    rows.task(running, phase=2, status=TaskStatus.SKIPPED)
    tx.now = at(10)

    metrics = complete(tx, running).metrics

    assert (metrics.phases, metrics.tasks, metrics.files_changed) == (2, 3, 2)
    assert (metrics.duration_seconds, metrics.task_seconds) == (600.0, 180.0)
    assert (metrics.tokens_input, metrics.tokens_output) == (6, 0)


def test_agents_that_still_run_are_named(tx, rows, running):
    task = rows.task(running, status=TaskStatus.COMPLETED)
    live = rows.execution(task, status=ExecutionStatus.WAITING)
    rows.execution(task, status=ExecutionStatus.LOST)

    assert complete(tx, running).warnings == [f"execution {live.id} is still running and is being stopped"]


def test_a_mission_that_is_abandoned_leaves_nothing_open_and_keeps_the_reason(tx, rows, running):
    task = rows.task(running)

    moved = mission_ends.move(tx, mission_id=running.id, status=MissionStatus.ABANDONED, reason="no money")

    assert (moved.summary, tx.tasks.get(task.id).status) == ("no money", TaskStatus.SKIPPED)
    assert (
        mission_ends.move(
            tx, mission_id=rows.mission(status=MissionStatus.IN_PROGRESS).id, status=MissionStatus.PAUSED, reason="r"
        ).summary
        is None
    )
