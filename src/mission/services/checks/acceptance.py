"""Acceptance: a person accepts a result although its checks did not pass, and says why."""

from __future__ import annotations

from dataclasses import replace

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.proof import Proof
from mission.domain.errors import Conflict, InvalidState
from mission.domain.tasks.moves import Cause, TaskMove
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.services.checks import settling, waiving
from mission.services.evidence.left_files import left_in_tree_of
from mission.services.repositories.working_trees import Trees
from mission.services.tasks import candidates, completion, updates
from mission.services.tasks.completion import Completed, PreparedCompletion, TaskResult
from mission.services.work import Work
from mission.store.transaction import Tx

ACCEPTABLE = frozenset(
    {TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.IN_PROGRESS, TaskStatus.PAUSED, TaskStatus.REVIEW}
)


async def accept(work: Work, trees: Trees, *, task_id: str, reason: str, by: str) -> Completed:
    """Complete a task as accepted, with its changes measured; in a run its result is merged first."""
    task = await work.read(_acceptable, task_id=task_id)
    if await work.read(_is_in_run, task=task):
        return await work.finish(record_in_run, task_id=task_id, reason=reason, by=by)
    left = await left_in_tree_of(work, task)
    changes, warnings = await completion.changes_of(trees, task, left=left, report=None)
    prepared = PreparedCompletion(
        task=task, agent_id=None, fence=None, result=_result(task, reason), changes=changes, warnings=warnings
    )
    completed = await work.finish(record, prepared=prepared, reason=reason, by=by)
    await trees.forget(completed.snapshots)
    return completed


def record_in_run(tx: Tx, *, task_id: str, reason: str, by: str) -> Completed:
    """Let the result of a task in a run be merged as accepted."""
    task = _acceptable(tx, task_id=task_id)
    run = candidates.run_of(tx, task)
    if run is None:
        raise Conflict(f"the run of task {task.id} has just ended", hint="Repeat the call.")
    return waiving.accept(tx, task=task, run=run, result=_result(task, reason), reason=reason, by=by)


def _is_in_run(tx: Tx, *, task: Task) -> bool:
    return candidates.run_of(tx, task) is not None


def record(tx: Tx, *, prepared: PreparedCompletion, reason: str, by: str) -> Completed:
    """Record the acceptance; checks that are under way are withdrawn."""
    task = _acceptable(tx, task_id=prepared.task.id)
    for round in tx.rounds.open_of_task(task.id):
        settling.withdraw(tx, round, reason=f"accepted by {by}")
    if task.status not in {TaskStatus.IN_PROGRESS, TaskStatus.REVIEW}:
        working = replace(task.move_to(TaskStatus.IN_PROGRESS, at=tx.now), lease_until=None)
        updates.apply(tx, TaskMove(before=task, after=working, cause=Cause.STARTED))
    proof = replace(_last_proof(task), state=ProofState.ACCEPTED, reason=reason, by=by)
    return completion.record(tx, prepared=replace(prepared, task=tx.tasks.get(task.id), proof=proof))


def _acceptable(tx: Tx, *, task_id: str) -> Task:
    task = tx.tasks.get(task_id)
    if task.status not in ACCEPTABLE:
        raise InvalidState(
            f"task {task.id} is {task.status} and cannot be accepted",
            hint="Only a task that has not ended can be accepted.",
            current=str(task.status),
        )
    if task.started_at is None:
        raise InvalidState(
            f"task {task.id} was never started, so there is nothing to accept",
            hint="To drop it, skip it.",
            current=str(task.status),
        )
    return task


def _last_proof(task: Task) -> Proof:
    return Proof.from_dict(task.proof) if task.proof is not None else Proof(state=ProofState.ACCEPTED)


def _result(task: Task, reason: str) -> TaskResult:
    return TaskResult(
        status=TaskStatus.COMPLETED,
        quality=Quality.SUCCESS,
        outcome={**(task.outcome or {}), "summary": f"Accepted by a person: {reason}", "manual_review_needed": False},
        metadata=task.metadata,
        phase_complete=False,
        by_hand=True,
        reviewed=True,
    )
