"""Use cases of the journal: decisions, issues, milestones and checkpoints of a task."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mission.domain import events
from mission.domain.ids import new_id
from mission.domain.inbox.item import ItemKind
from mission.domain.message import SYSTEM
from mission.domain.tasks.journal import CheckpointType, EntryKind, JournalEntry
from mission.services.inbox import items as inbox
from mission.services.paging import Page, cut_page, number_of
from mission.store.transaction import Tx

MAX_NOTE_LENGTH = 500


def log(
    tx: Tx,
    *,
    kind: EntryKind,
    task_id: str,
    summary: str,
    detail: Mapping[str, Any],
    agent_id: str | None,
    fence: int | None,
    blocker: bool = False,
) -> JournalEntry:
    """Write an entry into the task's journal; a blocker waits for a person until it is resolved."""
    counted = tx.journal.next_sequence(task_id)
    ours = agent_id == SYSTEM
    if fence is not None or (agent_id is not None and agent_id != counted.owner_id and not ours):
        tx.tasks.get(task_id).check_owner(agent_id, fence)
    entry = JournalEntry(
        id=new_id(kind.id_kind),
        kind=kind,
        mission_id=counted.mission_id,
        task_id=task_id,
        phase_number=counted.phase_number,
        sequence=counted.entries,
        summary=summary,
        detail=detail,
        author=agent_id,
        agent_name=counted.agent_name if not ours else None,
        open_blocker=blocker,
        created_at=tx.now,
    )
    tx.journal.add(entry)
    _count(tx, entry)
    tx.emit(events.EntryCreated(entry=entry))
    if blocker:
        _ask(tx, entry)
    return entry


def checkpoint(
    tx: Tx,
    *,
    type: CheckpointType,
    task_id: str,
    summary: str,
    detail: Mapping[str, Any] | None = None,
    files_changed: Sequence[str] = (),
    agent_id: str | None,
    fence: int | None,
) -> JournalEntry:
    """Write a checkpoint: what a later owner of the task should know."""
    return log(
        tx,
        kind=type.kind,
        task_id=task_id,
        summary=summary,
        detail={"detail": dict(detail) if detail is not None else None, "files_changed": list(files_changed)},
        agent_id=agent_id,
        fence=fence,
    )


def note(tx: Tx, *, task_id: str, summary: str, detail: Mapping[str, Any] | None = None) -> JournalEntry:
    """Write a system note into the task's journal."""
    return checkpoint(
        tx,
        type=CheckpointType.RECOVERY,
        task_id=task_id,
        summary=summary[:MAX_NOTE_LENGTH],
        detail=detail,
        agent_id=SYSTEM,
        fence=None,
    )


def checkpoints(
    tx: Tx, *, task_id: str, types: Collection[CheckpointType] | None, since: int, limit: int, cursor: str | None
) -> Page[JournalEntry]:
    """Return the first entries of a task's journal after a number, of every dialect, ascending.

    The cursor is such a number too.
    """
    tx.tasks.get(task_id)
    kinds = [kind for type in CheckpointType for kind in type.kinds if types is None or type in types]
    rows = tx.journal.of_task(task_id, kinds=kinds, since=max(since, number_of(cursor)), limit=limit + 1)
    return cut_page(rows, limit=limit, cursor=lambda entry: str(entry.sequence))


def _ask(tx: Tx, entry: JournalEntry) -> None:
    """Open an inbox item for an issue; closing that item resolves the blocker."""
    inbox.open_item(
        tx,
        kind=ItemKind.BLOCKER,
        subject=entry.summary,
        body=str(entry.detail.get("resolution") or ""),
        mission_id=entry.mission_id,
        task_id=entry.task_id,
        agent_id=entry.author,
        entry_id=entry.id,
    )


def _count(tx: Tx, entry: JournalEntry) -> None:
    if entry.is_checkpoint:
        tx.missions.touch(entry.mission_id, now=tx.now)
        return
    if entry.kind is EntryKind.ISSUE:
        tx.missions.count(entry.mission_id, "blockers", more=int(entry.open_blocker), now=tx.now)
    else:
        tx.missions.count(entry.mission_id, f"{entry.kind}s", more=1, now=tx.now)
