"""Searchable documents: missions, tasks, journal entries and messages, each with its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mission.domain.message import Message
from mission.domain.missions.mission import Mission
from mission.domain.search_text import MAX_TEXT_LENGTH, Document, DocumentKind, strings_in
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.task import Task
from mission.store.transaction import Tx


def ids_after(tx: Tx, kind: DocumentKind, after: str, *, limit: int) -> list[str]:
    """Return the next ids of a kind, in ascending order."""
    return tx.search_sources.ids_after(kind, after, limit=limit)


def of(tx: Tx, kind: DocumentKind, ids: Sequence[str]) -> Iterator[Document]:
    """Yield documents for those of the ids that exist."""
    make: Callable[[Any], Document] = _MAKERS[kind]
    yield from map(make, tx.search_sources.of(kind, ids, source_characters=MAX_TEXT_LENGTH))


def _mission(found: tuple[Mission, str]) -> Document:
    mission, source = found
    texts = (mission.objective, mission.description, mission.scope, mission.constraints, mission.plan_summary)
    ended = (mission.summary, *mission.achievements, *mission.limitations)
    return Document(
        id=mission.id,
        kind=DocumentKind.MISSION,
        title=mission.name,
        text=_joined([*texts, *ended, *strings_in(mission.plan), mission.source_ref, source]),
        at=mission.updated_at,
        type=str(mission.status),
        mission_id=mission.id,
    )


def _task(task: Task) -> Document:
    texts = (task.goal, task.error, *strings_in(task.outcome), *strings_in(task.plan), *strings_in(task.context))
    return Document(
        id=task.id,
        kind=DocumentKind.TASK,
        title=task.name,
        text=_joined([*texts, *task.areas, *(task.files_likely_affected or ())]),
        at=task.updated_at,
        type=str(task.status),
        mission_id=task.mission_id,
        task_id=task.id,
        author=task.owner_id,
    )


def _entry(entry: JournalEntry) -> Document:
    return Document(
        id=entry.id,
        kind=DocumentKind.JOURNAL,
        title=entry.summary,
        text=_joined(strings_in(entry.detail)),
        at=entry.created_at,
        type=str(entry.kind),
        mission_id=entry.mission_id,
        task_id=entry.task_id,
        author=entry.author or entry.agent_name,
    )


def _message(message: Message) -> Document:
    return Document(
        id=message.id,
        kind=DocumentKind.MESSAGE,
        title=message.subject or "",
        text=_joined(strings_in(message.body)),
        at=message.created_at,
        type=str(message.type),
        mission_id=message.mission_id,
        task_id=message.task_id,
        author=message.sender_id,
        recipient_id=message.recipient_id,
    )


def _joined(parts: Iterable[str | None]) -> str:
    return "\n".join(dict.fromkeys(part for part in parts if part))


_MAKERS: dict[DocumentKind, Callable[[Any], Document]] = {
    DocumentKind.MISSION: _mission,
    DocumentKind.TASK: _task,
    DocumentKind.JOURNAL: _entry,
    DocumentKind.MESSAGE: _message,
}
