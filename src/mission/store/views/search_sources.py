"""Queries that read everything of a kind: the next ids, and many entities at once by id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from mission.domain.message import Message
from mission.domain.missions.mission import Mission
from mission.domain.search_text import DocumentKind
from mission.domain.tasks.journal import JournalEntry
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import journal, messages, missions, tasks
from mission.store.tasks.tasks import MAPPER as TASKS

_TABLES = {
    DocumentKind.MISSION: missions,
    DocumentKind.TASK: tasks,
    DocumentKind.JOURNAL: journal,
    DocumentKind.MESSAGE: messages,
}
_MAPPERS: dict[DocumentKind, Mapper[Any]] = {
    DocumentKind.MISSION: Mapper(missions, Mission),
    DocumentKind.TASK: TASKS,
    DocumentKind.JOURNAL: Mapper(journal, JournalEntry),
    DocumentKind.MESSAGE: Mapper(messages, Message),
}
_IDS = {
    kind: select(table.c.id).where(table.c.id > bindparam("after")).order_by(table.c.id).limit(bindparam("limit"))
    for kind, table in _TABLES.items()
}
_ROWS = {
    kind: _MAPPERS[kind].select.where(table.c.id.in_(bindparam("ids", expanding=True)))
    for kind, table in _TABLES.items()
}
_SOURCES = select(
    missions.c.id, func.substr(missions.c.source_content, 1, bindparam("characters")).label("start")
).where(missions.c.id.in_(bindparam("ids", expanding=True)))


class SearchSources:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ids_after(self, kind: DocumentKind, after: str, *, limit: int) -> list[str]:
        return list(self._connection.execute(_IDS[kind], {"after": after, "limit": limit}).scalars())

    def of(self, kind: DocumentKind, ids: Sequence[str], *, source_characters: int) -> list[Any]:
        """Return the entities of that kind that exist; a mission comes with the beginning of its source."""
        if not ids:
            return []
        found = [_MAPPERS[kind].entity(row) for row in self._connection.execute(_ROWS[kind], {"ids": list(ids)})]
        if kind is not DocumentKind.MISSION:
            return found
        rows = self._connection.execute(_SOURCES, {"ids": list(ids), "characters": source_characters})
        starts = {row.id: row.start or "" for row in rows}
        return [(mission, starts.get(mission.id, "")) for mission in found]
