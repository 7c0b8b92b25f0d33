"""Mailboxes: what lies in them, and how much of it is unread."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import NotFound
from mission.domain.message import MessageState, MessageType, Priority
from mission.store.agents.messages import MessageFilter
from tests.store.rows import IN_TRANSACTION, at, undone

ALL = MessageFilter(states=list(MessageState))


def ids(messages):
    return [message.id for message in messages]


def test_an_unknown_message_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound, match="msg_nowhere"):
        tx.messages.get("msg_nowhere")


def test_many_are_read_at_once_and_unknown_ones_left_out(tx, rows):
    first, second = rows.message("a_1", body={"a": ["ä"]}), rows.message("a_2")

    assert tx.messages.of_ids([second.id, "msg_nowhere", first.id]) == {first.id: first, second.id: second}
    assert tx.messages.of_ids([]) == {}


@IN_TRANSACTION
@given(
    sent=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(Priority)), min_size=1, max_size=8),
    moves=st.lists(
        st.tuples(st.integers(0, 7), st.sampled_from(MessageState), st.sampled_from(MessageState)), max_size=8
    ),
)
def test_the_number_of_unread_messages_equals_a_recount_after_any_moves(tx, sent, moves):
    with undone(tx) as rows:
        messages = [rows.message(owner, priority=priority) for owner, priority in sent]

        for place, source, target in moves:
            if target is not MessageState.UNREAD:
                tx.messages.move([messages[place % len(messages)].id], source=source, target=target, now=at(1))

        for owner in "ab":
            found = tx.messages.inbox(owner, MessageFilter(states=[MessageState.UNREAD]), limit=99, after=None)
            counted = {priority: many for priority, many in tx.messages.unread(owner).items() if many}
            assert counted == Counter(message.priority for message in found)


def test_a_message_is_moved_only_from_the_state_it_is_in_and_keeps_when_it_was_read(tx, rows):
    message = rows.message("a_1")

    def move(source, target, minute):
        tx.messages.move([message.id], source=MessageState(source), target=MessageState(target), now=at(minute))
        found = tx.messages.get(message.id)
        return str(found.state), found.read_at

    assert move("read", "archived", 1) == ("unread", None)
    assert move("unread", "read", 2) == ("read", at(2))
    assert move("read", "archived", 3) == ("archived", at(2))


def test_a_mailbox_holds_what_its_owner_got_and_a_thread_also_what_it_wrote(tx, rows):
    asked = rows.message("a_2", sender_id="a_1", thread_id="thr_1", created_at=at(1))
    answered = rows.message("a_1", sender_id="a_2", thread_id="thr_1", created_at=at(2))
    rows.message("a_3", sender_id="a_2", thread_id="thr_1", created_at=at(3))
    other = rows.message("a_1", created_at=at(4))

    assert ids(tx.messages.inbox("a_1", ALL, limit=9, after=None)) == [other.id, answered.id]
    thread = MessageFilter(states=list(MessageState), thread_id="thr_1")
    assert ids(tx.messages.thread("a_1", thread, limit=9, after=None)) == [answered.id, asked.id]


@IN_TRANSACTION
@given(
    sent=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(MessageState)), max_size=9),
    size=st.integers(1, 4),
    states=st.sets(st.sampled_from(MessageState), min_size=1),
)
def test_pages_of_a_mailbox_put_together_are_all_of_it_newest_first(tx, sent, size, states):
    with undone(tx) as rows:
        messages = [rows.message("a_1", created_at=at(minute), state=state) for minute, state in sent]
        wanted = MessageFilter(states=sorted(states))

        pages, after = [], None
        while page := tx.messages.inbox("a_1", wanted, limit=size, after=after):
            pages += page
            after = page[-1].created_at, page[-1].id

        expected = [message for message in messages if message.state in states]
        expected.sort(key=lambda message: (message.created_at, message.id), reverse=True)
        assert ids(pages) == ids(expected)


def test_a_mailbox_is_narrowed_by_type_priority_mission_and_time(tx, rows):
    plain = rows.message("a_1")
    special = rows.message(
        "a_1", type=MessageType.NOTIFICATION, priority=Priority.URGENT, mission_id="m_1", created_at=at(1)
    )

    def found(**filters):
        wanted = MessageFilter(states=list(MessageState), **filters)
        return ids(tx.messages.inbox("a_1", wanted, limit=9, after=None))

    assert found() == [special.id, plain.id]
    for narrow in (
        {"types": [MessageType.NOTIFICATION]},
        {"priorities": [Priority.URGENT, Priority.HIGH]},
        {"mission_id": "m_1"},
        {"since": at(1)},
    ):
        assert found(**narrow) == [special.id]
