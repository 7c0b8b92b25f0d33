"""What an execution asked last, and the answer that its agent is started again with once it has ended."""

from __future__ import annotations

from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import NO_ANSWER, SYSTEM, InboxItem, ItemState
from mission.domain.tasks.task import OPEN, Task, TaskStatus
from mission.store.transaction import Tx


def asked(tx: Tx, execution: Execution) -> list[InboxItem]:
    """Return what an execution asked since it last went on, oldest first, open or closed by a person."""
    return [item for item in tx.inbox.find(execution.asked_last) if item.closed_by != SYSTEM]


def is_answered(tx: Tx, execution: Execution) -> bool:
    """Return whether a person answered anything that the execution asked last."""
    return any(item.state is ItemState.ANSWERED for item in asked(tx, execution))


def execution_that_left(tx: Tx, task: Task) -> Execution | None:
    """Return the ended execution in whose agent's hands the task waits for an answer, if it does."""
    newest = tx.executions.newest_of_task(task.id)
    waits = newest is not None and not newest.is_live and newest.agent_id == task.owner_id
    return newest if waits and task.lease_until is None else None


def answer_for(tx: Tx, execution: Execution) -> str | None:
    """Return the answer that the agent of an ended execution is to be started again with, if it is."""
    items = asked(tx, execution)
    answered = [item for item in items if item.state is ItemState.ANSWERED]
    if not answered or any(item.is_open for item in items) or not _is_its_task(tx, execution):
        return None
    if len(items) == 1:
        return items[0].answer
    return "\n".join(f"{item.subject} → {item.answer if item in answered else NO_ANSWER}" for item in items)


def _is_its_task(tx: Tx, execution: Execution) -> bool:
    """Return whether the task is still there for this agent to resume."""
    newest = tx.executions.newest_of_task(execution.task_id)
    task = tx.tasks.get(execution.task_id)
    is_newest = newest is not None and newest.id == execution.id
    is_held = task.status is TaskStatus.PAUSED and task.hold is not None
    return is_newest and task.owner_id in (None, execution.agent_id) and task.status in OPEN and not is_held
