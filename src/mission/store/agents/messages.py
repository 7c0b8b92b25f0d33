"""Queries about messages: mailboxes, threads, and unread counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, or_, select, update

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.message import Message, MessageState, Priority
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import messages, unread

_MAPPER = Mapper(messages, Message)
_OF_IDS = _MAPPER.select.where(messages.c.id.in_(bindparam("ids", expanding=True)))
_NEWEST_FIRST = (messages.c.created_at.desc(), messages.c.id.desc())
_MOVE = (
    update(messages)
    .where(messages.c.id.in_(bindparam("ids", expanding=True)), messages.c.state == bindparam("source"))
    .values(state=bindparam("target"), read_at=func.coalesce(messages.c.read_at, bindparam("read_at", type_=UtcTime)))
    .returning(messages.c.recipient_id, messages.c.priority)
)
_COUNT = Prepared(
    update(unread)
    .where(unread.c.recipient_id == bindparam("owner"), unread.c.priority == bindparam("rank"))
    .values(messages=unread.c.messages + bindparam("more"))
    .returning(unread.c.messages)
)
_FIRST_COUNT = Prepared(insert(unread))
_UNREAD = select(unread.c.priority, unread.c.messages).where(unread.c.recipient_id == bindparam("owner"))


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageFilter:
    """A filter for the messages of a mailbox; unset fields match all."""

    states: Sequence[MessageState]
    types: Sequence[str] | None = None
    priorities: Sequence[Priority] | None = None
    mission_id: str | None = None
    thread_id: str | None = None
    since: datetime | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if self.types is not None:
            conditions.append(messages.c.type.in_([str(each) for each in self.types]))
        if self.priorities is not None:
            conditions.append(messages.c.priority.in_([str(each) for each in self.priorities]))
        if self.mission_id is not None:
            conditions.append(messages.c.mission_id == self.mission_id)
        if self.since is not None:
            conditions.append(messages.c.created_at >= self.since)
        return conditions


class Messages:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Message:
        message = _MAPPER.get(self._connection, id)
        if message is None:
            raise NotFound(f"there is no message {id}", action=Action.FIND_MESSAGE, message_id=id)
        return message

    def of_ids(self, ids: Sequence[str]) -> dict[str, Message]:
        """Return the messages that exist, by id."""
        if not ids:
            return {}
        found = map(_MAPPER.entity, self._connection.execute(_OF_IDS, {"ids": list(ids)}))
        return {message.id: message for message in found}

    def add(self, *new: Message) -> None:
        """Put unread messages into their mailboxes."""
        _MAPPER.insert(self._connection, *new)
        self._count(((message.recipient_id, message.priority) for message in new), sign=1)

    def move(self, ids: Sequence[str], *, source: MessageState, target: MessageState, now: datetime) -> None:
        """Move the messages that are in the state `source`; update the unread counts."""
        read_at = now if target is MessageState.READ else None
        values = {"ids": list(ids), "source": source.value, "target": target.value, "read_at": read_at}
        moved = self._connection.execute(_MOVE, values).all()
        if source is MessageState.UNREAD:
            self._count(((row.recipient_id, row.priority) for row in moved), sign=-1)

    def unread(self, owner: str) -> dict[Priority, int]:
        """Return how many messages in a mailbox are unread, by priority."""
        rows = self._connection.execute(_UNREAD, {"owner": owner})
        return {Priority(row.priority): int(row.messages) for row in rows}

    def inbox(self, owner: str, wanted: MessageFilter, *, limit: int, after: PagePosition | None) -> list[Message]:
        """Return the messages of a mailbox, newest first. Each state is one index range, so size has no effect."""
        found: list[Message] = []
        for state in wanted.states:
            mine = (messages.c.recipient_id == owner, messages.c.state == state.value)
            found += self._page([*mine, *wanted.conditions()], limit=limit, after=after)
        return sorted(found, key=lambda message: (message.created_at, message.id), reverse=True)[:limit]

    def thread(self, owner: str, wanted: MessageFilter, *, limit: int, after: PagePosition | None) -> list[Message]:
        """Return the messages of a thread that an agent sent or received, newest first."""
        mine = (
            messages.c.thread_id == wanted.thread_id,
            or_(messages.c.recipient_id == owner, messages.c.sender_id == owner),
            messages.c.state.in_([state.value for state in wanted.states]),
        )
        return self._page([*mine, *wanted.conditions()], limit=limit, after=after)

    def _page(self, where: Sequence[ColumnElement[bool]], *, limit: int, after: PagePosition | None) -> list[Message]:
        statement = _MAPPER.select.where(*where, *older_than(after, messages.c)).order_by(*_NEWEST_FIRST).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]

    def _count(self, places: Iterable[tuple[str, str]], *, sign: int) -> None:
        for (owner, priority), number in Counter(places).items():
            values = {"owner": owner, "rank": str(priority), "more": sign * number}
            if not _COUNT.run(self._connection, values):
                row = {"recipient_id": owner, "priority": str(priority), "messages": number}
                _FIRST_COUNT.run(self._connection, row)
