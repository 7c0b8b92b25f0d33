"""A task: one piece of work of a mission, with at most one owner and a record of the files it changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.actions import Action
from mission.domain.checks.evidence import ProofState
from mission.domain.errors import InvalidState, NotOwner
from mission.domain.legal_moves import check_move
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import COMPLETABLE, FREE, HELD, MOVES, NOT_STARTED, OPEN, TaskStatus
from mission.domain.timestamps import format_time, seconds_between

CHANGE_LISTS = ("added", "modified", "deleted")
"""The lists of a task's changes; each path is in exactly one of them."""


class Quality(StrEnum):
    """The completeness of a completed task."""

    SUCCESS = "success"
    PARTIAL = "partial"


class CallerType(StrEnum):
    """A label for the kind of caller that does the task; never an identity."""

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
    previous_owner_id: str | None = None
    """The owner before the current one, or the last owner if there is none now."""
    lease_until: datetime | None = None
    fence: int = 0
    attempts: int = 0
    failed_attempts: int = 0
    """How many attempts failed, as reported by the agent or because its program failed."""
    tree: str | None = None
    host_id: str | None = None
    snapshots: Mapping[str, Mapping[str, Any]] | None = None
    changes: Mapping[str, Any] | None = None
    outcome: Mapping[str, Any] | None = None
    metadata: Mapping[str, Any] | None = None
    hold: Hold | None = None
    completion: Mapping[str, Any] | None = None
    position: int = 0
    parallel_group: str | None = None
    requires: Sequence[str] | None = None
    client: str | None = None
    """The only client that a run launches on it; None leaves that to the run."""
    complexity: str | None = None
    files_likely_affected: Sequence[str] | None = None
    plan: Mapping[str, Any] | None = None
    context: Mapping[str, Any] | None = None
    error: str | None = None
    workspace_id: str | None = None
    claimed_at: datetime | None = None
    waiting_for: int = 0
    started_at: datetime | None = None
    """When work on it first started."""
    attempt_started_at: datetime | None = None
    """When the current attempt started or resumed after a hold; None until it is started again."""
    completed_at: datetime | None = None
    review: str | None = None
    """Who reviews the result; None takes the mission's rule."""
    acceptance: Sequence[str] | None = None
    """Acceptance criteria for the reviewer."""
    proof_state: ProofState | None = None
    """What is known about the result; None until it is first reported."""
    proof: Mapping[str, Any] | None = None
    """The details: tree, checks, and why it is not proved."""

    @property
    def is_checking(self) -> bool:
        """Return whether its result was reported and its checks are under way."""
        held = self.hold is not None and self.hold.kind == HoldKind.CHECKS
        return self.status is TaskStatus.REVIEW and held

    @property
    def proof_without_checks(self) -> ProofState | None:
        """Return its state of proof if its checks end without an answer: an earlier failure still counts."""
        if self.proof_state is not ProofState.CHECKING:
            return self.proof_state
        return ProofState.FAILING if (self.proof or {}).get("state") == ProofState.FAILING else None

    @property
    def snapshot(self) -> Mapping[str, Any] | None:
        """Return the first snapshot of the tree that the task works in."""
        return (self.snapshots or {}).get(self.tree) if self.tree else None

    @property
    def count_bucket(self) -> str:
        """Return the count bucket of its phase that the task belongs to."""
        if self.status in {TaskStatus.PENDING, TaskStatus.PLANNING}:
            return "pending"
        if self.status is TaskStatus.COMPLETED:
            return str(self.quality or Quality.SUCCESS)
        return str(self.status) if self.status not in OPEN else "in_progress"

    @property
    def is_blocked(self) -> bool:
        """Return whether the task cannot continue: dependencies are open, or a blocker was reported."""
        reported = self.status is TaskStatus.PAUSED and self.hold is not None and self.hold.kind == HoldKind.BLOCKED
        return reported or self.waits

    @property
    def waits(self) -> bool:
        """Return whether other tasks must be done first."""
        return self.status is TaskStatus.PENDING and self.waiting_for > 0

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
            attempt_started_at=self._attempt_start(status, at=at),
            completed_at=at if ended else None,
            completion=self.completion if ended else None,
            attempts=self.attempts + (status is TaskStatus.IN_PROGRESS and self.status is not TaskStatus.PAUSED),
            proof_state=self.proof_without_checks,
            updated_at=at,
        )

    def _attempt_start(self, status: TaskStatus, *, at: datetime) -> datetime | None:
        if status is TaskStatus.IN_PROGRESS:
            return at
        return None if status in NOT_STARTED else self.attempt_started_at

    def restarted(self) -> Task:
        """Return the task without the results of an earlier end."""
        return replace(self, quality=None, outcome=None, metadata=None, changes=None, completion=None, error=None)

    def claimable(self, *, now: datetime) -> bool:
        """Return whether another agent may claim the task: it has no owner, or the owner's lease has expired."""
        if self.lease_until is None:
            return self.status in FREE
        return self.lease_until < now and self.status in HELD

    def handed_to(self, agent_id: str, *, at: datetime, until: datetime) -> Task:
        """Return the task with a new owner, who starts it again; a hold or a review remains."""
        restarts = self.status in {TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.FAILED}
        task = self.move_to(TaskStatus.PENDING, at=at) if restarts else self
        return replace(
            task.without_owner() if self.owner_id != agent_id else task,
            owner_id=agent_id,
            lease_until=until,
            claimed_at=at,
            attempt_started_at=task.attempt_started_at if self.owner_id == agent_id else None,
            fence=self.fence + 1,
            updated_at=at,
        )

    def without_owner(self) -> Task:
        """Return the task without an owner; it keeps the previous owner."""
        return replace(
            self,
            owner_id=None,
            lease_until=None,
            claimed_at=None,
            previous_owner_id=self.owner_id or self.previous_owner_id,
        )

    def released(self, *, at: datetime) -> Task:
        """Return the task without an owner, waiting for the next one; it keeps its snapshot."""
        stays = self.status in FREE or self.status is TaskStatus.REVIEW
        task = self if stays else self.move_to(TaskStatus.PENDING, at=at)
        return replace(task.without_owner(), updated_at=at)

    def skipped(self, *, at: datetime) -> Task:
        """Return the task as skipped: without an owner or a snapshot."""
        return replace(self.move_to(TaskStatus.SKIPPED, at=at).without_owner(), snapshots=None)

    def check_startable(self, actor: str | None, fence: int | None, *, now: datetime) -> None:
        """Raise NotOwner unless the caller may start the task: it owns it, or the task can be claimed."""
        abandoned = fence is None and self.claimable(now=now)
        if abandoned or (self.status is TaskStatus.FAILED and self.lease_until is None):
            return
        self.check_owner(actor, fence)

    def check_owner(self, actor: str | None, fence: int | None = None) -> None:
        """Raise NotOwner, with the owner's id, unless the caller may write to the task."""
        late = fence is not None and fence != self.fence
        other = actor is not None and self.owner_id is not None and actor != self.owner_id
        if late or other:
            again = f"; fence {fence} is from an earlier claim, the current one is {self.fence}" if late else ""
            raise NotOwner(
                f"task {self.id} belongs to {self.owner_id or 'nobody'} now{again if not other else ''}",
                action=Action.STOP_WORK,
                task_id=self.id,
                owner_id=self.owner_id,
                fence=self.fence,
            )

    def check_worker(self, worker: str, *, claims: bool, now: datetime) -> None:
        """Raise NotOwner unless a worker may write to the task: it owns it, or the write makes it the owner."""
        if self.owner_id == worker or (claims and self.claimable(now=now)):
            return
        hint, action = None, Action.TAKE_ANOTHER_TASK
        if self.claimable(now=now):
            action = Action.CLAIM_FIRST
        elif self.owner_id is None and self.status in OPEN:
            hint = "The task was started without an agent; continue it without agent_id, or choose another task."
        raise NotOwner(
            f"task {self.id} belongs to {self.owner_id or 'nobody'}; workers can write only to their own tasks",
            hint=hint,
            action=action,
            task_id=self.id,
            owner_id=self.owner_id,
            fence=self.fence,
        )

    def check_one_of(self, states: Collection[TaskStatus], wanted: str) -> None:
        """Raise InvalidState, with the legal states, unless the task is in one of these states."""
        if self.status in states:
            return
        legal = [str(status) for status in TaskStatus if status in states]
        raise InvalidState(
            f"task {self.id} is {self.status} and cannot be {wanted}",
            hint=f"Only {' or '.join(legal)} tasks allow this.",
            current=str(self.status),
            legal=legal,
        )

    def check_can_end(self, status: TaskStatus) -> None:
        """Raise IllegalMove unless the task may end in that state; a held task always may."""
        held = self.status is TaskStatus.PAUSED and self.hold is not None
        if not held:
            check_move("task", self.id, MOVES, self.status, status)

    def check_completable(self) -> None:
        """Raise InvalidState unless complete_task may end the task now."""
        held_by_owner = self.status is TaskStatus.PAUSED and self.hold is not None
        if self.status in COMPLETABLE or held_by_owner:
            return
        can_start = self.status in OPEN or self.status is TaskStatus.FAILED
        state = f"{self.status} and not in progress" if self.status in OPEN else f"already {self.status}"
        raise InvalidState(
            f"task {self.id} is {state}",
            hint=None if can_start else "Start a new task for more work.",
            action=Action.START_TASK if can_start else None,
            current=str(self.status),
            legal=sorted(str(status) for status in COMPLETABLE),
        )

    def record(self) -> dict[str, Any]:
        """Return the task as events and lists show it, without its long texts."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "phase_id": self.phase_id,
            "parent_task_id": self.parent_id,
            "name": self.name,
            "description": self.goal,
            "status": str(self.status),
            "hold_kind": str(self.hold.kind) if self.hold is not None else None,
            "quality": self.quality,
            "proof_state": self.proof_state,
            "sequence": self.phase_number,
            "parallel_group": self.parallel_group,
            "workspace_id": self.workspace_id,
            "waiting_for": self.waiting_for,
            "areas": list(self.areas),
            "caller_type": self.caller_type,
            "agent_name": self.agent_name,
            "assigned_agent_id": self.owner_id,
            "lease_until": format_time(self.lease_until),
            "fence": self.fence,
            "attempts": self.attempts,
            "failed_attempts": self.failed_attempts,
            "files_changed": {kind: len(self.changes[kind]) for kind in CHANGE_LISTS} if self.changes else None,
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
            "started_at": format_time(self.started_at),
            "completed_at": format_time(self.completed_at),
        }
