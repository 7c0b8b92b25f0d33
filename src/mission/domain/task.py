"""A task: one piece of work of a mission, with at most one owner and the truth about what it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidState, NotOwner
from mission.domain.moves import check_move
from mission.domain.times import seconds_between, shown


class TaskStatus(StrEnum):
    PENDING = "pending"
    PLANNING = "planning"
    IN_PROGRESS = "in_progress"
    PAUSED = "paused"
    REVIEW = "review"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


MOVES: Mapping[TaskStatus, frozenset[TaskStatus]] = {
    TaskStatus.PENDING: frozenset({TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.SKIPPED}),
    TaskStatus.PLANNING: frozenset(
        {
            TaskStatus.PENDING,
            TaskStatus.IN_PROGRESS,
            TaskStatus.COMPLETED,
            TaskStatus.FAILED,
            TaskStatus.SKIPPED,
        }
    ),
    TaskStatus.IN_PROGRESS: frozenset(
        {
            TaskStatus.PENDING,
            TaskStatus.PAUSED,
            TaskStatus.REVIEW,
            TaskStatus.COMPLETED,
            TaskStatus.FAILED,
            TaskStatus.SKIPPED,
        }
    ),
    TaskStatus.PAUSED: frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED, TaskStatus.SKIPPED}),
    TaskStatus.REVIEW: frozenset({TaskStatus.IN_PROGRESS, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED}),
    TaskStatus.FAILED: frozenset({TaskStatus.PENDING, TaskStatus.IN_PROGRESS, TaskStatus.SKIPPED}),
    TaskStatus.COMPLETED: frozenset(),
    TaskStatus.SKIPPED: frozenset(),
}

OPEN = frozenset(set(TaskStatus) - {TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED})
"""States of a task that still wants an end."""

RUNNING = frozenset({TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.PAUSED, TaskStatus.REVIEW})
"""States in which somebody has the task in hand."""

COMPLETABLE = frozenset({TaskStatus.IN_PROGRESS, TaskStatus.REVIEW})
"""States from which complete_task may end a task."""


CHANGE_LISTS = ("added", "modified", "deleted")
"""The lists of a task's changes in which each path stands once."""


class Quality(StrEnum):
    """Whether a completed task did all it should."""

    SUCCESS = "success"
    PARTIAL = "partial"


class CallerType(StrEnum):
    """A label for who does the task; never an identity."""

    ORCHESTRATOR = "orchestrator"
    SUBAGENT = "subagent"


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One task. Immutable: a move returns a new Task."""

    id: str
    mission_id: str
    phase_id: str
    phase_number: int
    name: str
    goal: str
    created_at: datetime
    updated_at: datetime
    parent_id: str | None = None
    areas: Sequence[str] = ()
    caller_type: CallerType | None = None
    agent_name: str | None = None
    status: TaskStatus = TaskStatus.PENDING
    quality: Quality | None = None
    owner_id: str | None = None
    lease_until: datetime | None = None
    fence: int = 0
    attempts: int = 0
    tree: str | None = None
    host_id: str | None = None
    snapshots: Mapping[str, Mapping[str, Any]] | None = None
    changes: Mapping[str, Any] | None = None
    outcome: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    hold: Mapping[str, Any] | None = None
    completion: Mapping[str, Any] | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        """The first snapshot of the tree that the task works in."""
        return (self.snapshots or {}).get(self.tree) if self.tree else None

    @property
    def heap(self) -> str:
        """Which heap of its phase's tally the task lies on."""
        if self.status in {TaskStatus.PENDING, TaskStatus.PLANNING}:
            return "pending"
        if self.status is TaskStatus.COMPLETED:
            return str(self.quality or Quality.SUCCESS)
        return str(self.status) if self.status not in OPEN else "in_progress"

    @property
    def duration_seconds(self) -> float | None:
        return seconds_between(self.started_at, self.completed_at)

    def move_to(self, status: TaskStatus, *, at: datetime) -> Task:
        check_move("task", self.id, MOVES, self.status, status)
        ended = status not in OPEN
        return replace(
            self,
            status=status,
            hold=None if status is not TaskStatus.PAUSED else self.hold,
            started_at=self.started_at or (at if status is TaskStatus.IN_PROGRESS else None),
            completed_at=at if ended else None,
            attempts=self.attempts + (status is TaskStatus.IN_PROGRESS and self.status is not TaskStatus.PAUSED),
            updated_at=at,
        )

    def begun_again(self) -> Task:
        """The task without the words of an earlier end, which no longer hold."""
        return replace(self, quality=None, outcome=None, metadata=None, changes=None, completion=None)

    def check_owner(self, actor: str | None, fence: int | None = None) -> None:
        """Nothing when the caller may write to the task; the owner's id when it belongs to another."""
        late = fence is not None and fence != self.fence
        other = actor is not None and self.owner_id is not None and actor != self.owner_id
        if late or other:
            raise NotOwner(
                f"task {self.id} belongs to {self.owner_id or 'nobody'} now",
                hint="Stop work on it. Read it again with get_context, or take another task.",
                task_id=self.id,
                owner_id=self.owner_id,
                fence=self.fence,
            )

    def check_completable(self) -> None:
        """Nothing when complete_task may end the task now; otherwise what its state allows."""
        held_by_owner = self.status is TaskStatus.PAUSED and self.hold is not None
        if self.status in COMPLETABLE or held_by_owner:
            return
        raise InvalidState(
            f"task {self.id} is {self.status}{' and not in progress' if self.status in OPEN else ' already'}",
            hint="Start it first with start_task."
            if self.status in OPEN or self.status is TaskStatus.FAILED
            else "It has ended already; start a new task for more work.",
            current=str(self.status),
            legal=sorted(str(status) for status in COMPLETABLE),
        )

    def record(self) -> dict[str, Any]:
        """The task as events and lists show it, without its long texts."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "phase_id": self.phase_id,
            "parent_task_id": self.parent_id,
            "name": self.name,
            "description": self.goal,
            "status": str(self.status),
            "quality": self.quality,
            "sequence": self.phase_number,
            "areas": list(self.areas),
            "caller_type": self.caller_type,
            "agent_name": self.agent_name,
            "assigned_agent_id": self.owner_id,
            "lease_until": shown(self.lease_until),
            "fence": self.fence,
            "attempts": self.attempts,
            "files_changed": {kind: len(self.changes[kind]) for kind in CHANGE_LISTS} if self.changes else None,
            "created_at": shown(self.created_at),
            "updated_at": shown(self.updated_at),
            "started_at": shown(self.started_at),
            "completed_at": shown(self.completed_at),
        }
