"""Observations of an execution, each counted once, and the acknowledgement for the sender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.executions.signals import Delivery, SignalPolicy
from mission.domain.timestamps import format_time

PAYLOAD_DIFFERS = "payload differs, use a new id"
PERMISSION_DENIED = "permission-denied"
"""The type of an observation that a client denied its agent an action."""


class Origin(StrEnum):
    """The source of an observation."""

    STDOUT_MARKER = "stdout-marker"
    MCP_TOOL = "mcp-tool"
    PROVIDER = "provider"
    TERMINAL = "terminal"

    @classmethod
    def of(cls, delivery: Delivery) -> Origin:
        return cls(delivery.value)


class AckStatus(StrEnum):
    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    RECORDED_ONLY = "recorded-only"
    PROMOTED = "promoted"


@dataclass(frozen=True, kw_only=True, slots=True)
class Observation:
    """One accepted observation. It is never changed."""

    id: str
    execution_id: str
    event_id: str
    origin: Origin
    type: str
    policy: SignalPolicy
    payload: Mapping[str, Any]
    digest: str
    status: AckStatus
    created_at: datetime

    def record(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "execution_id": self.execution_id,
            "event_id": self.event_id,
            "origin": str(self.origin),
            "type": self.type,
            "policy": str(self.policy),
            "payload": dict(self.payload),
            "status": str(self.status),
            "created_at": format_time(self.created_at),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Ack:
    """The result of a delivery. It does not say whether the work is good."""

    status: AckStatus
    execution_id: str
    event_id: str
    observation_id: str | None = None
    reason: str | None = None
    is_passing: bool = False
    """Rejected only because it could not be stored now; the same delivery may succeed later."""

    def as_dict(self) -> dict[str, Any]:
        """Return the acknowledgement as it is sent, without unknown fields."""
        fields = {
            "status": str(self.status),
            "agentExecutionId": self.execution_id,
            "eventId": self.event_id,
            "observationId": self.observation_id,
            "reason": self.reason,
        }
        return {name: value for name, value in fields.items() if value is not None}
