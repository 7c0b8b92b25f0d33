"""Use cases of the inbox: open an item for a person, record their answer, withdraw the item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidInput
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.ids import new_id
from mission.domain.inbox.item import AFTER_FAILURE, APPROVE_RESULT, HOLDING, SEND_BACK, SYSTEM, InboxItem, ItemKind
from mission.store.transaction import Tx

MAX_SUBJECT_LENGTH = 200
_USUAL_CHOICES: Mapping[ItemKind, Sequence[Mapping[str, Any]]] = {
    ItemKind.REVIEW: (APPROVE_RESULT, SEND_BACK),
    ItemKind.FAILURE: AFTER_FAILURE,
}


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
    dedupe_key: str | None = None,
) -> InboxItem:
    """Open an item for a person. While an open item has the same `dedupe_key`, only its count rises."""
    before = tx.inbox.open_with_key(dedupe_key) if dedupe_key is not None else None
    if before is not None:
        return _saved(tx, before.seen_again(body=body, at=tx.now))
    choices = choices or _USUAL_CHOICES.get(ItemKind(kind), ())
    if task_id is not None and mission_id is None:
        mission_id = tx.tasks.get(task_id).mission_id
    item = InboxItem(
        id=new_id("inbox item"),
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
        once=dedupe_key,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.inbox.add(item)
    tx.emit(events.QueueItemCreated(item=item))
    return item


def add_to_body(tx: Tx, item: InboxItem, words: str) -> InboxItem:
    """Append text to the body of an open item."""
    return _saved(tx, replace(item, body=f"{item.body}\n\n{words}".strip(), updated_at=tx.now))


def answer(tx: Tx, *, item_id: str, text: str = "", choice: int | None = None, by: str) -> InboxItem:
    """Record a person's answer and resolve the blocker it belongs to.

    `services/answers/` resumes the task that the item blocked, and notifies the agent.
    """
    return close(tx, tx.inbox.get(item_id).answered(text=text, choice=choice, by=by, at=tx.now))


def dismiss(tx: Tx, *, item_id: str, by: str, reason: str | None = None) -> InboxItem:
    """Dismiss an item without an answer."""
    return close(tx, tx.inbox.get(item_id).dismissed(by=by, at=tx.now, reason=reason))


def withdraw(
    tx: Tx,
    *,
    reason: str,
    task_id: str | None = None,
    agent_id: str | None = None,
    execution_id: str | None = None,
    message_id: str | None = None,
    entry_id: str | None = None,
    dedupe_key: str | None = None,
    kinds: Sequence[ItemKind] | None = None,
) -> list[InboxItem]:
    """Dismiss, in the system's name, every matching open item: an answer is no longer needed."""
    named = {
        "task_id": task_id,
        "agent_id": agent_id,
        "execution_id": execution_id,
        "message_id": message_id,
        "entry_id": entry_id,
        "once": dedupe_key,
    }
    if not any(named.values()):
        raise InvalidInput(
            "withdraw: no filter was given",
            hint="Give task_id, agent_id, execution_id, message_id, entry_id or dedupe_key.",
        )
    found = tx.inbox.open_where(kinds=kinds, **named)
    return [close(tx, item.dismissed(by=SYSTEM, at=tx.now, reason=reason)) for item in found]


def close(tx: Tx, item: InboxItem) -> InboxItem:
    """Store an item that was just closed, and resolve its blocker; the caller ends the task's hold.

    A live agent that waits for nothing else runs again.
    """
    _saved(tx, item)
    if item.holds_task and item.execution_id is not None:
        _run_again(tx, item.execution_id)
    if item.entry_id is not None and tx.journal.resolve(item.entry_id):
        _count_resolved(tx, item)
    return item


def _saved(tx: Tx, item: InboxItem) -> InboxItem:
    tx.inbox.save(item)
    tx.emit(events.QueueItemUpdated(item=item))
    return item


def _count_resolved(tx: Tx, item: InboxItem) -> None:
    assert item.mission_id is not None
    tx.missions.count(item.mission_id, "blockers", more=-1, now=tx.now)
    tx.emit(events.MissionUpdated(mission=tx.missions.get(item.mission_id)))


def _run_again(tx: Tx, execution_id: str) -> None:
    """Let a live agent that waited run again, unless it still waits for something else."""
    execution = tx.executions.find(execution_id)
    if execution is None or execution.status is not ExecutionStatus.WAITING:
        return
    if not tx.inbox.open_where(kinds=sorted(HOLDING), execution_id=execution_id):
        running = execution.move_to(ExecutionStatus.RUNNING, at=tx.now)
        tx.executions.save(running)
        tx.emit(events.ExecutionUpdated(execution=running))


def _line(subject: str) -> str:
    line = " ".join(subject.split())
    return line if len(line) <= MAX_SUBJECT_LENGTH else f"{line[: MAX_SUBJECT_LENGTH - 1]}…"
