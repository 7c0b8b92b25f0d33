"""Use cases of the human's queue: put something before a person, take their answer, let what waited go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidInput
from mission.domain.ids import new_id
from mission.domain.inbox import ACCEPT, INPUT_HOLD, SEND_BACK, SYSTEM, ItemKind, ItemState, QueueItem
from mission.domain.task import Task, TaskStatus
from mission.services import telling
from mission.store.transaction import Tx

LONGEST_SUBJECT = 200
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
) -> QueueItem:
    """Put something before a person. While an open item has the key `once`, only its count rises."""
    before = tx.inbox.open_with_key(once) if once is not None else None
    if before is not None:
        return _saved(tx, before.seen_again(body=body, at=tx.now))
    if kind == ItemKind.REVIEW and not choices:
        choices = (ACCEPT, SEND_BACK)
    if task_id is not None and mission_id is None:
        mission_id = tx.tasks.get(task_id).mission_id
    item = QueueItem(
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


def answer(tx: Tx, *, item_id: str, text: str = "", choice: int | None = None, by: str) -> QueueItem:
    """Record a person's answer; the blocker it belongs to is resolved and the task it held goes on.

    The agent learns of it by a reply: `services/answers.py` sends that.
    """
    return _resolved(tx, tx.inbox.get(item_id).answered(text=text, choice=choice, by=by, at=tx.now))


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> QueueItem:
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
) -> list[QueueItem]:
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


def close(tx: Tx, item: QueueItem) -> QueueItem:
    """Store an item that was just closed, with the blocker it belongs to; a hold is left to whoever ends it."""
    _saved(tx, item)
    if item.entry_id is not None and tx.journal.resolve(item.entry_id):
        _count_resolved(tx, item)
    return item


def _resolved(tx: Tx, item: QueueItem) -> QueueItem:
    close(tx, item)
    if item.holds_task:
        _go_on(tx, item)
    return item


def _saved(tx: Tx, item: QueueItem) -> QueueItem:
    tx.inbox.save(item)
    tx.emit(events.QueueItemUpdated(item=item))
    return item


def _count_resolved(tx: Tx, item: QueueItem) -> None:
    assert item.mission_id is not None
    tx.missions.count(item.mission_id, "blockers", more=-1, now=tx.now)
    tx.emit(events.MissionUpdated(mission=tx.missions.get(item.mission_id)))


def _go_on(tx: Tx, item: QueueItem) -> None:
    """End the hold of a task, unless something else still holds it."""
    assert item.task_id is not None
    task = tx.tasks.get(item.task_id)
    others = [other for other in tx.inbox.open_where(task_id=task.id) if other.holds_task]
    if task.status is not TaskStatus.PAUSED or task.hold is None or others:
        return
    going = _freed(task, item, now=tx.now)
    tx.tasks.save(going)
    tx.tallies.moved(task, going)
    telling.moved(tx, going)


def _freed(task: Task, item: QueueItem, *, now: datetime) -> Task:
    """The task once nothing holds it. Where the agent that asked has ended, the answer is for its next execution;
    without one there will be none, so the task is free. So is one whose agent reported a block and left."""
    ended = task.hold is not None and task.hold.get("kind") == INPUT_HOLD
    left = task.owner_id is None and task.hold is not None and task.hold.get("by") is not None
    if left or (ended and item.state is ItemState.DISMISSED):
        return task.given_back(at=now)
    going = replace(task.move_to(TaskStatus.IN_PROGRESS, at=now), hold=None)
    return replace(going, lease_until=now + RESUME_WITHIN) if ended else going


def _line(subject: str) -> str:
    line = " ".join(subject.split())
    return line if len(line) <= LONGEST_SUBJECT else f"{line[: LONGEST_SUBJECT - 1]}…"
