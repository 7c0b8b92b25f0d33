"""Filters and pages of long lists, newest first, and the removal of their oldest rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Delete, Table, and_, bindparam, delete, or_, select, tuple_

from mission.store.columns import UtcTime

PagePosition = tuple[datetime, str]
"""The end of a page: the moment and the id of its last row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """A filter for the rows of a mission; unset fields match all."""

    phase: int | None = None
    agent: str | None = None
    since: datetime | None = None

    def __bool__(self) -> bool:
        return self.phase is not None or self.agent is not None or self.since is not None

    def conditions(self, columns: Any) -> list[ColumnElement[bool]]:
        """Return the filter as conditions on a table that has these three columns."""
        conditions = []
        if self.phase is not None:
            conditions.append(columns.phase_number == self.phase)
        if self.agent is not None:
            conditions.append(columns.agent_name == self.agent)
        if self.since is not None:
            conditions.append(columns.created_at >= self.since)
        return conditions


def older_than(after: PagePosition | None, columns: Any) -> list[ColumnElement[bool]]:
    """Return the condition that continues a newest-first page after its last row."""
    if after is None:
        return []
    moment, last = after
    return [or_(columns.created_at < moment, and_(columns.created_at == moment, columns.id < last))]


def oldest_before(table: Table, moment: Column[Any]) -> Delete:
    """Return a statement that removes rows from before the moment `before`, the oldest first and at most `limit`."""
    key = table.primary_key.columns
    oldest = select(*key).where(moment < bindparam("before", type_=UtcTime)).order_by(moment).limit(bindparam("limit"))
    return delete(table).where(tuple_(*key).in_(oldest))
