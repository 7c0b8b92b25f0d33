"""Queries about the inbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, func, or_, select

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.inbox.item import PRIVATE_KINDS, STALLING_KINDS, InboxItem, ItemKind, ItemState
from mission.domain.tasks.states import STALLED
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import agents, missions, queue_items, tasks

_MAPPER = Mapper(queue_items, InboxItem)
_OPEN_ONCE = _MAPPER.select.where(
    queue_items.c.once == bindparam("once"), queue_items.c.state == bindparam("state")
).limit(1)
_ANSWERED_LAST = (
    _MAPPER.select.where(queue_items.c.once == bindparam("once"), queue_items.c.state == str(ItemState.ANSWERED))
    .order_by(queue_items.c.closed_at.desc())
    .limit(1)
)
_EVER = select(queue_items.c.id).where(queue_items.c.once == bindparam("once")).limit(1)


@cache
def _open_where(columns: tuple[str, ...], *, has_kinds: bool) -> Select[Any]:
    """Return the statement for open items with values in these columns: built once for each combination."""
    where: list[ColumnElement[bool]] = [queue_items.c.state == str(ItemState.OPEN)]
    where += [queue_items.c[name] == bindparam(name) for name in columns]
    if has_kinds:
        where.append(queue_items.c.kind.in_(bindparam("kinds", expanding=True)))
    return _MAPPER.select.where(*where).order_by(queue_items.c.created_at, queue_items.c.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class InboxFilter:
    """A filter for items; `reader` is the calling agent, if there is one."""

    states: Sequence[ItemState]
    kinds: Sequence[ItemKind] | None = None
    mission_id: str | None = None
    task_id: str | None = None
    reader: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = [queue_items.c.state.in_([str(state) for state in self.states])]
        if self.kinds is not None:
            conditions.append(queue_items.c.kind.in_([str(kind) for kind in self.kinds]))
        if self.mission_id is not None:
            conditions.append(queue_items.c.mission_id == self.mission_id)
        if self.task_id is not None:
            conditions.append(queue_items.c.task_id == self.task_id)
        if self.reader is not None:
            conditions.append(_may_be_read_by(self.reader))
        return conditions


class NamedItem(NamedTuple):
    """An item with the names of the things it refers to."""

    item: InboxItem
    mission_name: str | None
    task_name: str | None
    agent_name: str | None


class StalledTask(NamedTuple):
    """An open item whose task is stopped until it is closed."""

    id: str
    task_id: str
    mission_id: str


_STALLED = (
    select(queue_items.c.id, queue_items.c.task_id, queue_items.c.mission_id)
    .join(tasks, tasks.c.id == queue_items.c.task_id)
    .where(
        queue_items.c.state == str(ItemState.OPEN),
        queue_items.c.entry_id.is_(None),
        or_(
            and_(
                queue_items.c.kind.in_(sorted(map(str, STALLING_KINDS))),
                tasks.c.status.in_(sorted(map(str, STALLED))),
            ),
            queue_items.c.kind == str(ItemKind.FAILURE),
        ),
    )
)
_NAMED = (
    select(
        *_MAPPER.columns,
        missions.c.name.label("mission_name"),
        tasks.c.name.label("task_name"),
        agents.c.name.label("agent_name"),
    )
    .select_from(queue_items)
    .outerjoin(missions, missions.c.id == queue_items.c.mission_id)
    .outerjoin(tasks, tasks.c.id == queue_items.c.task_id)
    .outerjoin(agents, agents.c.id == queue_items.c.agent_id)
)
_NEWEST_FIRST = (queue_items.c.updated_at.desc(), queue_items.c.id)


class InboxItems:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> InboxItem:
        """Return the item, or raise an error that says how to find one."""
        item = _MAPPER.get(self._connection, id)
        if item is None:
            raise _no_item(id)
        return item

    def find(self, ids: Sequence[str]) -> list[InboxItem]:
        """Return the items that still exist, in this order."""
        return [item for id in ids if (item := _MAPPER.get(self._connection, id)) is not None]

    def add(self, item: InboxItem) -> None:
        _MAPPER.insert(self._connection, item)

    def save(self, item: InboxItem) -> None:
        _MAPPER.save(self._connection, item)

    def open_with_key(self, once: str) -> InboxItem | None:
        """Return the open item that represents everything with this key."""
        row = self._connection.execute(_OPEN_ONCE, {"once": once, "state": str(ItemState.OPEN)}).first()
        return None if row is None else _MAPPER.entity(row)

    def answered_last(self, once: str) -> InboxItem | None:
        """Return the item with this key that a person answered last."""
        row = self._connection.execute(_ANSWERED_LAST, {"once": once}).first()
        return None if row is None else _MAPPER.entity(row)

    def was_asked(self, once: str) -> bool:
        """Return whether a person was ever asked under this key."""
        return self._connection.execute(_EVER, {"once": once}).first() is not None

    def open_where(self, *, kinds: Sequence[ItemKind] | None = None, **columns: str | None) -> list[InboxItem]:
        """Return open items that have every given value, oldest first."""
        values: dict[str, Any] = {name: value for name, value in columns.items() if value is not None}
        statement = _open_where(tuple(values), has_kinds=kinds is not None)
        if kinds is not None:
            values["kinds"] = [str(kind) for kind in kinds]
        return [_MAPPER.entity(row) for row in self._connection.execute(statement, values)]

    def stalled(
        self, *, item_id: str | None = None, mission_id: str | None = None, task_id: str | None = None
    ) -> list[StalledTask]:
        """Return the open items that match and whose tasks wait for an answer."""
        wanted = {queue_items.c.id: item_id, queue_items.c.mission_id: mission_id, queue_items.c.task_id: task_id}
        where = [column == value for column, value in wanted.items() if value is not None]
        return [StalledTask(*row) for row in self._connection.execute(_STALLED.where(*where))]

    def named(self, ids: Sequence[str]) -> list[NamedItem]:
        """Return these items, in this order."""
        rows = self._connection.execute(_NAMED.where(queue_items.c.id.in_(ids)))
        found = {row.id: _named(row) for row in rows}
        return [found[id] for id in ids if id in found]

    def ages(self, wanted: InboxFilter) -> list[tuple[datetime, str]]:
        """Return when each item was created, and its id, the oldest first."""
        statement = select(queue_items.c.created_at, queue_items.c.id).where(*wanted.conditions())
        return sorted((row.created_at, row.id) for row in self._connection.execute(statement))

    def page(self, wanted: InboxFilter, *, limit: int, offset: int) -> tuple[list[NamedItem], int]:
        """Return items, the latest first, and how many there are in all."""
        where = wanted.conditions()
        statement = _NAMED.where(*where).order_by(*_NEWEST_FIRST).limit(limit).offset(offset)
        total = self._connection.execute(select(func.count()).select_from(queue_items).where(*where)).scalar_one()
        return [_named(row) for row in self._connection.execute(statement)], int(total)


def _may_be_read_by(agent_id: str) -> ColumnElement[bool]:
    """Return the SQL condition that corresponds to `QueueItem.check_reader`."""
    written = and_(queue_items.c.kind == str(ItemKind.MAIL), queue_items.c.agent_id == agent_id)
    return or_(queue_items.c.kind.not_in(sorted(map(str, PRIVATE_KINDS))), written)


def _named(row: Any) -> NamedItem:
    return NamedItem(
        item=_MAPPER.entity(row),
        mission_name=row.mission_name,
        task_name=row.task_name,
        agent_name=row.agent_name,
    )


def _no_item(id: str) -> NotFound:
    return NotFound(f"there is no inbox item {id}", action=Action.FIND_ITEM, item_id=id)
