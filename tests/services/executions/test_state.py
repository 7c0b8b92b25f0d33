"""An execution while it lives: its start, what its client tells, and its token."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.errors import NotFound, PermissionDenied, Unauthenticated
from mission.domain.executions.execution import ExecutionStatus
from mission.services.agents.access_tokens import hash_of
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import state as executions
from tests.store.rows import NOW, at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


@pytest.fixture
def execution(rows):
    return rows.execution(rows.task(rows.mission()), token_hash=hash_of("right"))


def test_a_start_said_again_keeps_the_first_moment_and_the_state(tx, execution):
    executions.started(tx, execution_id=execution.id, process={"pid": 1})
    tx.now = at(5)

    again = executions.started(tx, execution_id=execution.id, process={"pid": 2})

    assert (again.status, again.started_at, again.process) == (ExecutionStatus.RUNNING, NOW, {"pid": 2})


def test_what_a_client_tells_is_added_to_what_is_known(tx, execution):
    executions.record_usage(
        tx, execution_id=execution.id, session_id="s1", usage={"input_tokens": 1, "output_tokens": 2}
    )
    executions.record_usage(tx, execution_id=execution.id, usage={"input_tokens": 5})

    found = tx.executions.get(execution.id)
    assert (found.session_id, found.usage) == ("s1", {"input_tokens": 5, "output_tokens": 2})


def test_living_processes_keep_their_agents_present_and_their_leases_going(tx, rows):
    agent, gone = rows.agent(last_seen_at=at(-60)), rows.agent("gone", last_seen_at=at(-60))
    mission = rows.mission()
    task = rows.task(mission, owner_id=agent.id, lease_until=at(1))
    live = rows.execution(task, agent_id=agent.id, status=ExecutionStatus.RUNNING)
    ended = rows.execution(rows.task(mission), agent_id=gone.id, status=ExecutionStatus.LOST)

    executions.heartbeat_all(tx, execution_ids=[live.id, ended.id, "x_nowhere000"], liveness=LIVENESS)

    assert tx.agents.get(agent.id).last_seen_at == NOW
    assert tx.agents.get(gone.id).last_seen_at == at(-60)
    assert tx.tasks.get(task.id).lease_until == at(10)


def test_a_token_opens_its_own_execution_and_says_why_it_opens_no_other(tx, rows, execution):
    other = rows.execution(rows.task(rows.mission()), token_hash=hash_of("another"))
    without = rows.execution(rows.task(rows.mission()))

    assert executions.authenticate(tx, execution_id=execution.id, token="right").id == execution.id
    for id, token, refusal, words in (
        ("x_" + "y" * 500, "right", NotFound, "there is no execution"),
        (other.id, "right", PermissionDenied, "does not belong to execution"),
        (without.id, "right", PermissionDenied, "does not belong to execution"),
        (without.id, "wrong", Unauthenticated, "has no MCP access"),
        (execution.id, "wrong", Unauthenticated, "is not valid"),
        (execution.id, "\udcff", Unauthenticated, "is not valid"),
    ):
        with pytest.raises(refusal, match=words) as raised:
            executions.authenticate(tx, execution_id=id, token=token)
        assert len(raised.value.message) < 150
