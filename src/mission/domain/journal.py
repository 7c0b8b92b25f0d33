"""The journal of a task: decisions, issues and milestones, numbered without gap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.times import shown


class EntryKind(StrEnum):
    DECISION = "decision"
    ISSUE = "issue"
    MILESTONE = "milestone"


class DecisionCategory(StrEnum):
    ARCHITECTURE = "architecture"
    LIBRARY_CHOICE = "library_choice"
    TRADE_OFF = "trade_off"
    WORKAROUND = "workaround"
    OTHER = "other"


class IssueType(StrEnum):
    DOCUMENTATION_GAP = "documentation_gap"
    BUG_ENCOUNTERED = "bug_encountered"
    DEPENDENCY_CONFLICT = "dependency_conflict"
    UNCLEAR_REQUIREMENT = "unclear_requirement"
    OTHER = "other"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One journal entry; `detail` holds the fields that its kind alone has."""

    id: str
    kind: EntryKind
    mission_id: str
    task_id: str
    phase_number: int
    sequence: int
    summary: str
    detail: Mapping[str, Any]
    created_at: datetime
    author: str | None = None
    agent_name: str | None = None
    open_blocker: bool = False

    def record(self) -> dict[str, Any]:
        """The entry as events and lists show it."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "sequence": self.sequence,
            "author": self.author,
            "agent_name": self.agent_name,
            "created_at": shown(self.created_at),
            **self.detail,
        }
