"""Moves of a task: what it was, what it is now, why, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.tasks.hold import Hold
from mission.domain.tasks.task import DONE, FREE, OPEN, Quality, Task, TaskStatus


class Cause(StrEnum):
    """Why a task changed, as its event tells it."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Cause:
        cause = str.__new__(cls, value)
        cause._value_ = value
        cause.meaning = meaning
        return cause

    CLAIMED = "claimed", "an agent took it"
    PLANNED = "planned", "it got a plan, or its owner makes one"
    REPLANNED = "replanned", "it got another plan"
    STARTED = "started", "work on it began"
    PAUSED = "paused", "it was paused by hand"
    BLOCKED = "blocked", "a block was reported"
    ASKED = "asked", "its agent asked a question and waits for the answer"
    ANSWERED = "answered", "a person answered or dismissed what held it"
    RESUMED = "resumed", "its agent went on with it"
    REPORTED = "reported", "its agent said something about it; the task itself did not change"
    SUBMITTED = "submitted", "it is said to be done, and waits for a review"
    SENT_BACK = "sent_back", "the review found something missing"
    RELEASED = "released", "its owner gave it back, or left"
    LEFT = "left", "its agent's program ended without completing it"
    REOPENED = "reopened", "it was put back into the line by hand"
    WORKSPACE_ASSIGNED = "workspace_assigned", "it got a workspace"
    COMPLETED = "completed", "its work is done"
    FAILED = "failed", "its owner gave up"
    SKIPPED = "skipped", "it will not be done"
    MISSION_ENDED = "mission_ended", "it was skipped because its mission ended"


QUIET = frozenset({Cause.CLAIMED, Cause.WORKSPACE_ASSIGNED})
"""Causes that the mission's own topic does not tell of: they say who has a task and where, not how far it is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskMove:
    """One change of a task, and what follows from it."""

    before: Task
    after: Task
    cause: Cause

    @property
    def needs_saving(self) -> bool:
        """Whether the row has to be written: a claim already is, by the statement that decides who gets the task."""
        return self.cause is not Cause.CLAIMED and self.before != self.after

    @property
    def frees_dependents(self) -> bool:
        """Whether nobody needs to wait for the task any more."""
        return self.after.status in DONE and self.before.status not in DONE

    @property
    def ends(self) -> bool:
        """Whether the task comes to an end, or from one end to another."""
        return self.after.status not in OPEN and self.after.status is not self.before.status

    @property
    def ends_hold(self) -> bool:
        return self.before.hold is not None and self.after.hold is None

    @property
    def ends_review(self) -> bool:
        return self.before.status is TaskStatus.REVIEW and self.after.status is not TaskStatus.REVIEW

    @property
    def ends_search(self) -> bool:
        """Whether somebody took a task that had an owner before and was free."""
        return self.before.fence > 0 and _is_free(self.before) and not _is_free(self.after)

    @property
    def withdraws_questions(self) -> bool:
        """Whether what was asked about the task no longer needs an answer."""
        return self.ends_hold or self.ends_review or self.ends_search or self.ends

    @property
    def tells_mission(self) -> bool:
        """Whether those who only follow the mission should know."""
        return self.cause not in QUIET


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskEnd:
    """How a task ended, and what is known of its work."""

    status: TaskStatus
    quality: Quality | None
    outcome: Mapping[str, Any]
    metadata: Mapping[str, Any] | None
    changes: Mapping[str, Any] | None
    error: str | None


def claimed(task: Task, agent_id: str, *, at: datetime, until: datetime) -> TaskMove:
    """Hand the task to a new owner."""
    return TaskMove(before=task, after=task.handed_to(agent_id, at=at, until=until), cause=Cause.CLAIMED)


def held(task: Task, hold: Hold, *, at: datetime, cause: Cause) -> TaskMove:
    """Pause the task until a person has answered; one that is paused gets the new reason."""
    paused = task if task.status is TaskStatus.PAUSED else task.move_to(TaskStatus.PAUSED, at=at)
    return TaskMove(before=task, after=replace(paused, hold=hold, updated_at=at), cause=cause)


def kept_for_answer(task: Task, hold: Hold, *, at: datetime) -> TaskMove:
    """Pause the task of an agent that has ended. It keeps the task without a lease, so that nobody else takes it."""
    move = held(task, hold, at=at, cause=Cause.ASKED)
    return replace(move, after=replace(move.after, lease_until=None))


def resumed(task: Task, *, at: datetime, cause: Cause = Cause.RESUMED, lease_until: datetime | None = None) -> TaskMove:
    """End the task's hold: its agent goes on. One that has no lease may get one."""
    going = task.move_to(TaskStatus.IN_PROGRESS, at=at)
    return TaskMove(before=task, after=replace(going, lease_until=lease_until or task.lease_until), cause=cause)


def resumed_by(task: Task, owned: Task, *, at: datetime) -> TaskMove:
    """Return an answered task, which runs already, to the agent that comes back to it; `owned` has its new lease.

    It is the same attempt, measured anew.
    """
    going = replace(owned.begun_again(), attempt_started_at=at, updated_at=at)
    return TaskMove(before=task, after=going, cause=Cause.RESUMED)


def started(task: Task, owned: Task, *, at: datetime) -> TaskMove:
    """Begin work on the task, or go on after a pause; `owned` is the task in the hands of whoever does."""
    after = owned.move_to(TaskStatus.IN_PROGRESS, at=at).begun_again()
    cause = Cause.RESUMED if task.status is TaskStatus.PAUSED else Cause.STARTED
    return TaskMove(before=task, after=after, cause=cause)


def submitted(task: Task, *, at: datetime) -> TaskMove:
    """Put the task of an agent that says it is done under review."""
    task.check_one_of({TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}, "put under review")
    review = replace(task, status=TaskStatus.REVIEW, hold=None, lease_until=None, updated_at=at)
    return TaskMove(before=task, after=review, cause=Cause.SUBMITTED)


def sent_back(task: Task, *, at: datetime) -> TaskMove:
    """Put the task under review back into the line: something is missing."""
    task.check_one_of({TaskStatus.REVIEW}, "sent back")
    waiting = replace(task.without_owner(), status=TaskStatus.PENDING, attempt_started_at=None, completion=None)
    return TaskMove(before=task, after=replace(waiting, updated_at=at), cause=Cause.SENT_BACK)


def released(task: Task, *, at: datetime, cause: Cause = Cause.RELEASED) -> TaskMove:
    """Free the task: it waits for its next owner and keeps its snapshot."""
    return TaskMove(before=task, after=task.given_back(at=at), cause=cause)


def left(task: Task, *, failed: bool, at: datetime) -> TaskMove:
    """Free the task of an agent whose program ended. A block that it reported still holds the task."""
    is_held = task.status is TaskStatus.PAUSED and task.hold is not None
    free = replace(task.without_owner(), updated_at=at) if is_held else task.given_back(at=at)
    return TaskMove(before=task, after=replace(free, failed_attempts=task.failed_attempts + failed), cause=Cause.LEFT)


def ended(task: Task, end: TaskEnd, *, at: datetime) -> TaskMove:
    """End the task by its owner's word or by hand; a hold ends with it. A failed task keeps its snapshot."""
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
        updated_at=at,
    )
    return TaskMove(before=task, after=after, cause=Cause.FAILED if failed else Cause.COMPLETED)


def skipped(task: Task, *, at: datetime, cause: Cause = Cause.SKIPPED) -> TaskMove:
    """End a task that will not be done."""
    return TaskMove(before=task, after=task.skipped(at=at), cause=cause)


def reported(task: Task) -> TaskMove:
    """Tell what the task's agent said of it: the task stays as it is."""
    return TaskMove(before=task, after=task, cause=Cause.REPORTED)


def given_workspace(task: Task, workspace_id: str, *, at: datetime) -> TaskMove:
    """Have the task done in a workspace from its next start on."""
    return TaskMove(
        before=task, after=replace(task, workspace_id=workspace_id, updated_at=at), cause=Cause.WORKSPACE_ASSIGNED
    )


def _is_free(task: Task) -> bool:
    """Return whether nobody has the task and it waits to be taken."""
    return task.owner_id is None and task.status in FREE
