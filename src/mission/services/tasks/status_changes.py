"""Use cases of a task's status: set its plan, replan, and move it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mission.domain.missions.mission import Mission
from mission.domain.tasks import moves
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.moves import Cause, TaskMove
from mission.domain.tasks.states import PLANNABLE, REPLANNABLE, TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.services import phases
from mission.services.inbox import task_requests
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import completion, dependencies, journal, starting, updates
from mission.services.tasks.claims import TaskDetail
from mission.services.tasks.completion import Completed, Gate, TaskResult
from mission.services.tasks.preparation import TaskRequest
from mission.services.tasks.starting import Owner, Started
from mission.services.work import Work
from mission.store.transaction import Tx

Moved = Task | Started | Completed
"""A task that was moved, with what else is known if it was started or ended."""

_BY_HAND = {TaskStatus.PAUSED: Cause.PAUSED, TaskStatus.REVIEW: Cause.SUBMITTED}
"""The cause of a manual move into each of these states."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusChange:
    """The status that a caller wants for a task, and its comment."""

    status: TaskStatus
    blocked: bool = False
    outcome: str | None = None
    outcome_detail: Mapping[str, Any] | None = None
    error: str | None = None

    def result(self) -> TaskResult:
        """Return the result of a task that ends by this change."""
        failed = self.status is TaskStatus.FAILED
        detail = {"detail": dict(self.outcome_detail)} if self.outcome_detail is not None else {}
        return TaskResult(
            status=self.status,
            quality=None if failed else Quality.SUCCESS,
            outcome={"summary": self.outcome or self.error or "", **detail},
            metadata=None,
            phase_complete=False,
            error=self.error if failed else None,
            by_hand=True,
        )


async def move(
    work: Work,
    trees: Trees,
    gate: Gate,
    *,
    task_id: str,
    wanted: StatusChange,
    owner: Owner,
    directory: str | None,
    report: Report | None,
) -> Moved:
    """Move a task; a start takes the snapshot and an end computes the changes, as in every dialect."""
    if wanted.status is TaskStatus.IN_PROGRESS:
        return await starting.start(
            work,
            trees,
            request=TaskRequest(task_id=task_id),
            owner=owner,
            repository_path=None,
            directory=directory,
            report=report,
        )
    if wanted.status in {TaskStatus.COMPLETED, TaskStatus.FAILED}:
        return await completion.complete(
            work,
            trees,
            gate,
            task_id=task_id,
            agent_id=owner.agent_id,
            fence=owner.fence,
            result=wanted.result(),
            report=report,
        )
    before = await work.read(_snapshots, task_id=task_id)
    moved = await work.finish(shift, task_id=task_id, wanted=wanted, owner=owner)
    if wanted.status is TaskStatus.SKIPPED:
        await trees.forget(before)
    return moved


def task_of(moved: Moved) -> Task:
    """Return the task itself."""
    return moved if isinstance(moved, Task) else moved.task


def _snapshots(tx: Tx, *, task_id: str) -> Mapping[str, Mapping[str, Any]] | None:
    return tx.tasks.get(task_id).snapshots


def shift(tx: Tx, *, task_id: str, wanted: StatusChange, owner: Owner) -> Task:
    """Move a task where neither a tree nor its changes are involved."""
    task = tx.tasks.get(task_id)
    if wanted.status is TaskStatus.PLANNING:
        (planning,) = updates.apply(tx, _planning(tx, task, owner))
        return planning
    task.check_owner(owner.agent_id, owner.fence)
    if wanted.status is TaskStatus.SKIPPED:
        return _skip(tx, task)
    if wanted.status is TaskStatus.PENDING:
        move = TaskMove(before=task, after=_waiting_again(tx, task, owner), cause=Cause.REOPENED)
    elif wanted.blocked:
        hold = Hold(HoldKind.BLOCKED, wanted.error or wanted.outcome, owner.agent_id)
        move = moves.held(task, hold, at=tx.now, cause=Cause.BLOCKED)
    else:
        after = replace(task.move_to(wanted.status, at=tx.now), hold=None)
        move = TaskMove(before=task, after=after, cause=_BY_HAND[wanted.status])
    (saved,) = updates.apply(tx, move)
    if wanted.blocked and saved.hold is not None:
        task_requests.blocked(tx, saved, saved.hold)
    return saved


def set_plan(
    tx: Tx, *, task_id: str, plan: Mapping[str, Any], context: Mapping[str, Any] | None, owner: Owner
) -> JournalEntry:
    """Set the task's plan; a pending task is being planned from now on."""
    task = tx.tasks.get(task_id)
    move = TaskMove(before=task, after=task, cause=Cause.PLANNED)
    if task.status is TaskStatus.PENDING:
        move = _planning(tx, task, owner)
    else:
        task.check_owner(owner.agent_id, owner.fence)
        task.check_one_of(PLANNABLE, "planned")
    context = {**(task.context or {}), **(context or {})} or None
    updates.apply(tx, replace(move, after=replace(move.after, plan=plan, context=context, updated_at=tx.now)))
    return journal.checkpoint(
        tx,
        type=CheckpointType.PLAN,
        task_id=task_id,
        summary=plan["approach"],
        detail=plan,
        agent_id=owner.agent_id,
        fence=None,
    )


def replan(tx: Tx, *, task_id: str, reason: str, plan: Mapping[str, Any], owner: Owner) -> JournalEntry:
    """Replace the task's plan: work in progress continues as another attempt, a failed task is pending again."""
    task = tx.tasks.get(task_id)
    if task.status is TaskStatus.FAILED:
        task.check_startable(owner.agent_id, owner.fence, now=tx.now)
        replanned = _waiting_again(tx, task, owner)
    else:
        task.check_owner(owner.agent_id, owner.fence)
        task.check_one_of(REPLANNABLE, "replanned")
        replanned = replace(task, attempts=task.attempts + 1, attempt_started_at=tx.now, updated_at=tx.now)
    updates.apply(tx, TaskMove(before=task, after=replace(replanned, plan=plan), cause=Cause.REPLANNED))
    return journal.checkpoint(
        tx,
        type=CheckpointType.REPLAN,
        task_id=task_id,
        summary=reason,
        detail=plan,
        agent_id=owner.agent_id,
        fence=None,
    )


def get(tx: Tx, *, task_id: str, checkpoints: int | None) -> TaskDetail:
    """Return the task, its dependencies, and the requested number of its last checkpoints."""
    task = tx.tasks.get(task_id)
    return TaskDetail(
        task=task,
        depends_on=tx.plans.dependencies([task_id])[task_id],
        checkpoints=tx.journal.latest_of_task(task_id, limit=checkpoints) if checkpoints is not None else None,
    )


def _planning(tx: Tx, task: Task, owner: Owner) -> TaskMove:
    """Return the move into planning; a task without an owner now belongs to the agent."""
    task.check_startable(owner.agent_id, owner.fence, now=tx.now)
    dependencies.check_done(tx, task)
    tx.missions.get(task.mission_id).check_starts_tasks()
    planning = starting.with_owner(task, owner, tx=tx).move_to(TaskStatus.PLANNING, at=tx.now)
    return TaskMove(before=task, after=planning, cause=Cause.PLANNED)


def _waiting_again(tx: Tx, task: Task, owner: Owner) -> Task:
    """Return the task as pending again; after a failure it stays with its owner only if the owner asks."""
    waiting = task.move_to(TaskStatus.PENDING, at=tx.now)
    if task.status is not TaskStatus.FAILED:
        return waiting
    if owner.agent_id is not None and owner.agent_id == task.owner_id:
        return starting.with_owner(waiting, owner, tx=tx)
    return waiting.released(at=tx.now)


def _skip(tx: Tx, task: Task) -> Task:
    move = moves.skipped(task, at=tx.now)

    def settle(mission: Mission) -> Task:
        phases.settle(tx, mission=mission, phase_id=task.phase_id, ending_task=task.id)
        return move.after

    (skipped,) = updates.apply(tx, move, settle=settle)
    return skipped
