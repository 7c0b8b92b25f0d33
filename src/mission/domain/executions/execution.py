"""An execution: one launch of an agent process on a task, its states and the protocol it was launched with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.executions.signals import KINDS, Delivery, SignalDescriptor, SignalType
from mission.domain.legal_moves import check_move
from mission.domain.timestamps import format_time, seconds_between

MCP_SERVER = "open-mission-mcp"
PROTOCOL_VERSION = 1


class ExecutionStatus(StrEnum):
    STARTING = "starting"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    LOST = "lost"


LIVE = (ExecutionStatus.STARTING, ExecutionStatus.RUNNING, ExecutionStatus.WAITING)
"""States of an execution whose process is running or about to start."""

FINAL = frozenset(set(ExecutionStatus) - set(LIVE))

MOVES: Mapping[ExecutionStatus, frozenset[ExecutionStatus]] = {
    ExecutionStatus.STARTING: frozenset({ExecutionStatus.RUNNING, ExecutionStatus.WAITING, *FINAL}),
    ExecutionStatus.RUNNING: frozenset({ExecutionStatus.WAITING, *FINAL}),
    ExecutionStatus.WAITING: frozenset({ExecutionStatus.RUNNING, *FINAL}),
    **{status: frozenset() for status in FINAL},
}


class ExecutionKind(StrEnum):
    """The job of an execution for its task."""

    WORK = "work"
    REVIEW = "review"
    PLAN = "plan"


class Mode(StrEnum):
    """The mode of an execution: output that is parsed, or a terminal to watch and type in."""

    HEADLESS = "headless"
    INTERACTIVE = "interactive"


class OwnerKind(StrEnum):
    """The kind of object that an execution works for."""

    SYSTEM = "system"
    REPOSITORY = "repository"
    MISSION = "mission"
    TASK = "task"
    ARTIFACT = "artifact"

    @property
    def marker_prefix(self) -> str:
        """Return the prefix of a marker line of such an execution."""
        return f"@{self}::"


class OperatorMessageKind(StrEnum):
    """The kinds of messages that an operator can send to a running agent."""

    INTERRUPT = "interrupt"
    CHECKPOINT = "checkpoint"
    NUDGE = "nudge"
    RESUME = "resume"
    TEXT = "text"


class OperatorMessageState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


MESSAGES: Sequence[Mapping[str, Any]] = tuple(
    {"type": str(kind), "label": label, "description": description, "icon": icon}
    for kind, label, description, icon in (
        (OperatorMessageKind.INTERRUPT, "Interrupt", "Stop what you are doing and wait.", "pause"),
        (OperatorMessageKind.CHECKPOINT, "Checkpoint", "Record your progress, then continue.", "flag"),
        (OperatorMessageKind.NUDGE, "Nudge", "Report your progress and continue.", "hand"),
        (OperatorMessageKind.RESUME, "Resume", "Continue where you left off.", "play"),
        (OperatorMessageKind.TEXT, "Message", "A message from the operator.", "message-square"),
    )
)
"""The operator's messages, as a protocol descriptor lists them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Protocol:
    """The launch agreement: the owner that the execution works for, and how its signals are delivered."""

    owner: OwnerKind
    owner_id: str
    scope: Mapping[str, Any]
    signals: Sequence[SignalDescriptor]

    @classmethod
    def of_task(cls, *, mission_id: str, task_id: str, tree: str | None, delivery: Delivery) -> Protocol:
        scope = {"kind": str(OwnerKind.TASK), "missionId": mission_id, "taskId": task_id}
        return cls(
            owner=OwnerKind.TASK,
            owner_id=task_id,
            scope={**scope, "repositoryRootPath": tree} if tree else scope,
            signals=[kind.descriptor(delivery) for kind in KINDS.values() if delivery in kind.deliveries],
        )

    @property
    def has_mcp(self) -> bool:
        return any(Delivery.MCP_TOOL in signal.deliveries for signal in self.signals)

    def allows(self, type: str, delivery: Delivery) -> bool:
        """Return whether a signal of that type may use this delivery."""
        return any(signal.type == type and delivery in signal.deliveries for signal in self.signals)

    def as_dict(self) -> dict[str, Any]:
        mcp = {"serverName": MCP_SERVER, "exposure": "session-scoped", "publicApi": False}
        return {
            "version": PROTOCOL_VERSION,
            "owner": {
                "entity": str(self.owner),
                "entityId": self.owner_id,
                "markerPrefix": self.owner.marker_prefix,
            },
            "scope": dict(self.scope),
            "messages": [{**each, "delivery": "best-effort", "mutatesContext": False} for each in MESSAGES],
            "signals": [signal.as_dict() for signal in self.signals],
            **({"mcp": mcp} if self.has_mcp else {}),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Protocol:
        return cls(
            owner=OwnerKind(stored["owner"]["entity"]),
            owner_id=stored["owner"]["entityId"],
            scope=stored["scope"],
            signals=[SignalDescriptor.from_dict(signal) for signal in stored["signals"]],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """One execution. Immutable: a move returns a new one. It never holds a secret, only the digest of one."""

    id: str
    mission_id: str
    task_id: str
    agent_id: str
    adapter: str
    mode: Mode
    delivery: Delivery
    protocol: Mapping[str, Any]
    host_id: str
    created_at: datetime
    updated_at: datetime
    status: ExecutionStatus = ExecutionStatus.STARTING
    kind: ExecutionKind = ExecutionKind.WORK
    directory: str | None = None
    resumes: str | None = None
    token_hash: str | None = None
    process: Mapping[str, Any] | None = None
    session_id: str | None = None
    usage: Mapping[str, Any] | None = None
    progress: Mapping[str, Any] | None = None
    claim: Mapping[str, Any] | None = None
    asked_last: Sequence[str] = ()
    """Ids of the inbox items that its agent has opened since it last resumed work."""
    exit_code: int | None = None
    reason: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def is_live(self) -> bool:
        return self.status in LIVE

    @property
    def descriptor(self) -> Protocol:
        return Protocol.from_dict(self.protocol)

    @property
    def transport(self) -> dict[str, Any]:
        """Return the delivery method, which is fixed at launch."""
        return {"selected": str(self.delivery), "degraded": False}

    @property
    def claims_done(self) -> bool:
        """Return whether the agent's last report says that its work is done or ready for verification."""
        done = {SignalType.COMPLETED_CLAIM, SignalType.READY_FOR_VERIFICATION}
        return self.claim is not None and self.claim["type"] in done

    @property
    def claims_failed(self) -> bool:
        """Return whether the agent's last report says that it failed."""
        return self.claim is not None and self.claim["type"] == SignalType.FAILED_CLAIM

    def move_to(self, status: ExecutionStatus, *, at: datetime) -> Execution:
        if status is self.status and status in LIVE:
            return self
        check_move("execution", self.id, MOVES, self.status, status)
        return replace(
            self,
            status=status,
            started_at=self.started_at or (at if status is ExecutionStatus.RUNNING else None),
            ended_at=at if status in FINAL else None,
            updated_at=at,
        )

    def record(self) -> dict[str, Any]:
        """Return the execution as events and lists show it."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "agent_id": self.agent_id,
            "adapter": self.adapter,
            "kind": str(self.kind),
            "mode": str(self.mode),
            "status": str(self.status),
            "transport": self.transport,
            "directory": self.directory,
            "host_id": self.host_id,
            "resumes": self.resumes,
            "session_id": self.session_id,
            "progress": dict(self.progress) if self.progress is not None else None,
            "claim": dict(self.claim) if self.claim is not None else None,
            "usage": dict(self.usage) if self.usage is not None else None,
            "exit_code": self.exit_code,
            "reason": self.reason,
            "created_at": format_time(self.created_at),
            "started_at": format_time(self.started_at),
            "updated_at": format_time(self.updated_at),
            "ended_at": format_time(self.ended_at),
            "duration_seconds": seconds_between(self.started_at, self.ended_at),
        }
