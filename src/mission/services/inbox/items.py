"""Use cases of the human's queue: put something before a person, take their answer, let what waited go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidInput
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.ids import new_id
from mission.domain.inbox.item import ACCEPT, AFTER_FAILURE, HOLDING, INPUT_HOLD, SEND_BACK, SYSTEM, InboxItem, ItemKind
from mission.domain.tasks.task import Task, TaskStatus
from mission.services import task_events as telling
from mission.services.inbox import open_questions as resuming
from mission.store.transaction import Tx

LONGEST_SUBJECT = 200
_USUAL_CHOICES: Mapping[ItemKind, Sequence[Mapping[str, Any]]] = {
    ItemKind.REVIEW: (ACCEPT, SEND_BACK),
    ItemKind.FAILURE: AFTER_FAILURE,
}
RESUME_WITHIN = timedelta(minutes=5)
"""How long an answered task waits for its agent's next execution before others may take it."""


def open_item(
    tx: Tx,
    *,
    kind: ItemKind | str,
    subject: str,
    body: str = "",
    mission_id: str | None = None,
    task_id: str | None = None,
    agent_id: str | None = None,
    execution_id: str | None = None,
    message_id: str | None = None,
    entry_id: str | None = None,
    choices: Sequence[Mapping[str, Any]] = (),
    once: str | None = None,
) -> InboxItem:
    """Put something before a person. While an open item has the key `once`, only its count rises."""
    before = tx.inbox.open_with_key(once) if once is not None else None
    if before is not None:
        return _saved(tx, before.seen_again(body=body, at=tx.now))
    choices = choices or _USUAL_CHOICES.get(ItemKind(kind), ())
    if task_id is not None and mission_id is None:
        mission_id = tx.tasks.get(task_id).mission_id
    item = InboxItem(
        id=new_id("queue item"),
        kind=ItemKind(kind),
        subject=_line(subject),
        body=body,
        mission_id=mission_id,
        task_id=task_id,
        agent_id=agent_id,
        execution_id=execution_id,
        message_id=message_id,
        entry_id=entry_id,
        choices=[dict(choice) for choice in choices],
        once=once,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.inbox.add(item)
    tx.emit(events.QueueItemCreated(item=item))
    return item


def answer(tx: Tx, *, item_id: str, text: str = "", choice: int | None = None, by: str) -> InboxItem:
    """Record a person's answer; the blocker it belongs to is resolved and the task it held goes on.

    The agent learns of it by a reply: `services/answers/answering.py` sends that.
    """
    return _resolved(tx, tx.inbox.get(item_id).answered(text=text, choice=choice, by=by, at=tx.now))


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> InboxItem:
    """Put an item aside without an answer; what it held up goes on all the same."""
    return _resolved(tx, tx.inbox.get(item_id).dismissed(by=by, at=tx.now, reason=reason))


def withdraw(
    tx: Tx,
    *,
    reason: str,
    task_id: str | None = None,
    agent_id: str | None = None,
    execution_id: str | None = None,
    message_id: str | None = None,
    entry_id: str | None = None,
    once: str | None = None,
    kinds: Sequence[ItemKind] | None = None,
) -> list[InboxItem]:
    """Dismiss, in the system's name, every open item that fits: nobody waits for an answer any more."""
    named = {
        "task_id": task_id,
        "agent_id": agent_id,
        "execution_id": execution_id,
        "message_id": message_id,
        "entry_id": entry_id,
        "once": once,
    }
    if not any(named.values()):
        raise InvalidInput("withdraw: say what the items are about", hint="Give one of the ids.")
    found = tx.inbox.open_where(kinds=kinds, **named)
    return [close(tx, item.dismissed(by=SYSTEM, at=tx.now, reason=reason)) for item in found]


def close(tx: Tx, item: InboxItem) -> InboxItem:
    """Store an item that was just closed, with the blocker it belongs to; a hold is left to whoever ends it.

    A living agent that has nothing more to wait for runs again.
    """
    _saved(tx, item)
    if item.holds_task and item.execution_id is not None:
        _run_again(tx, item.execution_id)
    if item.entry_id is not None and tx.journal.resolve(item.entry_id):
        _count_resolved(tx, item)
    return item


def _resolved(tx: Tx, item: InboxItem) -> InboxItem:
    close(tx, item)
    if item.holds_task:
        _go_on(tx, item)
    return item


def _saved(tx: Tx, item: InboxItem) -> InboxItem:
    tx.inbox.save(item)
    tx.emit(events.QueueItemUpdated(item=item))
    return item


def _count_resolved(tx: Tx, item: InboxItem) -> None:
    assert item.mission_id is not None
    tx.missions.count(item.mission_id, "blockers", more=-1, now=tx.now)
    tx.emit(events.MissionUpdated(mission=tx.missions.get(item.mission_id)))


def _go_on(tx: Tx, item: InboxItem) -> None:
    """End the hold of a task, unless something else still holds it."""
    assert item.task_id is not None
    task = tx.tasks.get(item.task_id)
    if task.status is not TaskStatus.PAUSED or task.hold is None:
        return
    others = [other for other in tx.inbox.open_where(task_id=task.id) if other.holds_task]
    going = replace(task, hold=others[-1].hold, updated_at=tx.now) if others else _freed(tx, task, item)
    tx.tasks.save(going)
    tx.tallies.moved(task, going)
    telling.moved(tx, going)


def _freed(tx: Tx, task: Task, item: InboxItem) -> Task:
    """The task once nothing holds it. A living agent goes on with it, and so does the next execution of one that
    ended with its question; without any answer there will be none, and the task is free. So is one whose agent
    reported a block and left."""
    ended = (task.hold or {}).get("kind") == INPUT_HOLD and task.lease_until is None
    left = task.owner_id is None and (task.hold or {}).get("by") is not None
    unanswered = ended and not (item.execution_id is not None and resuming.is_answered(tx, item.execution_id))
    if left or unanswered:
        return task.given_back(at=tx.now)
    going = replace(task.move_to(TaskStatus.IN_PROGRESS, at=tx.now), hold=None)
    return replace(going, lease_until=tx.now + RESUME_WITHIN) if ended else going


def _run_again(tx: Tx, execution_id: str) -> None:
    """Let a living agent run again that waited, unless it still waits for something else."""
    execution = tx.executions.find(execution_id)
    if execution is None or execution.status is not ExecutionStatus.WAITING:
        return
    if not tx.inbox.open_where(kinds=sorted(HOLDING), execution_id=execution_id):
        running = execution.move_to(ExecutionStatus.RUNNING, at=tx.now)
        tx.executions.save(running)
        tx.emit(events.ExecutionUpdated(execution=running))


def _line(subject: str) -> str:
    line = " ".join(subject.split())
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1]}…"
