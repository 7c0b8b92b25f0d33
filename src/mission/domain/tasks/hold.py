"""A hold: why a task waits, and who said so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class HoldKind(StrEnum):
    INPUT = "input"
    """Its agent asked a question."""
    BLOCKED = "blocked"
    """It was reported as blocked."""
    CHECKS = "checks"
    """Its result was reported, and its checks are under way."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The reason why a task waits: its kind, its text, and the agent that gave it."""

    kind: str
    """A HoldKind, or a kind from a newer version."""
    reason: str | None = None
    by: str | None = None

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Hold:
        """Read a hold as it is stored."""
        return cls(str(stored["kind"]), stored.get("reason"), stored.get("by"))

    def as_dict(self) -> dict[str, Any]:
        """Return the hold as it is stored and shown."""
        return {"kind": str(self.kind), "reason": self.reason, "by": self.by}
