"""Observations: only added to, and removed long after their execution."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.executions.execution import ExecutionStatus
from tests.store.rows import at, undone


def test_an_event_id_counts_once_per_execution(tx, rows):
    task = rows.task(rows.mission())
    one, two = rows.execution(task), rows.execution(task)
    made = rows.observation(one, "e1")

    with pytest.raises(IntegrityError), undone(tx) as again:
        again.observation(one, "e1")

    assert tx.observations.find(one.id, "e1") == made
    assert tx.observations.find(two.id, "e1") is None
    assert rows.observation(two, "e1") == tx.observations.find(two.id, "e1")


def test_observations_are_listed_newest_first_and_narrowed_by_type(tx, rows):
    execution = rows.execution(rows.task(rows.mission()))
    first = rows.observation(execution, "e1", created_at=at(1))
    second = rows.observation(execution, "e2", type="question", created_at=at(2))

    def listed(type=None, after=None):
        found = tx.observations.page(execution.id, type=type, limit=9, after=after)
        return [each.event_id for each in found]

    assert listed() == ["e2", "e1"]
    assert listed(after=(second.created_at, second.id)) == ["e1"]
    assert listed(type="progress") == [first.event_id]


def test_only_observations_of_executions_that_ended_long_ago_are_removed(tx, rows):
    task = rows.task(rows.mission())
    over = rows.execution(task, status=ExecutionStatus.COMPLETED, ended_at=at(1))
    just_over = rows.execution(task, status=ExecutionStatus.COMPLETED, ended_at=at(5))
    live = rows.execution(task)
    for execution in (over, just_over, live):
        for event_id in ("e1", "e2"):
            rows.observation(execution, event_id, created_at=at(-999))

    assert [tx.observations.remove_before(at(5), limit=1) for _ in range(3)] == [1, 1, 0]

    left = [len(tx.observations.page(each.id, type=None, limit=9, after=None)) for each in (over, just_over, live)]
    assert left == [0, 2, 2]
