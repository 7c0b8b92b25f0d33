"""Executions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from mission.domain.errors import NotFound
from mission.domain.executions.execution import LIVE, ExecutionStatus
from tests.store.rows import at, undone

EVERYTHING = {"statuses": None, "mission_id": None, "task_id": None, "agent_id": None, "limit": 9, "after": None}


def ids(executions):
    return [each.id for each in executions]


def test_an_unknown_execution_is_an_error_that_repeats_no_long_text(tx):
    with pytest.raises(NotFound) as raised:
        tx.executions.get("x" * 5_000)

    assert len(raised.value.message) < 100
    assert tx.executions.find("x_nowhere000") is None


def test_an_execution_is_read_back_as_it_was_saved_and_found_by_its_token(tx, rows):
    made = rows.execution(rows.task(rows.mission()), token_hash="h1", protocol={"owner": "task"})
    told = {"usage": {"tokens_input": 3}, "asked_last": ["q_1", "q_2"]}
    saved = replace(made, status=ExecutionStatus.WAITING, started_at=at(1), **told)

    tx.executions.save(saved)

    assert tx.executions.get(made.id) == saved == tx.executions.by_token("h1")
    assert tx.executions.by_token("h2") is None


def test_a_token_belongs_to_one_execution(tx, rows):
    task = rows.task(rows.mission())
    rows.execution(task, token_hash="h1")

    with pytest.raises(IntegrityError), undone(tx) as again:
        again.execution(task, token_hash="h1")


@pytest.mark.parametrize("status", list(ExecutionStatus))
def test_live_executions_of_a_host_are_those_whose_process_should_be_there(tx, rows, status):
    task = rows.task(rows.mission())
    made = rows.execution(task, status=status)
    rows.execution(task, status=status, host_id="there")

    live = status in LIVE

    assert ids(tx.executions.live(host_id="here")) == [made.id] * live
    assert tx.executions.count_live(host_id="here") == live


def test_the_newest_execution_of_a_task_and_of_an_agent_is_found(tx, rows):
    mission = rows.mission()
    task, other = rows.task(mission), rows.task(mission)
    new = rows.execution(task, agent_id="a_1", created_at=at(2))
    rows.execution(task, agent_id="a_2", created_at=at(1))
    newer = rows.execution(other, agent_id="a_1", created_at=at(3))

    assert tx.executions.newest_of_task(task.id).id == new.id
    assert tx.executions.newest_of_agent("a_1").id == newer.id
    assert tx.executions.newest_of_task("t_nowhere") is None
    assert tx.executions.newest_of_agent("a_nobody") is None


def test_executions_are_listed_newest_first_and_narrowed(tx, rows):
    mission = rows.mission()
    task = rows.task(mission)
    old = rows.execution(task, agent_id="a_1", created_at=at(1))
    new = rows.execution(rows.task(mission), agent_id="a_2", status=ExecutionStatus.LOST, created_at=at(2))
    far = rows.execution(rows.task(rows.mission("other")), created_at=at(3))

    def listed(**filters):
        return ids(tx.executions.page(**EVERYTHING | filters))

    assert listed() == [far.id, new.id, old.id]
    assert listed(after=(at(2), new.id)) == [old.id]
    assert listed(mission_id=mission.id) == [new.id, old.id]
    assert listed(task_id=task.id) == listed(agent_id="a_1") == [old.id]
    assert listed(statuses=["lost"]) == [new.id]
    assert tx.executions.ids(mission_id=mission.id) == [old.id, new.id]
    assert tx.executions.ids(mission_id=mission.id, statuses=[ExecutionStatus.LOST]) == [new.id]
