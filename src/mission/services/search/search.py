"""Search missions, tasks, journal entries and messages by words, as far as the index has followed the event log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain.search_text import Document, DocumentKind, snippet, terms_of
from mission.services.search import documents
from mission.store.transaction import Tx
from mission.store.views.search_index import SearchQuery


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A match, with the matching excerpt of its text."""

    document: Document
    snippet: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchHits:
    hits: Sequence[Hit]
    total: int
    next_offset: int | None


def find(tx: Tx, *, wanted: SearchQuery, limit: int, offset: int) -> SearchHits:
    """Return a slice of the matches, best first."""
    rows, total = tx.search.find(wanted, limit=limit, offset=offset)
    known = {document.id: document for document in _documents(tx, rows)}
    hits = [
        Hit(document=document, snippet=snippet(f"{document.title}\n{document.text}", wanted.terms))
        for row in rows
        if (document := known.get(row.id)) is not None
    ]
    end = offset + len(rows)
    return SearchHits(hits=hits, total=total, next_offset=end if rows and end < total else None)


def wanted(
    *, query: str, kinds: Sequence[DocumentKind] | None, mission_id: str | None, reader: str | None
) -> SearchQuery:
    return SearchQuery(terms=terms_of(query), kinds=kinds, mission_id=mission_id, reader=reader)


def _documents(tx: Tx, rows: Sequence[Any]) -> Iterator[Document]:
    for kind in DocumentKind:
        ids = [row.id for row in rows if row.kind == kind]
        if ids:
            yield from documents.of(tx, kind, ids)
