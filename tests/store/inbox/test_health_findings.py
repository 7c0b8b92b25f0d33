"""Where work has gone wrong: silent owners, crashing executions, tasks tried too often."""

from __future__ import annotations

import pytest

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.inbox.health_findings import ATTEMPTS, CRASHED, CRASHES, EXPECTED, UNFINISHED
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.tasks.states import TaskStatus
from tests.store.rows import NOW, at


@pytest.mark.parametrize("status", list(TaskStatus))
def test_an_agent_is_silent_when_its_lease_on_unfinished_work_is_over(tx, rows, status):
    agent = rows.agent()
    task = rows.task(rows.mission(), status=status, owner_id=agent.id, lease_until=at(-1))

    silent = [(row["agent_id"], row["tasks"], row["task_id"]) for row in tx.health.silent(now=NOW)]

    assert silent == [(agent.id, 1, task.id)] * (status in EXPECTED)


def test_a_silent_agent_is_found_once_with_all_its_tasks(tx, rows):
    agent, busy = rows.agent(), rows.agent("bob")
    mission = rows.mission()
    for _ in range(3):
        rows.task(mission, owner_id=agent.id, lease_until=at(-1), status=TaskStatus.IN_PROGRESS)
    rows.task(mission, owner_id=busy.id, lease_until=at(1), status=TaskStatus.IN_PROGRESS)

    [found] = tx.health.silent(now=NOW)

    assert (found["name"], found["tasks"], found["last_seen_at"]) == ("ada", 3, NOW)


@pytest.mark.parametrize("status", list(MissionStatus))
def test_a_mission_that_has_ended_is_left_in_peace(tx, rows, status):
    agent = rows.agent()
    mission = rows.mission(status=status)
    task = rows.task(mission, owner_id=agent.id, lease_until=at(-1), status=TaskStatus.IN_PROGRESS, attempts=ATTEMPTS)
    for _ in range(CRASHES):
        rows.execution(task, status=next(iter(CRASHED)))

    found = (tx.health.silent(now=NOW), tx.health.crashing(), tx.health.tried_often())

    assert [len(rows) for rows in found] == ([0, 0, 0] if status in ENDED else [1, 1, 1])


@pytest.mark.parametrize("status", list(ExecutionStatus))
def test_a_task_crashes_when_enough_of_its_executions_did(tx, rows, status):
    task = rows.task(rows.mission())
    for _ in range(CRASHES - 1):
        rows.execution(task, status=status)
    assert tx.health.crashing() == []

    rows.execution(task, status=status)

    assert [(row["task_id"], row["crashes"]) for row in tx.health.crashing()] == [(task.id, CRASHES)] * (
        status in CRASHED
    )


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_task_was_tried_too_often_only_while_it_is_unfinished(tx, rows, status):
    mission = rows.mission()
    rows.task(mission, attempts=ATTEMPTS - 1)
    task = rows.task(mission, status=status, attempts=ATTEMPTS)

    assert [row["task_id"] for row in tx.health.tried_often()] == [task.id] * (status in UNFINISHED)
