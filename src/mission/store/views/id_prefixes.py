"""Queries about ids of any kind: complete the beginning of one, and name what it refers to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select, union_all

from mission.domain.ids import PREFIXES
from mission.store.tables import (
    agents,
    audit,
    candidates,
    evidence,
    executions,
    missions,
    queue_items,
    runs,
    tasks,
    templates,
    workspaces,
)

_TABLES = {
    "mission": missions,
    "task": tasks,
    "agent": agents,
    "execution": executions,
    "inbox item": queue_items,
    "evidence": evidence,
    "run": runs,
    "candidate": candidates,
    "workspace": workspaces,
    "template": templates,
    "audit entry": audit,
}
KINDS = frozenset(_TABLES)
"""The kinds of ids that can be completed."""
_NAMED = ("mission", "task", "agent")


class IdPrefixes:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, prefix: str, *, kind: str, limit: int) -> Sequence[str]:
        """Return the ids of that kind that begin so, in order, up to the limit."""
        id = _TABLES[kind].c.id
        found = select(id).where(id.startswith(prefix, autoescape=True)).order_by(id).limit(limit)
        return list(self._connection.execute(found).scalars())

    def names(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the names of those that are missions, tasks or agents and exist."""
        wanted = set(ids)
        parts = []
        for kind in _NAMED:
            table = _TABLES[kind].c
            own = [id for id in wanted if id.startswith(f"{PREFIXES[kind]}_")]
            parts += [select(table.id, table.name).where(table.id.in_(own))] if own else []
        return {row.id: row.name for row in self._connection.execute(union_all(*parts))} if parts else {}
