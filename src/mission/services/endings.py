"""How an execution ends: its access goes, and its task is kept for an answer, put under review, or free again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mission.domain.execution import Execution, ExecutionStatus
from mission.domain.inbox import INPUT_HOLD, ItemKind
from mission.domain.journal import CheckpointType
from mission.domain.task import OPEN, Task, TaskStatus
from mission.services import agents, asking, executions, identity, journal, tasks
from mission.services.agents import Rhythm
from mission.store.transaction import Tx

LONGEST_SUMMARY = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """How an execution's process ended, or why there will never be one."""

    status: ExecutionStatus
    exit_code: int | None = None
    reason: str | None = None


def ended(tx: Tx, *, execution_id: str, end: End, rhythm: Rhythm) -> Execution:
    """The process is gone: its access ends, and its task is kept, looked over or free. Said twice, it is said once."""
    execution = tx.executions.get(execution_id)
    if not execution.is_live:
        return execution
    execution = replace(
        execution.move_to(end.status, at=tx.now), exit_code=end.exit_code, reason=end.reason, process=None
    )
    keeping = _settle(tx, execution)
    agents.leave(tx, agent_id=execution.agent_id, keeping=keeping, rhythm=rhythm)
    identity.revoke(tx, agent_id=execution.agent_id)
    return executions.save(tx, execution)


def _settle(tx: Tx, execution: Execution) -> str | None:
    """What the end of its process means for the task; the task's id when it stays with the agent."""
    task = tx.tasks.get(execution.task_id)
    if task.owner_id != execution.agent_id or task.status not in OPEN:
        return None
    working = task.status in {TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}
    questions = tx.inbox.open_where(kinds=[ItemKind.QUESTION], execution_id=execution.id)
    if questions and working:
        _keep_for_answer(tx, execution, task, question=questions[0].subject)
        return task.id
    if execution.claims_done and working:
        _put_under_review(tx, execution, task)
        return task.id
    _release(tx, execution, task)
    return None


def _keep_for_answer(tx: Tx, execution: Execution, task: Task, *, question: str) -> None:
    """The task waits for the answer in its agent's hands: without a lease, nobody else can take it."""
    paused = task if task.status is TaskStatus.PAUSED else task.move_to(TaskStatus.PAUSED, at=tx.now)
    hold = {"kind": INPUT_HOLD, "reason": question, "by": execution.agent_id}
    tasks.save(tx, task, replace(paused, hold=hold, lease_until=None, updated_at=tx.now))


def _put_under_review(tx: Tx, execution: Execution, task: Task) -> None:
    """The agent says it is done but did not complete the task: a person decides."""
    working = task if task.status is TaskStatus.IN_PROGRESS else task.move_to(TaskStatus.IN_PROGRESS, at=tx.now)
    tasks.save(tx, task, replace(working.move_to(TaskStatus.REVIEW, at=tx.now), lease_until=None))
    words = str((execution.claim or {}).get("summary", ""))
    asking.verdict(tx, task, words=words, agent_id=execution.agent_id, execution_id=execution.id)


def _release(tx: Tx, execution: Execution, task: Task) -> None:
    """The task is free, once a block that was reported is resolved; whoever takes it next reads why it was left."""
    how = execution.reason or (f"exit code {execution.exit_code}" if execution.exit_code is not None else None)
    summary = f"execution {execution.id} ended {execution.status}{f': {how}' if how else ''}"
    left = {"claim": execution.claim, "progress": execution.progress, "hold": task.hold}
    journal.checkpoint(
        tx,
        type=CheckpointType.RECOVERY,
        task_id=task.id,
        summary=summary[:LONGEST_SUMMARY],
        detail={name: dict(value) for name, value in left.items() if value is not None},
        agent_id=execution.agent_id,
        fence=None,
    )
    if task.status is TaskStatus.PAUSED and task.hold is not None:
        free = replace(task, owner_id=None, lease_until=None, claimed_at=None, updated_at=tx.now)
        tasks.save(tx, task, free)
    else:
        tasks.give_back(tx, task)
