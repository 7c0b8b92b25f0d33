"""Queries of the search index: its progress, its documents, and the matches of a query, the same on both databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Subquery,
    bindparam,
    cast,
    column,
    delete,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    table,
    update,
)
from sqlalchemy.dialects.postgresql import TSQUERY

from mission.domain.search_text import MAX_TEXT_LENGTH, Document, DocumentKind, words_of
from mission.store.tables import missions, search_documents, search_progress, tasks

CHUNK = 500
EVERYTHING = -1
"""A limit with no effect, except that SQLite finds all matches first."""
MAX_POSITIONS = 16_383
"""PostgreSQL's highest word position in one text."""
_D = search_documents.c
_FULL_TEXT = table("search_words", column("rowid"))
"""SQLite's own table next to ours; triggers keep the two the same."""
_INSERT = insert(search_documents)
_REMOVE = delete(search_documents).where(_D.id.in_(bindparam("ids", expanding=True)))
_OF_MISSION = delete(search_documents).where(
    _D.mission_id == bindparam("gone_id"), _D.kind != DocumentKind.MESSAGE.value
)
_SOME = select(_D.id).order_by(_D.number).limit(bindparam("limit"))
_PROGRESS = select(search_progress.c.seq, search_progress.c.stage, search_progress.c.after_id)
_ADVANCE = (
    update(search_progress)
    .where(
        search_progress.c.seq == bindparam("old_seq"),
        search_progress.c.stage == bindparam("old_stage"),
        search_progress.c.after_id == bindparam("old_after"),
    )
    .values(seq=bindparam("new_seq"), stage=bindparam("new_stage"), after_id=bindparam("new_after"))
)
_UNKNOWN_TASKS = (
    select(tasks.c.id)
    .where(
        tasks.c.mission_id == bindparam("mission_id"),
        ~exists().where(_D.id == tasks.c.id),
    )
    .limit(bindparam("limit"))
)
_GONE_TASKS = select(_D.id).where(
    _D.mission_id == bindparam("mission_id"),
    _D.kind == DocumentKind.TASK.value,
    ~exists().where(tasks.c.id == _D.id),
)
_LIVING = or_(_D.kind == DocumentKind.MESSAGE.value, exists().where(missions.c.id == _D.mission_id))
"""A mission that was just removed may still be in the index."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexPosition:
    """The index's progress: the last event it has processed, and its position during a rebuild."""

    seq: int
    stage: str
    after_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchQuery:
    """A search. `reader` sees only its own messages; without a reader all are visible."""

    terms: Sequence[str]
    kinds: Sequence[DocumentKind] | None = None
    mission_id: str | None = None
    reader: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = [_LIVING]
        if self.kinds is not None:
            conditions.append(_D.kind.in_([kind.value for kind in self.kinds]))
        if self.mission_id is not None:
            conditions.append(_D.mission_id == self.mission_id)
        if self.reader is not None:
            own = or_(_D.sender_id == self.reader, _D.recipient_id == self.reader)
            conditions.append(or_(_D.kind != DocumentKind.MESSAGE.value, own))
        return conditions


class SearchIndex:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._postgres = connection.dialect.name == "postgresql"

    def progress(self) -> IndexPosition:
        seq, stage, after_id = self._connection.execute(_PROGRESS).one()
        return IndexPosition(seq=seq, stage=stage, after_id=after_id)

    def advance(self, before: IndexPosition, after: IndexPosition) -> bool:
        """Advance the index if it is still at the expected position; return False if another process was faster."""
        values = {"old_seq": before.seq, "old_stage": before.stage, "old_after": before.after_id}
        values |= {"new_seq": after.seq, "new_stage": after.stage, "new_after": after.after_id}
        return self._connection.execute(_ADVANCE, values).rowcount == 1

    def replace(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add documents, replacing earlier versions."""
        self.remove([row["id"] for row in rows])
        if rows:
            self._connection.execute(_INSERT, list(rows))

    def remove(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), CHUNK):
            self._connection.execute(_REMOVE, {"ids": list(ids[start : start + CHUNK])})

    def remove_mission(self, mission_id: str) -> None:
        """Remove a mission with its tasks and journal; messages about it stay."""
        self._connection.execute(_OF_MISSION, {"gone_id": mission_id})

    def some(self, *, limit: int) -> list[str]:
        """Return ids of some documents, in any order."""
        return list(self._connection.execute(_SOME, {"limit": limit}).scalars())

    def unknown_tasks(self, mission_id: str, *, limit: int) -> list[str]:
        """Return tasks of a mission that are not in the index yet."""
        return list(self._connection.execute(_UNKNOWN_TASKS, {"mission_id": mission_id, "limit": limit}).scalars())

    def gone_tasks(self, mission_id: str) -> list[str]:
        """Return tasks of a mission that are still in the index though a new plan replaced them."""
        return list(self._connection.execute(_GONE_TASKS, {"mission_id": mission_id}).scalars())

    def row(self, document: Document) -> dict[str, Any]:
        """Return the document in this database's form."""
        title, body = words_of(document.title), words_of(document.text[:MAX_TEXT_LENGTH])
        return {
            "id": document.id,
            "kind": document.kind.value,
            "mission_id": document.mission_id,
            "sender_id": document.author if document.kind is DocumentKind.MESSAGE else None,
            "recipient_id": document.recipient_id,
            "at": document.at,
            "words": _vector(title, body) if self._postgres else " ".join([*title, *body]),
        }

    def find(self, wanted: SearchQuery, *, limit: int, offset: int) -> tuple[list[Any], int]:
        """Return ids and kinds of the matches, the best first, and how many there are in all."""
        if not wanted.terms:
            return [], 0
        found, _ = self._matching(wanted.terms)
        found = found.where(*wanted.conditions())
        total = self._connection.execute(select(func.count()).select_from(found.subquery())).scalar_one()
        return self.best(wanted, limit=limit, offset=offset), total

    def best(self, wanted: SearchQuery, *, limit: int, offset: int = 0) -> list[Any]:
        """Return ids and kinds of the matches, the best first, without counting all of them."""
        found, score = self._matching(wanted.terms)
        page = found.where(*wanted.conditions()).order_by(score, _D.at.desc(), _D.id)
        return list(self._connection.execute(page.limit(limit).offset(offset)))

    def _matching(self, terms: Sequence[str]) -> tuple[Select[Any], ColumnElement[Any]]:
        if self._postgres:
            asked = cast(" & ".join(f"'{term}':*" for term in terms), TSQUERY)
            fits = search_documents.c.words.op("@@")(asked)
            return select(_D.id, _D.kind).where(fits), func.ts_rank(_D.words, asked).desc()
        return select(_D.id, _D.kind).join(hits := _hits(terms), hits.c.number == _D.number), hits.c.score


def _hits(terms: Sequence[str]) -> Subquery:
    """Return SQLite's full-text matches as a separate query: in a join it would run again for each document."""
    asked = " ".join(f'"{term}"*' for term in terms)
    return (
        select(_FULL_TEXT.c.rowid.label("number"), literal_column("bm25(search_words)").label("score"))
        .where(literal_column("search_words").op("MATCH")(asked))
        .limit(EVERYTHING)
        .subquery()
    )


def _vector(title: Iterable[str], body: Iterable[str]) -> str:
    """Return a tsvector as text: each word with its positions, those of the title with a higher weight."""
    places: dict[str, list[str]] = {}
    position = 0
    for weight, words in (("A", title), ("", body)):
        for word in words:
            position = min(position + 1, MAX_POSITIONS)
            places.setdefault(word, []).append(f"{position}{weight}")
    return " ".join(f"'{word}':{','.join(dict.fromkeys(found[:255]))}" for word, found in places.items())
