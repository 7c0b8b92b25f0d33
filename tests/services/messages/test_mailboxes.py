"""Reading mailboxes: whose message is whose, and what counts as read."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound, PermissionDenied
from mission.domain.message import MessageState, Priority
from mission.services.messages import mailboxes
from mission.store.agents.messages import MessageFilter
from tests.store.rows import at

UNREAD = MessageFilter(states=[MessageState.UNREAD])


def state(tx, message):
    return str(tx.messages.get(message.id).state)


def test_a_message_is_seen_by_its_two_parties_and_the_operator(tx, rows):
    message = rows.message("a_1", sender_id="a_2")

    for reader in ("a_1", "a_2", None):
        assert mailboxes.get(tx, id=message.id, reader=reader).id == message.id
    with pytest.raises(PermissionDenied):
        mailboxes.get(tx, id=message.id, reader="a_3")


def test_it_counts_as_read_once_its_recipient_looked_and_not_for_its_sender(tx, rows):
    message = rows.message("a_1", sender_id="a_2")

    assert mailboxes.read(tx, id=message.id, reader="a_2").state is MessageState.UNREAD
    assert mailboxes.read(tx, id=message.id, reader="a_1").state is MessageState.READ
    with pytest.raises(PermissionDenied):
        mailboxes.open_mail(tx, id=message.id, reader="a_2")


def test_many_are_moved_all_or_none(tx, rows):
    mine, other = rows.message("a_1"), rows.message("a_2")

    with pytest.raises(PermissionDenied):
        mailboxes.move(tx, ids=[mine.id, other.id], target=MessageState.READ, reader="a_1")
    with pytest.raises(NotFound) as raised:
        mailboxes.move(tx, ids=[mine.id, "msg_nowhere"], target=MessageState.READ, reader="a_1")
    assert raised.value.details["message_ids"] == ["msg_nowhere"]
    assert (state(tx, mine), state(tx, other)) == ("unread", "unread")

    mailboxes.move(tx, ids=[mine.id, other.id], target=MessageState.ARCHIVED, reader=None)
    mailboxes.move(tx, ids=[mine.id], target=MessageState.READ, reader="a_1")

    assert (state(tx, mine), state(tx, other)) == ("archived", "archived")


def test_every_priority_is_counted_and_pages_follow_each_other(tx, rows):
    for minute in range(3):
        rows.message("a_1", priority=Priority.URGENT, created_at=at(minute))

    assert mailboxes.unread(tx, owner="a_1") == {**dict.fromkeys(Priority, 0), Priority.URGENT: 3}
    first = mailboxes.list_messages(tx, owner="a_1", wanted=UNREAD, limit=2, cursor=None)
    rest = mailboxes.list_messages(tx, owner="a_1", wanted=UNREAD, limit=2, cursor=first.next)
    assert [len(first.messages), len(rest.messages)] == [2, 1]
    assert (first.unread, rest.next) == (3, None)
