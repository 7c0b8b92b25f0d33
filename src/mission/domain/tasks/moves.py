"""Moves of a task: its state before and after, the cause and the consequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.checks.evidence import ProofState
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import DONE, FREE, OPEN, TaskStatus
from mission.domain.tasks.task import Quality, Task


class Cause(StrEnum):
    """The reason why a task changed, as its event reports it."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Cause:
        cause = str.__new__(cls, value)
        cause._value_ = value
        cause.meaning = meaning
        return cause

    CLAIMED = "claimed", "an agent claimed it"
    PLANNED = "planned", "it got a plan, or its owner is making one"
    REPLANNED = "replanned", "it got a new plan"
    STARTED = "started", "work on it started"
    PAUSED = "paused", "it was paused manually"
    BLOCKED = "blocked", "a blocker was reported"
    ASKED = "asked", "its agent asked a question and is waiting for the answer"
    ANSWERED = "answered", "a person answered or dismissed the item that blocked it"
    RESUMED = "resumed", "its agent resumed work on it"
    REPORTED = "reported", "its agent reported something about it; the task itself did not change"
    SUBMITTED = "submitted", "it was reported done and is waiting for a review"
    CHECKING = "checking", "it was reported done and its checks are under way"
    CHECKED = "checked", "its checks did not pass; its owner continues"
    SENT_BACK = "sent_back", "the review found something missing"
    RELEASED = "released", "its owner released it or left"
    LEFT = "left", "its agent's program ended without completing it"
    REOPENED = "reopened", "it was set back to pending manually"
    WORKSPACE_ASSIGNED = "workspace_assigned", "a workspace was assigned to it"
    COMPLETED = "completed", "its work is done"
    FAILED = "failed", "its owner gave up"
    SKIPPED = "skipped", "it will not be done"
    MISSION_ENDED = "mission_ended", "it was skipped because its mission ended"


QUIET = frozenset({Cause.CLAIMED, Cause.WORKSPACE_ASSIGNED})
"""Causes that are not published on the mission's topic: they concern owner and place, not progress."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskMove:
    """One change of a task, and what follows from it."""

    before: Task
    after: Task
    cause: Cause

    @property
    def needs_saving(self) -> bool:
        """Return whether the row must be written; the statement that decides a claim has already written it."""
        return self.cause is not Cause.CLAIMED and self.before != self.after

    @property
    def frees_dependents(self) -> bool:
        """Return whether dependents no longer need to wait for the task."""
        return self.after.status in DONE and self.before.status not in DONE

    @property
    def ends(self) -> bool:
        """Return whether the task ends, or changes from one final state to another."""
        return self.after.status not in OPEN and self.after.status is not self.before.status

    @property
    def ends_hold(self) -> bool:
        """Return whether the task no longer waits for what it waited for; a report ends every other hold."""
        before, after = self.before.hold, self.after.hold
        return before is not None and (after is None or (after.kind == HoldKind.CHECKS and before.kind != after.kind))

    @property
    def ends_review(self) -> bool:
        return self.before.status is TaskStatus.REVIEW and self.after.status is not TaskStatus.REVIEW

    @property
    def ends_search(self) -> bool:
        """Return whether a free task that had an owner before gets a new one."""
        return self.before.fence > 0 and _is_free(self.before) and not _is_free(self.after)

    @property
    def withdraws_questions(self) -> bool:
        """Return whether open questions about the task no longer need an answer."""
        return self.ends_hold or self.ends_review or self.ends_search or self.ends

    @property
    def tells_mission(self) -> bool:
        """Return whether subscribers of the mission get the event."""
        return self.cause not in QUIET


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEnd:
    """The end of a task, with its result and changes."""

    status: TaskStatus
    quality: Quality | None
    outcome: Mapping[str, Any]
    metadata: Mapping[str, Any] | None
    changes: Mapping[str, Any] | None
    error: str | None
    proof_state: ProofState | None = None
    proof: Mapping[str, Any] | None = None


def claimed(task: Task, agent_id: str, *, at: datetime, until: datetime) -> TaskMove:
    """Assign the task to a new owner."""
    return TaskMove(before=task, after=task.handed_to(agent_id, at=at, until=until), cause=Cause.CLAIMED)


def held(task: Task, hold: Hold, *, at: datetime, cause: Cause) -> TaskMove:
    """Pause the task until a person has answered; a paused task gets the new reason."""
    paused = task if task.status is TaskStatus.PAUSED else task.move_to(TaskStatus.PAUSED, at=at)
    return TaskMove(before=task, after=replace(paused, hold=hold, updated_at=at), cause=cause)


def kept_for_answer(task: Task, hold: Hold, *, at: datetime) -> TaskMove:
    """Pause the task of an agent that has ended; it stays the owner, without a lease, so no other agent claims it."""
    move = held(task, hold, at=at, cause=Cause.ASKED)
    return replace(move, after=replace(move.after, lease_until=None))


def resumed(task: Task, *, at: datetime, cause: Cause = Cause.RESUMED, lease_until: datetime | None = None) -> TaskMove:
    """End the task's hold so that its agent resumes; a task without a lease may get one."""
    going = task.move_to(TaskStatus.IN_PROGRESS, at=at)
    return TaskMove(before=task, after=replace(going, lease_until=lease_until or task.lease_until), cause=cause)


def resumed_by(task: Task, owned: Task, *, at: datetime) -> TaskMove:
    """Return an answered, running task to the agent that resumes it; `owned` has its new lease.

    It is the same attempt with a new start time.
    """
    going = replace(owned.restarted(), attempt_started_at=at, updated_at=at)
    return TaskMove(before=task, after=going, cause=Cause.RESUMED)


def started(task: Task, owned: Task, *, at: datetime) -> TaskMove:
    """Start work on the task, or resume it after a pause; `owned` is the task with its owner and lease."""
    after = owned.move_to(TaskStatus.IN_PROGRESS, at=at).restarted()
    cause = Cause.RESUMED if task.status is TaskStatus.PAUSED else Cause.STARTED
    return TaskMove(before=task, after=after, cause=cause)


def submitted(task: Task, *, at: datetime) -> TaskMove:
    """Put a task that its agent reported done under review."""
    task.check_one_of({TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}, "put under review")
    review = replace(task, status=TaskStatus.REVIEW, hold=None, lease_until=None, updated_at=at)
    return TaskMove(before=task, after=review, cause=Cause.SUBMITTED)


def checking(task: Task, hold: Hold, *, at: datetime) -> TaskMove:
    """Hold a reported task while its checks run: without a lease, so no other agent claims it."""
    if task.status not in {TaskStatus.IN_PROGRESS, TaskStatus.REVIEW}:
        task = task.move_to(TaskStatus.IN_PROGRESS, at=at)
    after = replace(
        task,
        status=TaskStatus.REVIEW,
        hold=hold,
        lease_until=None,
        proof_state=ProofState.CHECKING,
        updated_at=at,
    )
    return TaskMove(before=task, after=after, cause=Cause.CHECKING)


def checked(
    task: Task,
    *,
    at: datetime,
    lease_until: datetime | None,
    proof_state: ProofState | None,
    proof: Mapping[str, Any] | None,
) -> TaskMove:
    """Return a task that its checks did not let through to its owner, in the same attempt."""
    after = replace(
        task,
        status=TaskStatus.IN_PROGRESS,
        hold=None,
        lease_until=lease_until,
        proof_state=proof_state,
        proof=proof,
        updated_at=at,
    )
    return TaskMove(before=task, after=after, cause=Cause.CHECKED)


def sent_back(task: Task, *, at: datetime) -> TaskMove:
    """Set the task from review back to pending: something is missing."""
    task.check_one_of({TaskStatus.REVIEW}, "sent back")
    waiting = replace(
        task.without_owner(),
        status=TaskStatus.PENDING,
        attempt_started_at=None,
        completion=None,
        proof_state=task.proof_without_checks,
    )
    return TaskMove(before=task, after=replace(waiting, updated_at=at), cause=Cause.SENT_BACK)


def released(task: Task, *, at: datetime, cause: Cause = Cause.RELEASED) -> TaskMove:
    """Release the task: it waits for its next owner and keeps its snapshot."""
    return TaskMove(before=task, after=task.released(at=at), cause=cause)


def left(task: Task, *, failed: bool, at: datetime, cause: Cause = Cause.LEFT) -> TaskMove:
    """Release the task of an agent whose program ended. A blocker that it reported still holds the task."""
    is_held = task.status is TaskStatus.PAUSED and task.hold is not None
    free = replace(task.without_owner(), updated_at=at) if is_held else task.released(at=at)
    return TaskMove(before=task, after=replace(free, failed_attempts=task.failed_attempts + failed), cause=cause)


def ended(task: Task, end: TaskEnd, *, at: datetime) -> TaskMove:
    """End the task as its owner reported or by hand; its hold ends too. A failed task keeps its snapshot."""
    task.check_can_end(end.status)
    failed = end.status is TaskStatus.FAILED
    after = replace(
        task,
        status=end.status,
        hold=None,
        completed_at=at,
        failed_attempts=task.failed_attempts + failed,
        quality=end.quality,
        outcome=dict(end.outcome),
        error=end.error,
        metadata=dict(end.metadata) if end.metadata is not None else None,
        changes=end.changes,
        lease_until=None,
        snapshots=task.snapshots if failed else None,
        proof_state=task.proof_without_checks if failed else end.proof_state,
        proof=task.proof if failed else end.proof,
        updated_at=at,
    )
    return TaskMove(before=task, after=after, cause=Cause.FAILED if failed else Cause.COMPLETED)


def skipped(task: Task, *, at: datetime, cause: Cause = Cause.SKIPPED) -> TaskMove:
    """End a task that will not be done."""
    return TaskMove(before=task, after=task.skipped(at=at), cause=cause)


def reported(task: Task) -> TaskMove:
    """Record a report of the task's agent; the task does not change."""
    return TaskMove(before=task, after=task, cause=Cause.REPORTED)


def given_workspace(task: Task, workspace_id: str, *, at: datetime) -> TaskMove:
    """Assign a workspace to the task, used from its next start."""
    return TaskMove(
        before=task, after=replace(task, workspace_id=workspace_id, updated_at=at), cause=Cause.WORKSPACE_ASSIGNED
    )


def _is_free(task: Task) -> bool:
    """Return whether the task has no owner and can be claimed."""
    return task.owner_id is None and task.status in FREE
