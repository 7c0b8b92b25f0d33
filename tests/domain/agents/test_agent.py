"""Agents: their ranks, and the presence that others see."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.agents.agent import AgentRole, AgentType, CrewState, Presence, is_silent
from tests.domain.samples import NOW, SHOWN, after, agent

SILENCE = timedelta(minutes=1)


def test_a_type_commands_those_below_it_and_never_itself():
    commanded = {one: [other for other in AgentType if one.commands(other)] for one in AgentType}

    assert commanded == {
        AgentType.SUPERVISOR: [AgentType.ORCHESTRATOR, AgentType.WORKER],
        AgentType.ORCHESTRATOR: [AgentType.WORKER],
        AgentType.WORKER: [],
    }


@pytest.mark.parametrize(
    ("type", "role"),
    [
        (AgentType.SUPERVISOR, AgentRole.COORDINATOR),
        (AgentType.ORCHESTRATOR, AgentRole.COORDINATOR),
        (AgentType.WORKER, AgentRole.WORKER),
    ],
)
def test_everybody_but_a_worker_is_a_coordinator(type, role):
    assert agent(type=type).role is role


def test_no_role_makes_a_supervisor():
    assert [role.type for role in AgentRole] == [AgentType.ORCHESTRATOR, AgentType.WORKER]


@given(st.integers(0, 120))
def test_an_agent_is_silent_only_once_the_allowed_time_has_passed(seconds):
    assert is_silent(NOW, now=after(seconds=seconds), silence=SILENCE) is (seconds > 60)


@given(st.sampled_from(Presence), st.none() | st.just("t_1"), st.booleans())
def test_a_silent_agent_is_offline_and_one_with_a_task_is_busy(declared, task_id, silent):
    someone = agent(declared=declared, current_task_id=task_id)

    seen = someone.presence(now=after(minutes=2 if silent else 0), silence=SILENCE)

    if silent or declared is Presence.OFFLINE:
        assert seen is Presence.OFFLINE
    else:
        assert seen is (Presence.BUSY if task_id else declared)


@pytest.mark.parametrize(
    ("asks", "failed", "at_work", "state"),
    [
        (True, True, True, CrewState.WAITING),
        (True, True, False, CrewState.WAITING),
        (False, True, True, CrewState.FAILED),
        (False, False, True, CrewState.BUSY),
        (False, False, False, CrewState.IDLE),
    ],
)
def test_a_question_outweighs_a_failure_and_a_failure_outweighs_work(asks, failed, at_work, state):
    assert CrewState.of(asks=asks, failed=failed, at_work=at_work) is state


def test_a_record_shows_the_presence_it_is_given_and_plain_values():
    shown = agent(capabilities=("python",), supervisor_id="a_9", mission_id="m_1").record(Presence.BUSY)

    assert shown == {
        "id": "a_1",
        "name": "ada",
        "runtime": "codex",
        "role": "worker",
        "type": "WORKER",
        "status": "busy",
        "capabilities": ["python"],
        "current_task_id": None,
        "workspace_path": None,
        "supervisor_id": "a_9",
        "mission_id": "m_1",
        "last_heartbeat": SHOWN,
        "metadata": {},
        "created_at": SHOWN,
    }
