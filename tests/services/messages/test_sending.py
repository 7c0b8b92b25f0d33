"""Messages written: to agents, to the person, to many at once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.agents.agent import AgentRole, AgentType, Presence
from mission.domain.errors import AgentNotFound, InvalidInput, TooLarge
from mission.domain.inbox.item import ItemKind, ItemState
from mission.domain.message import HUMAN, MAX_BODY_LENGTH, MAX_BROADCAST_LENGTH, SYSTEM, MessageState, MessageType
from mission.services.agents.registration import LivenessSettings
from mission.services.messages import sending as mail
from mission.services.messages.sending import Audience
from tests.store.rows import at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


@pytest.fixture
def ada(rows):
    return rows.agent("ada", last_seen_at=at(-1))


def test_a_message_to_the_person_waits_in_the_inbox_until_they_reply(tx, ada):
    question = mail.send(tx, sender=ada.id, recipient=HUMAN, body={"text": "Which?"}, type=MessageType.QUERY)
    [item] = tx.inbox.open_where(message_id=question.id)
    assert (item.kind, item.subject, item.agent_id) == (ItemKind.MAIL, "Message from ada", ada.id)

    mail.send(tx, sender=HUMAN, recipient="ada", body="The red one", reply_to_id=question.id)

    closed = tx.inbox.get(item.id)
    assert (closed.state, closed.answer) == (ItemState.ANSWERED, "The red one")
    assert tx.messages.get(question.id).state is MessageState.READ


def test_what_mission_control_writes_to_the_person_is_no_mail_that_waits(tx):
    mail.send(tx, sender=SYSTEM, recipient=HUMAN, body="it failed")

    assert tx.inbox.open_where() == []


def test_a_reply_stays_in_the_thread_and_goes_to_whoever_wrote(tx, rows, ada):
    bob = rows.agent("bob")
    first = mail.send_mail(tx, sender=ada.id, recipient="bob", subject="Sort", body="please", field="to")

    answer = mail.reply(tx, to=first.id, sender=bob.id, body="done")

    assert (answer.thread_id, answer.recipient_id, answer.subject) == (first.thread_id, ada.id, "Re: Sort")
    assert tx.agents.get(bob.id).last_seen_at == tx.now
    assert [event.type for event in tx.emitted].count("mail.sent") == 2


def test_mission_control_reads_no_replies(tx, ada):
    told = mail.send(tx, sender=SYSTEM, recipient=ada.id, body="it failed")

    with pytest.raises(InvalidInput, match="cannot reply to system messages"):
        mail.reply(tx, to=told.id, sender=ada.id, body="why?")


def test_a_task_says_which_mission_a_message_is_about(tx, rows, ada):
    mission = rows.mission()
    task = rows.task(mission)

    sent = mail.send(tx, sender=ada.id, recipient=HUMAN, body="b", task_id=task.id)

    assert sent.mission_id == mission.id
    with pytest.raises(InvalidInput, match="belongs to"):
        mail.send(tx, sender=ada.id, recipient=HUMAN, body="b", task_id=task.id, mission_id="m_other00000")


def test_an_unknown_recipient_is_named_as_the_caller_calls_it(tx, ada):
    with pytest.raises(AgentNotFound) as raised:
        mail.send(tx, sender=ada.id, recipient="nobody", body="b", field="to")

    assert raised.value.details["field"] == "to"


def test_a_broadcast_reaches_everybody_who_fits_but_its_sender_and_those_who_left(tx, rows, ada):
    lead = rows.agent("lead", type=AgentType.SUPERVISOR, runtime="codex")
    silent = rows.agent("silent", last_seen_at=at(-60))
    rows.agent("gone", declared=Presence.OFFLINE)

    def reached(**fits):
        sent = mail.broadcast(tx, sender=ada.id, audience=Audience(liveness=LIVENESS, **fits), body="b")
        assert len({message.thread_id for message in sent}) <= 1
        return {message.recipient_id for message in sent}

    assert reached() == {lead.id, silent.id}
    assert reached(role=AgentRole.COORDINATOR) == {lead.id}
    assert reached(presence=Presence.ONLINE) == {lead.id}
    assert reached(runtime="codex") == {lead.id}
    assert reached(runtime="pi") == set()


def test_copies_of_a_large_body_are_refused_before_any_is_written(tx, rows, ada, monkeypatch):
    monkeypatch.setattr(mail, "MAX_BROADCAST_LENGTH", 15)
    monkeypatch.setattr(mail, "MAX_RECIPIENTS", 3)
    for number in range(2):
        rows.agent(f"n{number}")

    with pytest.raises(TooLarge):
        mail.broadcast(tx, sender=HUMAN, audience=Audience(liveness=LIVENESS), body="x" * 6)
    rows.agent("one more")
    with pytest.raises(InvalidInput, match="4 agents match"):
        mail.broadcast(tx, sender=HUMAN, audience=Audience(liveness=LIVENESS), body="x")

    assert tx.messages.unread(ada.id) == {}
    assert MAX_BODY_LENGTH < MAX_BROADCAST_LENGTH
