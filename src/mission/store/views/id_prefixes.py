"""Queries that complete the beginning of an id."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from mission.store.tables import (
    agents,
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
}
KINDS = frozenset(_TABLES)
"""The kinds of ids that can be completed."""


class IdPrefixes:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def matching(self, prefix: str, *, kind: str, limit: int) -> Sequence[str]:
        """Return the ids of that kind that begin so, in order, up to the limit."""
        id = _TABLES[kind].c.id
        found = select(id).where(id.startswith(prefix, autoescape=True)).order_by(id).limit(limit)
        return list(self._connection.execute(found).scalars())
