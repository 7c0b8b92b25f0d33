"""The journal of a task: decisions, issues, milestones and checkpoints, numbered without gaps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.message import MISSION_CONTROL, OPERATOR, SYSTEM
from mission.domain.timestamps import format_time


class EntryKind(StrEnum):
    DECISION = "decision"
    ISSUE = "issue"
    MILESTONE = "milestone"
    PLAN = "plan"
    REPLAN = "replan"
    PROGRESS = "progress"
    CHOICE = "choice"
    ERROR = "error"
    RECOVERY = "recovery"
    COMPLETE = "complete"

    @property
    def id_kind(self) -> str:
        """Return the kind that the id of such an entry has."""
        return str(self) if self in _OF_THEIR_OWN else "checkpoint"

    @property
    def checkpoint(self) -> CheckpointType:
        """Return the checkpoint type of such an entry."""
        return _AS_CHECKPOINT.get(self) or CheckpointType(self.value)


class CheckpointType(StrEnum):
    """The type of a checkpoint; task recovery reads every journal entry as one."""

    PLAN = "plan"
    REPLAN = "replan"
    PROGRESS = "progress"
    DECISION = "decision"
    ERROR = "error"
    RECOVERY = "recovery"
    COMPLETE = "complete"

    @property
    def kind(self) -> EntryKind:
        """Return the kind of entry that stores a checkpoint of this type."""
        return EntryKind.CHOICE if self is CheckpointType.DECISION else EntryKind(self.value)

    @property
    def kinds(self) -> list[EntryKind]:
        """Return every kind of entry that is such a checkpoint."""
        return [kind for kind in EntryKind if kind.checkpoint is self]


_OF_THEIR_OWN = frozenset({EntryKind.DECISION, EntryKind.ISSUE, EntryKind.MILESTONE})
_AS_CHECKPOINT = {
    EntryKind.DECISION: CheckpointType.DECISION,
    EntryKind.CHOICE: CheckpointType.DECISION,
    EntryKind.ISSUE: CheckpointType.ERROR,
    EntryKind.MILESTONE: CheckpointType.PROGRESS,
}


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


OPTIONS = "options_considered"


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalEntry:
    """One journal entry; `detail` has the fields specific to its kind."""

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

    def __post_init__(self) -> None:
        """Convert a decision whose options are not a list of texts, as version 0.1 stored choices."""
        if self.kind is EntryKind.DECISION and OPTIONS in self.detail and not _are_texts(self.detail[OPTIONS]):
            object.__setattr__(self, "detail", _in_labels(self.detail))

    @property
    def answered_by(self) -> str | None:
        """Return who answered the inbox item that this decision records; None for any other entry."""
        if self.kind is not EntryKind.DECISION or self.author is not None:
            return None
        found = _ANSWERED.fullmatch(str(self.detail.get("reasoning")))
        return found[1] if found else None

    def author_name(self, names: Mapping[str, str]) -> str | None:
        """Return the author's name for people; `names` are the agents' names by id."""
        if self.is_ours:
            return MISSION_CONTROL.name
        if (by := self.answered_by) is not None:
            return "Operator" if by == OPERATOR else names.get(by, by)
        return names.get(self.author or "") or self.agent_name

    @property
    def is_checkpoint(self) -> bool:
        """Return whether it was written as a checkpoint, not as a decision, issue or milestone."""
        return self.kind not in _OF_THEIR_OWN

    @property
    def is_ours(self) -> bool:
        """Return whether Mission Control wrote it, not an agent."""
        return self.author == SYSTEM

    @property
    def files_changed(self) -> list[str]:
        return list(self.detail.get("files_changed") or []) if self.is_checkpoint else []

    @property
    def content(self) -> Mapping[str, Any]:
        """Return the content of the entry apart from its summary."""
        return (self.detail.get("detail") or {}) if self.is_checkpoint else self.detail

    def record(self) -> dict[str, Any]:
        """Return the entry as events and lists show it."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "task_id": self.task_id,
            "sequence": self.sequence,
            "author": self.author,
            "agent_name": self.agent_name,
            "created_at": format_time(self.created_at),
            **({"type": str(self.kind.checkpoint), "summary": self.summary} if self.is_checkpoint else {}),
            **self.detail,
        }


def answer_reasoning(*, by: str, item_id: str) -> str:
    """Return the reasoning of a decision that records the answer to an inbox item."""
    return f"answered by {by} ({item_id})"


_ANSWERED = re.compile(r"answered by (\S+) \(q_\w+\)")


def _are_texts(options: Any) -> bool:
    return isinstance(options, list) and all(isinstance(option, str) for option in options)


def _in_labels(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Return the detail with the labels of its options; a chosen value becomes the label of its choice."""
    stored = detail[OPTIONS]
    options = stored if isinstance(stored, list) else [stored] if stored else []
    chosen = detail.get("chosen")
    for option in options:
        value = str(option.get("value") or "") if isinstance(option, Mapping) else ""
        if value and isinstance(chosen, str) and (chosen == value or chosen.startswith(f"{value}: ")):
            chosen = f"{_label(option)}{chosen.removeprefix(value)}"
            break
    return {**detail, OPTIONS: [_label(option) for option in options], **({} if chosen is None else {"chosen": chosen})}


def _label(option: Any) -> str:
    return str(option.get("label") or option.get("value") or "") if isinstance(option, Mapping) else str(option)
