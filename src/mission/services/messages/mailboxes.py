"""Use cases of received messages: list, read, mark, archive, count; each for its own mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.message import Message, MessageState, Priority, leading_to, not_yours
from mission.services.paging import cut_page, position_of, row_cursor
from mission.store.agents.messages import MessageFilter
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class MessagePage:
    """Some messages of a mailbox, where the next ones begin, and how many are unread in all."""

    messages: Sequence[Message]
    unread: int
    next: str | None


def list_messages(tx: Tx, *, owner: str, wanted: MessageFilter, limit: int, cursor: str | None) -> MessagePage:
    """Return a mailbox, or what its owner sent and received in one thread; newest first."""
    read = tx.messages.inbox if wanted.thread_id is None else tx.messages.thread
    found = read(owner, wanted, limit=limit + 1, after=position_of(cursor, kind="message"))
    shown = cut_page(found, limit=limit, cursor=row_cursor)
    return MessagePage(messages=shown.rows, unread=sum(tx.messages.unread(owner).values()), next=shown.next)


def get(tx: Tx, *, id: str, reader: str | None) -> Message:
    """Return the message for its sender, its recipient or the operator."""
    message = tx.messages.get(id)
    message.expect_party(reader)
    return message


def received(tx: Tx, *, id: str, reader: str) -> Message:
    """Return the message for its recipient only."""
    message = tx.messages.get(id)
    if message.recipient_id != reader:
        raise not_yours(id)
    return message


def open_mail(tx: Tx, *, id: str, reader: str) -> Message:
    """Return the message and mark it as read by its recipient."""
    return read(tx, id=received(tx, id=id, reader=reader).id, reader=reader)


def read(tx: Tx, *, id: str, reader: str | None) -> Message:
    """Return the message; mark it as read unless its own sender reads it."""
    message = get(tx, id=id, reader=reader)
    if reader is not None and reader != message.recipient_id:
        return message
    _move(tx, [id], MessageState.READ)
    return tx.messages.get(id)


def move(tx: Tx, *, ids: Sequence[str], target: MessageState, reader: str | None) -> None:
    """Mark received messages as read, or archive them: all or none. One in a later state stays as it is."""
    found = tx.messages.of_ids(ids)
    missing = [id for id in ids if id not in found]
    if missing:
        raise NotFound(f"there is no message {', '.join(missing[:5])}", action=Action.FIND_MESSAGE, message_ids=missing)
    for message in found.values():
        if reader is not None and message.recipient_id != reader:
            raise not_yours(message.id)
    _move(tx, ids, target)


def unread(tx: Tx, *, owner: str) -> dict[Priority, int]:
    """Return the number of unread messages for every priority."""
    counted = tx.messages.unread(owner)
    return {priority: counted.get(priority, 0) for priority in Priority}


def _move(tx: Tx, ids: Sequence[str], target: MessageState) -> None:
    for source in leading_to(target):
        tx.messages.move(ids, source=source, target=target, now=tx.now)
