"""Queries about the human's queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, case, distinct, func, or_, select

from mission.domain.errors import NotFound
from mission.domain.inbox import PRIVATE_KINDS, STANDING_KINDS, ItemKind, ItemState, QueueItem
from mission.domain.task import OPEN, STANDING
from mission.store.mapping import Mapper
from mission.store.tables import agents, dependencies, missions, queue_items, tasks

_MAPPER = Mapper(queue_items, QueueItem)
_OPEN_ONCE = _MAPPER.select.where(
    queue_items.c.once == bindparam("once"), queue_items.c.state == bindparam("state")
).limit(1)

_EVER = select(queue_items.c.id).where(queue_items.c.once == bindparam("once")).limit(1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """Which items somebody wants to see; `reader` is the agent that asks, if it is one."""

    states: Sequence[ItemState]
    kinds: Sequence[ItemKind] | None = None
    mission_id: str | None = None
    reader: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = [queue_items.c.state.in_([str(state) for state in self.states])]
        if self.kinds is not None:
            conditions.append(queue_items.c.kind.in_([str(kind) for kind in self.kinds]))
        if self.mission_id is not None:
            conditions.append(queue_items.c.mission_id == self.mission_id)
        if self.reader is not None:
            conditions.append(_may_be_read_by(self.reader))
        return conditions


class Ranked(NamedTuple):
    """An item with the names a person knows its things by, and what stands still until it is closed."""

    item: QueueItem
    mission_name: str | None
    task_name: str | None
    agent_name: str | None
    holds_tasks: int
    holds_agents: int
    critical: bool = False
    """Whether its task decides when its mission is done."""


_STANDING = (
    queue_items.c.state == str(ItemState.OPEN),
    queue_items.c.kind.in_(sorted(map(str, STANDING_KINDS))),
    queue_items.c.entry_id.is_(None),
    tasks.c.status.in_(sorted(map(str, STANDING))),
)
"""Open items whose task stands still until they are closed."""


def _held_up(*conditions: ColumnElement[bool]) -> Any:
    """For each of these open items the open tasks behind its standing task, however far, and their owners."""
    reached = (
        select(queue_items.c.id.label("item_id"), queue_items.c.task_id.label("task_id"))
        .join(tasks, tasks.c.id == queue_items.c.task_id)
        .where(*_STANDING, *conditions)
        .cte("reached", recursive=True)
    )
    reached = reached.union(  # not union_all: a task that several ways lead to counts once
        select(reached.c.item_id, dependencies.c.task_id).join(
            dependencies, dependencies.c.depends_on == reached.c.task_id
        )
    )
    return (
        select(
            reached.c.item_id,
            func.count(distinct(tasks.c.id)).label("tasks"),
            func.count(distinct(tasks.c.owner_id)).label("agents"),
        )
        .join(tasks, tasks.c.id == reached.c.task_id)
        .where(tasks.c.status.in_(sorted(map(str, OPEN))))
        .group_by(reached.c.item_id)
        .subquery("held_up")
    )


def _ranked_by(held_up: Any) -> Select[Any]:
    return (
        select(
            *_MAPPER.columns,
            missions.c.name.label("mission_name"),
            tasks.c.name.label("task_name"),
            agents.c.name.label("agent_name"),
            func.coalesce(held_up.c.tasks, 0).label("holds_tasks"),
            func.coalesce(held_up.c.agents, 0).label("holds_agents"),
        )
        .select_from(queue_items)
        .outerjoin(missions, missions.c.id == queue_items.c.mission_id)
        .outerjoin(tasks, tasks.c.id == queue_items.c.task_id)
        .outerjoin(agents, agents.c.id == queue_items.c.agent_id)
        .outerjoin(held_up, held_up.c.item_id == queue_items.c.id)
    )


_ONE = queue_items.c.id == bindparam("one")
_RANKED_ONE = _ranked_by(_held_up(_ONE)).where(_ONE)
_HELD_UP = _held_up()
_RANKED = _ranked_by(_HELD_UP)
_HOLDS_TASKS = func.coalesce(_HELD_UP.c.tasks, 0)
_HOLDS_AGENTS = func.coalesce(_HELD_UP.c.agents, 0)
_MOST_HELD_UP_FIRST = (_HOLDS_AGENTS.desc(), _HOLDS_TASKS.desc(), queue_items.c.created_at, queue_items.c.id)
_STANDING_TASKS = (
    select(queue_items.c.task_id, queue_items.c.mission_id)
    .join(tasks, tasks.c.id == queue_items.c.task_id)
    .where(*_STANDING)
    .order_by(queue_items.c.created_at, queue_items.c.id)
)
_NEWEST_FIRST = (queue_items.c.updated_at.desc(), queue_items.c.id)


class Inbox:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> QueueItem:
        """The item, or an error that says how to find one."""
        item = _MAPPER.get(self._connection, id)
        if item is None:
            raise _no_item(id)
        return item

    def add(self, item: QueueItem) -> None:
        _MAPPER.insert(self._connection, item)

    def save(self, item: QueueItem) -> None:
        _MAPPER.save(self._connection, item)

    def open_with_key(self, once: str) -> QueueItem | None:
        """The open item that stands for everything with this key."""
        row = self._connection.execute(_OPEN_ONCE, {"once": once, "state": str(ItemState.OPEN)}).first()
        return None if row is None else _MAPPER.entity(row)

    def was_asked(self, once: str) -> bool:
        """Whether a person was ever asked under this key."""
        return self._connection.execute(_EVER, {"once": once}).first() is not None

    def open_where(self, *, kinds: Sequence[ItemKind] | None = None, **columns: str | None) -> list[QueueItem]:
        """Open items that have every given value, oldest first."""
        where: list[ColumnElement[bool]] = [queue_items.c.state == str(ItemState.OPEN)]
        where += [queue_items.c[name] == value for name, value in columns.items() if value is not None]
        if kinds is not None:
            where.append(queue_items.c.kind.in_([str(kind) for kind in kinds]))
        statement = _MAPPER.select.where(*where).order_by(queue_items.c.created_at, queue_items.c.id)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]

    def newest_of_execution(self, execution_id: str, *, kinds: Sequence[ItemKind]) -> QueueItem | None:
        """What an execution put before a person last, open or closed."""
        where = (queue_items.c.execution_id == execution_id, queue_items.c.kind.in_([str(kind) for kind in kinds]))
        newest = (queue_items.c.created_at.desc(), queue_items.c.id.desc())
        row = self._connection.execute(_MAPPER.select.where(*where).order_by(*newest).limit(1)).first()
        return None if row is None else _MAPPER.entity(row)

    def standing(self, *, mission_id: str | None, limit: int) -> dict[str, str]:
        """The tasks that stand still until somebody answers, each with its mission; those that wait longest first."""
        where = [queue_items.c.mission_id == mission_id] if mission_id is not None else []
        found = self._connection.execute(_STANDING_TASKS.where(*where).limit(limit))
        return {row.task_id: row.mission_id for row in found}

    def ranked(self, id: str) -> Ranked:
        """One item with what it holds up."""
        row = self._connection.execute(_RANKED_ONE, {"one": id}).first()
        if row is None:
            raise _no_item(id)
        return _ranked(row)

    def page(self, wanted: Wanted, *, first: Sequence[str], limit: int, offset: int) -> tuple[list[Ranked], int]:
        """Items and how many there are in all: open ones by what they hold up, with others the latest first.

        Of the open ones those come first whose tasks are named.
        """
        where = wanted.conditions()
        order: Sequence[ColumnElement[Any]] = _NEWEST_FIRST
        if list(wanted.states) == [ItemState.OPEN]:
            holds = and_(_HOLDS_TASKS > 0, queue_items.c.task_id.in_(first))
            order = (case((holds, 0), else_=1), *_MOST_HELD_UP_FIRST)
        statement = _RANKED.where(*where).order_by(*order).limit(limit).offset(offset)
        rows = self._connection.execute(statement).all()
        total = self._connection.execute(select(func.count()).select_from(queue_items).where(*where)).scalar_one()
        return [_ranked(row) for row in rows], int(total)


def _may_be_read_by(agent_id: str) -> ColumnElement[bool]:
    """What `QueueItem.check_reader` lets pass, as a condition."""
    written = and_(queue_items.c.kind == str(ItemKind.MAIL), queue_items.c.agent_id == agent_id)
    return or_(queue_items.c.kind.not_in(sorted(map(str, PRIVATE_KINDS))), written)


def _ranked(row: Any) -> Ranked:
    return Ranked(
        item=_MAPPER.entity(row),
        mission_name=row.mission_name,
        task_name=row.task_name,
        agent_name=row.agent_name,
        holds_tasks=int(row.holds_tasks),
        holds_agents=int(row.holds_agents),
    )


def _no_item(id: str) -> NotFound:
    return NotFound(f"there is no queue item {id}", hint="List them with 'mission inbox'.", item_id=id)
