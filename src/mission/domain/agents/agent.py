"""An agent: a registered identity, its type, and its presence as shown by its last heartbeat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from mission.domain.timestamps import format_time


class AgentType(StrEnum):
    SUPERVISOR = "SUPERVISOR"
    ORCHESTRATOR = "ORCHESTRATOR"
    WORKER = "WORKER"

    def commands(self, other: AgentType) -> bool:
        """Return whether an agent of this type ranks above one of the other type."""
        ranks = list(AgentType)
        return ranks.index(self) < ranks.index(other)


class AgentRole(StrEnum):
    COORDINATOR = "coordinator"
    WORKER = "worker"

    @property
    def type(self) -> AgentType:
        return AgentType.ORCHESTRATOR if self is AgentRole.COORDINATOR else AgentType.WORKER


class Presence(StrEnum):
    ONLINE = "online"
    BUSY = "busy"
    OFFLINE = "offline"


class CrewState(StrEnum):
    """The state of an agent as its crew sees it."""

    IDLE = "IDLE"
    BUSY = "BUSY"
    WAITING = "WAITING"
    FAILED = "FAILED"

    @classmethod
    def of(cls, *, asks: bool, failed: bool, at_work: bool) -> CrewState:
        """Return the state; an agent with an open question is WAITING even if its process has ended."""
        if asks:
            return cls.WAITING
        if failed:
            return cls.FAILED
        return cls.BUSY if at_work else cls.IDLE


class Runtime(StrEnum):
    """The program an agent runs in."""

    CLAUDE_CODE = "claude_code"
    CODEX = "codex"
    OPENCODE = "opencode"
    COPILOT_CLI = "copilot_cli"
    GEMINI_CLI = "gemini_cli"
    PI = "pi"
    CUSTOM = "custom"


MISSED_HEARTBEATS = 2
"""An agent counts as offline after this many missed heartbeats."""


def is_silent(last_seen_at: datetime, *, now: datetime, silence: timedelta) -> bool:
    """Return whether an agent has sent no heartbeat for longer than allowed."""
    return now - last_seen_at > silence


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """One agent."""

    id: str
    name: str
    runtime: str
    type: AgentType
    created_at: datetime
    updated_at: datetime
    last_seen_at: datetime
    declared: Presence = Presence.ONLINE
    capabilities: Sequence[str] = ()
    workspace_path: str | None = None
    current_task_id: str | None = None
    metadata: Mapping[str, Any] | None = None
    supervisor_id: str | None = None
    mission_id: str | None = None
    """The mission it was created for, or leads."""

    @property
    def role(self) -> AgentRole:
        return AgentRole.WORKER if self.type is AgentType.WORKER else AgentRole.COORDINATOR

    def presence(self, *, now: datetime, silence: timedelta) -> Presence:
        """Return the presence the agent declared, or OFFLINE once its heartbeats have stopped."""
        if self.declared is Presence.OFFLINE or is_silent(self.last_seen_at, now=now, silence=silence):
            return Presence.OFFLINE
        return Presence.BUSY if self.current_task_id else self.declared

    def record(self, presence: Presence) -> dict[str, Any]:
        """Return the agent as events and lists show it."""
        return {
            "id": self.id,
            "name": self.name,
            "runtime": self.runtime,
            "role": str(self.role),
            "type": str(self.type),
            "status": str(presence),
            "capabilities": list(self.capabilities),
            "current_task_id": self.current_task_id,
            "workspace_path": self.workspace_path,
            "supervisor_id": self.supervisor_id,
            "mission_id": self.mission_id,
            "last_heartbeat": format_time(self.last_seen_at),
            "metadata": dict(self.metadata or {}),
            "created_at": format_time(self.created_at),
        }
