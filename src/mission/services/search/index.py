"""The search index: it follows the event log in short steps.

Writers pay nothing: the index reads their events. A search lets it catch up first, for a limited time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from mission.domain.search_text import DocumentKind
from mission.services.search import documents
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx
from mission.store.views.search_index import IndexPosition

CLEARING = "clearing"
FOLLOWING = "following"
STAGES: Mapping[str, tuple[DocumentKind | None, str]] = {
    CLEARING: (None, DocumentKind.MISSION),
    DocumentKind.MISSION: (DocumentKind.MISSION, DocumentKind.TASK),
    DocumentKind.TASK: (DocumentKind.TASK, DocumentKind.JOURNAL),
    DocumentKind.JOURNAL: (DocumentKind.JOURNAL, DocumentKind.MESSAGE),
    DocumentKind.MESSAGE: (DocumentKind.MESSAGE, FOLLOWING),
}
"""How the index is rebuilt: what each stage indexes, and the next one."""
BATCH = 200
"""Events or documents of one step: a concurrent writer hardly waits."""
BATCH_SIZES = (BATCH, 20, 1)
"""How many are tried when more would be too much text for one step."""
MAX_WORDS = 200_000
"""Characters that one step writes: about 20 ms of the writer's time."""
PATIENCE_SECONDS = 1.5


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexStep:
    """The changes of one step to the index."""

    before: IndexPosition
    after: IndexPosition
    rows: Sequence[Mapping[str, Any]] = ()
    gone: Sequence[str] = ()
    gone_missions: Sequence[str] = ()


@dataclass(slots=True)
class _Touched:
    """The entities that a range of the event log mentions."""

    ids: dict[DocumentKind, dict[str, None]] = field(default_factory=lambda: {kind: {} for kind in DocumentKind})
    gone_missions: list[str] = field(default_factory=list)
    planned: str | None = None
    last: int = 0


class Store(Protocol):
    """The access that the index needs to a database, or to a call that has one."""

    async def read(self, function: Callable[..., Any], /, **arguments: Any) -> Any: ...
    async def write(self, function: Callable[..., Any], /, **arguments: Any) -> Any: ...


async def catch_up(store: Store, *, seconds: float = PATIENCE_SECONDS) -> bool:
    """Let the index follow the event log for at most `seconds`. Return whether it is up to date."""
    until = time.monotonic() + seconds
    while (step := await store.read(next_step)) is not None:
        await store.write(take, step=step)
        if time.monotonic() > until:
            return False
    return True


def next_step(tx: Tx) -> IndexStep | None:
    """Return the next step; None if the index is up to date. Only reads, so that the writer stays free."""
    before = tx.search.progress()
    newest = tx.events.newest()
    if before.stage == FOLLOWING and before.seq == newest:
        return None
    if before.stage == FOLLOWING and not tx.events.oldest() - 1 <= before.seq <= newest:
        return IndexStep(
            before=before, after=IndexPosition(seq=newest, stage=CLEARING)
        )  # the events are no longer stored
    for limit in BATCH_SIZES:
        if before.stage == FOLLOWING:
            step = _follow(tx, before, limit=limit)
        else:
            start = before if before.stage != CLEARING else replace(before, seq=newest)
            step = _rebuild(tx, start, expected=before, limit=limit)
        if sum(len(row["words"]) for row in step.rows) <= MAX_WORDS:
            break
    return step


def take(tx: Tx, *, step: IndexStep) -> None:
    """Change the index, unless another process already has."""
    if not tx.search.advance(step.before, step.after):
        return
    for mission_id in step.gone_missions:
        tx.search.remove_mission(mission_id)
    tx.search.remove(step.gone)
    tx.search.replace(step.rows)


def _rebuild(tx: Tx, progress: IndexPosition, *, expected: IndexPosition, limit: int) -> IndexStep:
    """Return one step of the rebuild from the stored entities; events since its start are followed afterward."""
    kind, following = STAGES[progress.stage]
    if kind is None:
        gone = tx.search.some(limit=limit)
        after = progress if gone else replace(progress, stage=following)
        return IndexStep(before=expected, after=replace(after, after_id=""), gone=gone)
    ids = documents.ids_after(tx, kind, progress.after_id, limit=limit)
    rows = [tx.search.row(document) for document in documents.of(tx, kind, ids)]
    after = replace(progress, after_id=ids[-1]) if ids else replace(progress, stage=following, after_id="")
    return IndexStep(before=expected, after=after, rows=rows)


def _follow(tx: Tx, before: IndexPosition, *, limit: int) -> IndexStep:
    touched = _touched(tx.events.since(before.seq, limit=limit))
    gone: list[str] = []
    last = touched.last
    if touched.planned is not None:
        gone = tx.search.gone_tasks(touched.planned)
        new = tx.search.unknown_tasks(touched.planned, limit=limit)
        touched.ids[DocumentKind.TASK] |= dict.fromkeys(new)
        last -= len(new) == limit  # there may be more: look at this event again
    rows = [
        tx.search.row(document)
        for kind, ids in touched.ids.items()
        if ids
        for document in documents.of(tx, kind, list(ids))
    ]
    return IndexStep(
        before=before,
        after=replace(before, seq=last),
        rows=rows,
        gone=gone,
        gone_missions=touched.gone_missions,
    )


def _touched(events: Sequence[StoredEvent]) -> _Touched:
    """Return the entities that the events mention, up to the first plan: it may bring thousands of tasks."""
    touched = _Touched()
    for event in events:
        noun, _, verb = event.type.partition(":")
        kind = _KINDS.get(noun)
        touched.last = event.seq
        if kind is None or "id" not in event.data:
            continue
        if verb == "deleted":
            touched.gone_missions.append(event.data["id"])
            continue
        touched.ids[kind][event.data["id"]] = None
        if event.data.get("tasks_created"):
            touched.planned = event.data["id"]
            break
    return touched


_KINDS = {
    "mission": DocumentKind.MISSION,
    "workflow": DocumentKind.MISSION,
    "task": DocumentKind.TASK,
    "message": DocumentKind.MESSAGE,
    **dict.fromkeys(("decision", "issue", "milestone", "checkpoint"), DocumentKind.JOURNAL),
}
