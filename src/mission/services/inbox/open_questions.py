"""What an execution asked, and the answer that its agent is started again with once it has ended."""

from __future__ import annotations

from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.executions.signals import SignalType
from mission.domain.inbox.item import SYSTEM, InboxItem, ItemKind, ItemState
from mission.domain.tasks.task import OPEN
from mission.store.transaction import Tx

QUESTIONS = (ItemKind.QUESTION, ItemKind.BLOCKER)
WENT_ON = frozenset(
    {
        SignalType.PROGRESS,
        SignalType.READY_FOR_VERIFICATION,
        SignalType.COMPLETED_CLAIM,
        SignalType.FAILED_CLAIM,
    }
)
"""Signals of an agent that does not wait for an answer any more."""
NO_ANSWER = "No answer: use your best judgment."
RECENT = 50
"""How many observations are searched for the last sign that an agent went on."""


def asked(tx: Tx, execution_id: str) -> list[InboxItem]:
    """Return what an execution asked since it last went on, oldest first, open or closed."""
    seen = tx.observations.page(execution_id, type=None, limit=RECENT, after=None)
    went_on_at = next((each.created_at for each in seen if each.type in WENT_ON), None)
    return [
        item
        for item in tx.inbox.of_execution(execution_id, kinds=QUESTIONS)
        if item.closed_by != SYSTEM and (went_on_at is None or item.created_at >= went_on_at)
    ]


def is_answered(tx: Tx, execution_id: str) -> bool:
    """Return whether a person answered anything that the execution asked last."""
    return any(item.state is ItemState.ANSWERED for item in asked(tx, execution_id))


def answer_left(tx: Tx, *, execution: Execution) -> str | None:
    """Return the answer that the agent of an ended execution is to be started again with, if it is."""
    items = asked(tx, execution.id)
    answered = [item for item in items if item.state is ItemState.ANSWERED]
    if not answered or any(item.is_open for item in items) or not _is_its_task(tx, execution):
        return None
    ended = execution.ended_at
    if execution.status is ExecutionStatus.STOPPED and all(
        item.closed_at is not None and ended is not None and item.closed_at <= ended for item in answered
    ):
        return None  # whoever stopped it knew the answers
    if len(items) == 1:
        return items[0].answer
    return "\n".join(f"{item.subject} → {item.answer if item in answered else NO_ANSWER}" for item in items)


def _is_its_task(tx: Tx, execution: Execution) -> bool:
    """Return whether the task is still there for this agent to go on with."""
    newest = tx.executions.newest_of_task(execution.task_id)
    task = tx.tasks.get(execution.task_id)
    is_newest = newest is not None and newest.id == execution.id
    return is_newest and task.owner_id in (None, execution.agent_id) and task.status in OPEN
