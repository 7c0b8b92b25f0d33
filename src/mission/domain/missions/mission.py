"""A mission: the work that people and agents want done, from the first plan to the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidState
from mission.domain.legal_moves import check_move
from mission.domain.timestamps import format_time


class MissionStatus(StrEnum):
    PLANNING = "planning"
    READY = "ready"
    IN_PROGRESS = "in_progress"
    PAUSED = "paused"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    FAILED = "failed"
    ABANDONED = "abandoned"


MOVES: Mapping[MissionStatus, frozenset[MissionStatus]] = {
    MissionStatus.PLANNING: frozenset(
        {
            MissionStatus.READY,
            MissionStatus.IN_PROGRESS,
            MissionStatus.COMPLETED,
            MissionStatus.FAILED,
            MissionStatus.ABANDONED,
        }
    ),
    MissionStatus.READY: frozenset(
        {
            MissionStatus.IN_PROGRESS,
            MissionStatus.PAUSED,
            MissionStatus.COMPLETED,
            MissionStatus.FAILED,
            MissionStatus.ABANDONED,
        }
    ),
    MissionStatus.IN_PROGRESS: frozenset(
        {
            MissionStatus.PAUSED,
            MissionStatus.BLOCKED,
            MissionStatus.COMPLETED,
            MissionStatus.FAILED,
            MissionStatus.ABANDONED,
        }
    ),
    MissionStatus.PAUSED: frozenset(
        {MissionStatus.IN_PROGRESS, MissionStatus.COMPLETED, MissionStatus.FAILED, MissionStatus.ABANDONED}
    ),
    MissionStatus.BLOCKED: frozenset(
        {MissionStatus.IN_PROGRESS, MissionStatus.COMPLETED, MissionStatus.FAILED, MissionStatus.ABANDONED}
    ),
    MissionStatus.FAILED: frozenset({MissionStatus.IN_PROGRESS}),
    MissionStatus.COMPLETED: frozenset(),
    MissionStatus.ABANDONED: frozenset(),
}

STARTS_TASKS = frozenset({MissionStatus.PLANNING, MissionStatus.READY, MissionStatus.IN_PROGRESS})
"""States in which tasks may start."""

ENDED = frozenset({MissionStatus.COMPLETED, MissionStatus.FAILED, MissionStatus.ABANDONED})

PLANNABLE = frozenset({MissionStatus.PLANNING, MissionStatus.READY})
"""States in which a plan may be set or replaced."""


class Profile(StrEnum):
    """The expected size of a mission."""

    SIMPLE = "simple"
    STANDARD = "standard"
    COMPLEX = "complex"

    @property
    def phases(self) -> int:
        return {"simple": 2, "standard": 3, "complex": 4}[self.value]


class MissionOutcome(StrEnum):
    """The outcome of a mission; partial is stored as a completed mission."""

    COMPLETED = "completed"
    FAILED = "failed"
    PARTIAL = "partial"

    @property
    def status(self) -> MissionStatus:
        return MissionStatus.FAILED if self is MissionOutcome.FAILED else MissionStatus.COMPLETED


class Family(StrEnum):
    """The family of event names that a mission uses, from the dialect that created it."""

    MISSION = "mission"
    WORKFLOW = "workflow"


@dataclass(frozen=True, kw_only=True, slots=True)
class Metrics:
    """The totals of a mission."""

    phases: int
    tasks: int
    files_changed: int
    duration_seconds: float
    task_seconds: float
    tokens_input: int
    tokens_output: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Mission:
    """One mission. Immutable: a move returns a new Mission."""

    id: str
    name: str
    objective: str
    family: Family
    created_at: datetime
    updated_at: datetime
    description: str | None = None
    profile: Profile = Profile.STANDARD
    total_phases: int = 3
    scope: str | None = None
    constraints: str | None = None
    status: MissionStatus = MissionStatus.PLANNING
    outcome: MissionOutcome | None = None
    summary: str | None = None
    achievements: Sequence[str] = ()
    limitations: Sequence[str] = ()
    source_type: str = "prompt"
    source_ref: str | None = None
    plan: Mapping[str, Any] | None = None
    plan_summary: str | None = None
    max_parallel: int = 1
    auto_create_workspaces: bool = False
    repository_id: str | None = None
    repository_path: str | None = None
    workspace_setup: Mapping[str, Any] | None = None
    """The setup of a worktree for one of its tasks: a command to run and files to copy."""
    repository_checks: bool = False
    """Whether the checks of its repository apply to its tasks."""
    review: str | None = None
    """Who reviews results before they count as done; None is nobody."""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    archived_at: datetime | None = None
    completion: Mapping[str, Any] | None = None
    decisions: int = 0
    milestones: int = 0
    blockers: int = 0

    def move_to(self, status: MissionStatus, *, at: datetime) -> Mission:
        check_move("mission", self.id, MOVES, self.status, status)
        started = self.started_at or (at if status is MissionStatus.IN_PROGRESS else None)
        completed = at if status in ENDED else None
        completion = self.completion if status in ENDED else None
        return replace(
            self,
            status=status,
            started_at=started,
            completed_at=completed,
            completion=completion,
            updated_at=at,
        )

    def start(self, *, at: datetime) -> Mission:
        """Return the mission in progress; unchanged if it already is."""
        self.check_starts_tasks()
        return self if self.status is MissionStatus.IN_PROGRESS else self.move_to(MissionStatus.IN_PROGRESS, at=at)

    def check_starts_tasks(self) -> None:
        """Raise InvalidState unless tasks of the mission may start."""
        if self.status not in STARTS_TASKS:
            raise InvalidState(
                f"mission {self.id} is {self.status}: its tasks cannot start",
                hint="Set it to in_progress again, or start a new mission.",
                current=str(self.status),
            )

    def record(self) -> dict[str, Any]:
        """Return the mission as events and lists show it, without its long texts."""
        return {
            "id": self.id,
            "name": self.name,
            "status": str(self.status),
            "outcome": self.outcome,
            "profile": str(self.profile),
            "total_phases": self.total_phases,
            "source_type": self.source_type,
            "source_ref": self.source_ref,
            "plan_summary": self.plan_summary,
            "max_parallel_tasks": self.max_parallel,
            "auto_create_workspaces": self.auto_create_workspaces,
            "repository_path": self.repository_path,
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
            "completed_at": format_time(self.completed_at),
            "archived_at": format_time(self.archived_at),
        }
