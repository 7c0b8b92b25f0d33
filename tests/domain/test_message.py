"""Messages: who may read them, what a body may hold, and how a reply is titled."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, PermissionDenied, TooLarge
from mission.domain.message import (
    HUMAN,
    MAX_BODY_LENGTH,
    MISSION_CONTROL,
    MOVES,
    PERSON,
    Author,
    MessageState,
    body_text,
    checked_body,
    leading_to,
    reply_subject,
    size_of,
)
from tests.domain.samples import SHOWN, agent, message


@pytest.mark.parametrize("party", ["a_1", "a_2", None])
def test_sender_recipient_and_operator_may_read_a_message(party):
    message().expect_party(party)


@pytest.mark.parametrize("party", ["a_3", HUMAN, ""])
def test_nobody_else_may_read_a_message(party):
    with pytest.raises(PermissionDenied) as refused:
        message().expect_party(party)

    assert refused.value.details == {"message_id": "msg_1"}


def test_a_message_leaves_each_state_for_the_states_of_the_table_only():
    assert leading_to(MessageState.UNREAD) == []
    assert leading_to(MessageState.READ) == [MessageState.UNREAD]
    assert leading_to(MessageState.ARCHIVED) == [MessageState.UNREAD, MessageState.READ]
    assert MOVES[MessageState.ARCHIVED] == frozenset()


@pytest.mark.parametrize("body", ["words", {"a": 1}, " x ", {"": None}])
def test_text_and_objects_are_bodies(body):
    assert checked_body(body) is body


@pytest.mark.parametrize("body", ["", "  \n", {}, None, 5, True, ["x"], b"x"])
def test_nothing_and_other_types_are_not_bodies(body):
    with pytest.raises(InvalidInput) as refused:
        checked_body(body, field="text")

    assert refused.value.details == {"field": "text"}


def test_the_largest_body_is_taken_and_one_character_more_is_not():
    assert checked_body("x" * MAX_BODY_LENGTH)
    with pytest.raises(TooLarge):
        checked_body("x" * (MAX_BODY_LENGTH + 1))
    with pytest.raises(TooLarge):
        checked_body({"x": "y" * MAX_BODY_LENGTH})


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.integers(), max_size=4))
def test_an_object_counts_as_its_shortest_json(body):
    assert size_of(body) == len(json.dumps(body, ensure_ascii=False, separators=(",", ":")))


@given(st.text(max_size=40) | st.dictionaries(st.text(max_size=5), st.integers(), max_size=4), st.integers(1, 30))
def test_a_body_as_text_is_cut_with_a_mark(body, longest):
    whole = body_text(body, max_length=10_000)
    text = body_text(body, max_length=longest)

    assert text == whole if len(whole) <= longest else text == f"{whole[:longest]}…"
    if not isinstance(body, str):
        assert json.loads(whole) == body


@pytest.mark.parametrize(
    ("subject", "reply"),
    [("Keys", "Re: Keys"), ("Re: Keys", "Re: Keys"), ("RE: Keys", "RE: Keys"), ("re:Keys", "re:Keys")],
)
def test_a_reply_is_marked_once(subject, reply):
    assert reply_subject(subject) == reply
    assert reply_subject(reply_subject(subject)) == reply


@pytest.mark.parametrize("subject", [None, ""])
def test_a_reply_to_a_message_without_subject_has_one(subject):
    assert reply_subject(subject).startswith("Re: ")


def test_an_author_is_marked_with_the_type_of_the_agent():
    assert Author.of(agent()) == Author(id="a_1", name="ada", type="WORKER")
    assert (PERSON.type, MISSION_CONTROL.type) == ("HUMAN", "SYSTEM")


def test_events_show_a_message_without_its_body():
    shown = message(subject="Keys", mission_id="m_1", body="the password is swordfish").record()

    assert "swordfish" not in str(shown)
    assert (shown["workflow_id"], shown["subject"], shown["status"]) == ("m_1", "Keys", "unread")
    assert (shown["created_at"], shown["read_at"]) == (SHOWN, None)
