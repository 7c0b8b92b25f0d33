"""Requests of tasks to a person: a reported block, a review, a failure; and their withdrawal once they are settled."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.inbox.item import SYSTEM, InboxItem, ItemKind
from mission.domain.tasks.hold import Hold
from mission.domain.tasks.moves import TaskMove
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.inbox import items as inbox
from mission.store.transaction import Tx


def blocked(tx: Tx, task: Task, hold: Hold) -> None:
    """Ask a person about a reported block; while it lasts there is one item, however often it is reported."""
    inbox.open_item(
        tx,
        kind=ItemKind.BLOCKER,
        subject=hold.reason or f"'{task.name}' is blocked",
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=hold.by or task.owner_id,
        body=hold.reason or "",
        dedupe_key=f"hold {task.id}",
    )


def review(tx: Tx, task: Task) -> None:
    """Ask a person to review ended work, if its owner requested that."""
    outcome = task.outcome or {}
    if not outcome.get("manual_review_needed"):
        return
    reason = outcome.get("manual_review_reason")
    inbox.open_item(
        tx,
        kind=ItemKind.REVIEW,
        subject=reason or f"'{task.name}' needs a review",
        body="\n\n".join(filter(None, (reason, outcome.get("summary")))),
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=task.owner_id,
        dedupe_key=f"review {task.id}",
    )


def verdict(tx: Tx, task: Task, *, words: str, agent_id: str | None, execution_id: str | None = None) -> InboxItem:
    """Ask a person whether work reported as done is done; the task is under review until then."""
    return inbox.open_item(
        tx,
        kind=ItemKind.REVIEW,
        subject=f"Review: {task.name}",
        body=words,
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=agent_id,
        execution_id=execution_id,
        dedupe_key=f"review {task.id}",
    )


def unproved(tx: Tx, task: Task) -> None:
    """Ask a person to look at a task that was completed although its checks gave no result."""
    inbox.open_item(
        tx,
        kind=ItemKind.REVIEW,
        subject=f"'{task.name}' was completed unproved",
        body="Its checks gave no result, and its agent completed it anyway.",
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=task.owner_id,
        dedupe_key=f"review {task.id}",
    )


def failed(tx: Tx, task: Task, *, reason: str, detail: str, agent_id: str, execution_id: str) -> None:
    """Ask a person what to do with a task whose agent failed; a claim by another agent settles that too."""
    inbox.open_item(
        tx,
        kind=ItemKind.FAILURE,
        subject=reason,
        body=detail,
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=agent_id,
        execution_id=execution_id,
    )


def moved(tx: Tx, move: TaskMove) -> None:
    """Withdraw the items about a task that resumed or was ended by its owner."""
    if not move.withdraws_questions:
        return
    after = move.after
    over = {
        ItemKind.REVIEW: move.ends_review,
        ItemKind.FAILURE: move.ends_search or move.frees_dependents,
        ItemKind.CHECKS: move.ends,
    }
    for item in tx.inbox.open_where(task_id=after.id):
        if item.kind is ItemKind.FAILURE and move.ends_search and after.owner_id is not None:
            _withdraw(tx, item, f"{after.owner_id} took the task")
        elif item.holds_task or over.get(item.kind, False):
            _withdraw(tx, item, f"the task is now {after.status}")


def skipped(tx: Tx, *, mission_id: str, tasks: Sequence[Task]) -> None:
    """Withdraw the items about tasks of a mission that are skipped together."""
    reviewed = {task.id: task.status is TaskStatus.REVIEW for task in tasks}
    for item in tx.inbox.open_where(mission_id=mission_id):
        over = {
            ItemKind.REVIEW: reviewed.get(item.task_id or "", False),
            ItemKind.FAILURE: True,
            ItemKind.CHECKS: True,
        }
        if item.task_id in reviewed and (item.holds_task or over.get(item.kind, False)):
            _withdraw(tx, item, f"the task is now {TaskStatus.SKIPPED}")


def mission_ended(tx: Tx, *, mission_id: str) -> None:
    """Withdraw every failure of a mission that has ended: none of its tasks is launched again."""
    for item in tx.inbox.open_where(mission_id=mission_id, kinds=[ItemKind.FAILURE]):
        _withdraw(tx, item, "the mission has ended")


def _withdraw(tx: Tx, item: InboxItem, reason: str) -> None:
    inbox.close(tx, item.dismissed(by=SYSTEM, at=tx.now, reason=reason))
