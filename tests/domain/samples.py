"""One plain entity of each kind, for tests that care about a few of its fields."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from mission.domain.agents.agent import Agent, AgentType
from mission.domain.executions.execution import Execution, Mode, Protocol
from mission.domain.executions.observation import AckStatus, Observation, Origin
from mission.domain.executions.signals import Delivery, SignalPolicy
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.domain.message import Message, MessageType
from mission.domain.missions.mission import Family, Mission
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.domain.tasks.task import Task
from mission.domain.tasks.workspace import Workspace

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
SHOWN = "2026-01-15T12:00:00Z"


def after(**span: float) -> datetime:
    return NOW + timedelta(**span)


def agent(**fields: Any) -> Agent:
    plain = {"id": "a_1", "name": "ada", "runtime": "codex", "type": AgentType.WORKER}
    times = {"created_at": NOW, "updated_at": NOW, "last_seen_at": NOW}
    return Agent(**{**plain, **times, **fields})


def mission(**fields: Any) -> Mission:
    plain = {"id": "m_1", "name": "Auth", "objective": "Log in", "family": Family.MISSION}
    return Mission(**{**plain, "created_at": NOW, "updated_at": NOW, **fields})


def task(**fields: Any) -> Task:
    plain = {"id": "t_1", "mission_id": "m_1", "phase_id": "p_1", "phase_number": 1, "name": "Tokens", "goal": "Check"}
    return Task(**{**plain, "created_at": NOW, "updated_at": NOW, **fields})


def item(**fields: Any) -> InboxItem:
    plain = {"id": "q_1", "kind": ItemKind.QUESTION, "subject": "Which one?"}
    return InboxItem(**{**plain, "created_at": NOW, "updated_at": NOW, **fields})


def message(**fields: Any) -> Message:
    plain = {"id": "msg_1", "thread_id": "thr_1", "sender_id": "a_1", "sender_name": "ada", "sender_type": "WORKER"}
    sent = {"recipient_id": "a_2", "type": MessageType.QUERY, "body": "Hello", "created_at": NOW}
    return Message(**{**plain, **sent, **fields})


def execution(**fields: Any) -> Execution:
    delivery = fields.get("delivery", Delivery.MCP_TOOL)
    protocol = Protocol.of_task(mission_id="m_1", task_id="t_1", tree=None, delivery=delivery).as_dict()
    plain = {"id": "x_1", "mission_id": "m_1", "task_id": "t_1", "agent_id": "a_1", "adapter": "codex"}
    launch = {"mode": Mode.HEADLESS, "delivery": delivery, "protocol": protocol, "host_id": "here"}
    return Execution(**{**plain, **launch, "created_at": NOW, "updated_at": NOW, **fields})


def workspace(**fields: Any) -> Workspace:
    plain = {"id": "w_1", "mission_id": "m_1", "host_id": "here", "repository_path": "/r", "path": "/w", "branch": "b"}
    return Workspace(**{**plain, "created_at": NOW, "updated_at": NOW, **fields})


def entry(kind: EntryKind, **fields: Any) -> JournalEntry:
    plain = {"id": "cp_1", "mission_id": "m_1", "task_id": "t_1", "phase_number": 1, "sequence": 3}
    return JournalEntry(kind=kind, **{**plain, "summary": "Half way", "detail": {}, "created_at": NOW, **fields})


def observation(**fields: Any) -> Observation:
    plain = {"id": "obs_1", "execution_id": "x_1", "event_id": "e1", "origin": Origin.TERMINAL, "type": "progress"}
    seen = {"policy": SignalPolicy.PROGRESS, "payload": {"summary": "Half way"}, "status": AckStatus.PROMOTED}
    return Observation(**{**plain, **seen, "digest": "d", "created_at": NOW, **fields})
