"""Use cases of a task's course: its plan, another plan, and moves by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from mission.domain.inbox.item import BLOCKED_HOLD
from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.task import PLANNABLE, REPLANNABLE, Quality, Task, TaskStatus
from mission.services import phases
from mission.services import task_events as telling
from mission.services.inbox import task_requests as asking
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import completion as finishing
from mission.services.tasks import dependencies, journal, starting
from mission.services.tasks import updates as tasks
from mission.services.tasks.claims import TaskDetail
from mission.services.tasks.completion import TaskResult
from mission.services.tasks.preparation import TaskRequest
from mission.services.tasks.starting import Owner
from mission.services.work import Work
from mission.store.transaction import Tx

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusChange:
    """Where a caller wants a task, and what it says about it."""

    status: TaskStatus
    blocked: bool = False
    outcome: str | None = None
    outcome_detail: Mapping[str, Any] | None = None
    error: str | None = None

    def ending(self) -> TaskResult:
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
    *,
    task_id: str,
    wanted: StatusChange,
    owner: Owner,
    directory: str | None,
    report: Report | None,
    answer: Callable[[object], Answer],
) -> Answer:
    """Move a task; a start takes the snapshot and an end computes the changes, as in every dialect."""
    if wanted.status is TaskStatus.IN_PROGRESS:
        return await starting.start(
            work,
            trees,
            wish=TaskRequest(task_id=task_id),
            owner=owner,
            repository_path=None,
            directory=directory,
            report=report,
            answer=answer,
        )
    if wanted.status in {TaskStatus.COMPLETED, TaskStatus.FAILED}:
        return await finishing.complete(
            work,
            trees,
            task_id=task_id,
            agent_id=owner.agent_id,
            fence=owner.fence,
            ending=wanted.ending(),
            report=report,
            answer=answer,
        )
    before = await work.read(_snapshots, task_id=task_id)
    moved = await work.write(shift, task_id=task_id, wanted=wanted, owner=owner, answer=answer)
    if wanted.status is TaskStatus.SKIPPED:
        await trees.forget(before)
    return moved


def _snapshots(tx: Tx, *, task_id: str) -> Mapping[str, Mapping[str, Any]] | None:
    return tx.tasks.get(task_id).snapshots


def shift(tx: Tx, *, task_id: str, wanted: StatusChange, owner: Owner) -> Task:
    """Move a task where neither a tree nor its changes are concerned."""
    task = tx.tasks.get(task_id)
    if wanted.status is TaskStatus.PLANNING:
        return _planning(tx, task, owner)
    task.check_owner(owner.agent_id, owner.fence)
    if wanted.status is TaskStatus.SKIPPED:
        return _skip(tx, task)
    if wanted.status is TaskStatus.PENDING:
        moved = _waiting_again(tx, task, owner)
    elif wanted.blocked and task.status is TaskStatus.PAUSED:
        moved = replace(task, hold=_hold(wanted, owner), updated_at=tx.now)
    else:
        moved = task.move_to(wanted.status, at=tx.now)
        moved = replace(moved, hold=_hold(wanted, owner) if wanted.blocked else None)
    saved = tasks.save(tx, task, moved)
    if wanted.blocked:
        asking.blocked(tx, saved)
    return saved


def set_plan(
    tx: Tx, *, task_id: str, plan: Mapping[str, Any], context: Mapping[str, Any] | None, owner: Owner
) -> JournalEntry:
    """Give the task its plan; one that waited is being planned from now on."""
    task = tx.tasks.get(task_id)
    if task.status is TaskStatus.PENDING:
        task = _planning(tx, task, owner)
    else:
        task.check_owner(owner.agent_id, owner.fence)
        task.check_one_of(PLANNABLE, "planned")
    planned = replace(task, plan=plan, context={**(task.context or {}), **(context or {})} or None, updated_at=tx.now)
    tx.tasks.save(planned)
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
    """Give the task another plan: work in progress goes on as another attempt, a failed task waits again."""
    task = tx.tasks.get(task_id)
    if task.status is TaskStatus.FAILED:
        task.check_takeable(owner.agent_id, owner.fence, now=tx.now)
        replanned = _waiting_again(tx, task, owner)
    else:
        task.check_owner(owner.agent_id, owner.fence)
        task.check_one_of(REPLANNABLE, "replanned")
        replanned = replace(task, attempts=task.attempts + 1, updated_at=tx.now)
    tasks.save(tx, task, replace(replanned, plan=plan))
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
    """The task, what it depends on, and as many of its last checkpoints as were asked for."""
    task = tx.tasks.get(task_id)
    return TaskDetail(
        task=task,
        depends_on=tx.plans.dependencies([task_id])[task_id],
        checkpoints=tx.journal.latest_of_task(task_id, limit=checkpoints) if checkpoints is not None else None,
    )


def _planning(tx: Tx, task: Task, owner: Owner) -> Task:
    """The task while its owner makes a plan for it; one that nobody had belongs to the agent now."""
    task.check_takeable(owner.agent_id, owner.fence, now=tx.now)
    dependencies.check_done(tx, task)
    tx.missions.get(task.mission_id).check_hands_out()
    return tasks.save(tx, task, starting.with_owner(task, owner, tx=tx).move_to(TaskStatus.PLANNING, at=tx.now))


def _waiting_again(tx: Tx, task: Task, owner: Owner) -> Task:
    """The task back in the line; after a failure it stays with its owner only if that is who asks."""
    waiting = task.move_to(TaskStatus.PENDING, at=tx.now)
    if task.status is not TaskStatus.FAILED:
        return waiting
    if owner.agent_id is not None and owner.agent_id == task.owner_id:
        return starting.with_owner(waiting, owner, tx=tx)
    return waiting.given_back(at=tx.now)


def _hold(wanted: StatusChange, owner: Owner) -> dict[str, Any]:
    return {"kind": BLOCKED_HOLD, "reason": wanted.error or wanted.outcome, "by": owner.agent_id}


def _skip(tx: Tx, task: Task) -> Task:
    mission = tx.missions.get(task.mission_id)
    skipped = tasks.skip(tx, task)
    phases.settle(tx, mission=mission, phase_id=task.phase_id)
    tx.missions.touch(mission.id, now=tx.now)
    telling.workflow(tx, mission)
    return skipped
