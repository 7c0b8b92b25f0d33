"""Agents as people see them: each with its display status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.agents.agent import Agent, Presence
from mission.services.agents import registration
from mission.services.agents.registration import AgentFilter, AgentWithPresence, LivenessSettings
from mission.services.paging import Page
from mission.services.views.overview import agent_lines
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentState:
    """An agent, its presence, and its display status."""

    agent: Agent
    presence: Presence
    state: str


def get(tx: Tx, *, agent_id: str, liveness: LivenessSettings) -> AgentState:
    """Return one agent with its display status."""
    (found,) = _with_states(tx, [registration.get(tx, agent_id=agent_id, liveness=liveness)], liveness)
    return found


def list_agents(
    tx: Tx, *, wanted: AgentFilter, liveness: LivenessSettings, limit: int, cursor: str | None
) -> Page[AgentState]:
    """Return agents with their display status, newest first."""
    page = registration.list_agents(tx, wanted=wanted, liveness=liveness, limit=limit, cursor=cursor)
    return Page(rows=_with_states(tx, page.rows, liveness), next=page.next)


def _with_states(tx: Tx, found: Sequence[AgentWithPresence], liveness: LivenessSettings) -> list[AgentState]:
    lines = agent_lines(tx, [each.agent for each in found], liveness)
    return [
        AgentState(agent=each.agent, presence=each.presence, state=line.word)
        for each, line in zip(found, lines, strict=True)
    ]
