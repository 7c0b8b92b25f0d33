"""Close an item that a person answered or dismissed, and resume the task that it blocked."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.inbox.item import InboxItem
from mission.domain.tasks import moves
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.executions import ending
from mission.services.inbox import items as inbox
from mission.services.inbox import open_questions
from mission.services.tasks import updates
from mission.store.transaction import Tx

RESUME_WITHIN = timedelta(minutes=5)
"""How long an answered task waits for its agent's next execution before other agents may claim it."""


def answer(tx: Tx, *, item_id: str, text: str = "", choice: int | None = None, by: str) -> InboxItem:
    """Record a person's answer and resume the task that the item blocked."""
    return _resume(tx, inbox.answer(tx, item_id=item_id, text=text, choice=choice, by=by))


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> InboxItem:
    """Dismiss an item without an answer and resume the task that it blocked."""
    return _resume(tx, inbox.dismiss(tx, item_id=item_id, by=by, reason=reason))


def _resume(tx: Tx, item: InboxItem) -> InboxItem:
    """End the hold of the item's task, unless something else still blocks it."""
    task = tx.tasks.get(item.task_id) if item.holds_task and item.task_id is not None else None
    if task is not None and task.status is TaskStatus.PAUSED and task.hold is not None:
        others = [other for other in tx.inbox.open_where(task_id=task.id) if other.holds_task]
        if others:
            updates.apply(tx, moves.held(task, others[-1].hold, at=tx.now, cause=Cause.ANSWERED))
        else:
            _free(tx, task)
    return item


def _free(tx: Tx, task: Task) -> None:
    """Resume a task that nothing blocks anymore.

    A live agent resumes it, and so does the next execution of an agent that ended and got an answer. Without an answer
    there is no next execution, and the task is free. So is one whose agent reported a block and left.
    """
    assert task.hold is not None
    ended = open_questions.execution_that_left(tx, task)
    if ended is not None and not open_questions.is_answered(tx, ended):
        ending.release_unanswered(tx, ended, task)
    elif task.owner_id is None and task.hold.by is not None:
        updates.apply(tx, moves.released(task, at=tx.now, cause=Cause.ANSWERED))
    else:
        until = tx.now + RESUME_WITHIN if ended is not None else None
        updates.apply(tx, moves.resumed(task, at=tx.now, cause=Cause.ANSWERED, lease_until=until))
