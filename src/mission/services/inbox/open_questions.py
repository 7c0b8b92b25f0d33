"""The last questions of an execution, and the answer that its agent is restarted with once it has ended."""

from __future__ import annotations

from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import NO_ANSWER, SYSTEM, InboxItem, ItemState
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.transaction import Tx


def asked(tx: Tx, execution: Execution) -> list[InboxItem]:
    """Return the items that an execution opened since it last resumed, oldest first, open or closed by a person."""
    return [item for item in tx.inbox.find(execution.asked_last) if item.closed_by != SYSTEM]


def is_answered(tx: Tx, execution: Execution) -> bool:
    """Return whether a person answered any of the execution's last questions."""
    return any(item.state is ItemState.ANSWERED for item in asked(tx, execution))


def execution_that_left(tx: Tx, task: Task) -> Execution | None:
    """Return the ended execution whose agent keeps the task until an answer comes, if there is one."""
    newest = tx.executions.newest_of_task(task.id)
    waits = newest is not None and not newest.is_live and newest.agent_id == task.owner_id
    return newest if waits and task.lease_until is None else None


def answer_for(tx: Tx, execution: Execution) -> str | None:
    """Return the answer to restart an ended execution's agent with; None if it is not restarted."""
    items = asked(tx, execution)
    answered = [item for item in items if item.state is ItemState.ANSWERED]
    if not answered or any(item.is_open for item in items) or not _is_its_task(tx, execution):
        return None
    if len(items) == 1:
        return items[0].answer
    return "\n".join(f"{item.subject} → {item.answer if item in answered else NO_ANSWER}" for item in items)


def _is_its_task(tx: Tx, execution: Execution) -> bool:
    """Return whether this agent can still resume the task."""
    newest = tx.executions.newest_of_task(execution.task_id)
    task = tx.tasks.get(execution.task_id)
    is_newest = newest is not None and newest.id == execution.id
    is_held = task.status is TaskStatus.PAUSED and task.hold is not None
    return is_newest and task.owner_id in (None, execution.agent_id) and task.status in OPEN and not is_held
