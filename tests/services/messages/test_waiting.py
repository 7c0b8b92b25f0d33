"""Waiting for news: whose they are, and what comes behind a number of the event log."""

from __future__ import annotations

import pytest

from mission.domain.errors import NotFound
from mission.domain.message import HUMAN
from mission.services.messages import waiting
from mission.services.messages.waiting import EventWatcher
from mission.services.work import BackgroundWork
from mission.store.logs.events import StoredEvent
from tests.store.rows import NOW


def event(type, *, agents=(), mission_id=None, **data):
    return StoredEvent(1, type, NOW, mission_id, list(agents), {"id": "x_1", **data})


MAIL = event("message:created", agents=["a_1", "a_2"], recipient_id="a_2")


@pytest.mark.parametrize(
    ("party", "told", "wanted"),
    [
        ("a_2", MAIL, True),
        ("a_1", MAIL, False),
        (HUMAN, MAIL, False),
        ("a_1", event("task:updated", agents=["a_1"]), True),
        ("a_1", event("task:updated", agents=["a_2"]), False),
        ("a_1", event("agent:updated", agents=["a_1"], id="a_1"), False),
        ("a_1", event("queue:created", agents=["a_2"], kind="question"), False),
        (HUMAN, event("queue:created", agents=["a_2"], kind="question"), True),
        (HUMAN, event("task:updated", agents=["a_1"]), False),
    ],
)
def test_news_go_to_whom_they_are_about_and_items_to_the_person(party, told, wanted):
    assert EventWatcher(party=party).wants(told) is wanted


def test_who_follows_a_mission_hears_all_of_it_but_the_mail_of_others_and_itself():
    watcher = EventWatcher(party="a_1", mission_id="m_1")

    assert watcher.wants(event("task:updated", mission_id="m_1"))
    assert not watcher.wants(event("task:updated", mission_id="m_2"))
    assert not watcher.wants(event("message:created", mission_id="m_1", agents=["a_2"], recipient_id="a_2"))
    assert not watcher.wants(event("queue:created", mission_id="m_1", agents=["a_2"], kind="mail"))
    assert not watcher.wants(event("agent:updated", mission_id="m_1", id="a_1"))


@pytest.fixture
def news(app):
    """What is new, without waiting for more."""

    async def read(party, *, since, limit=9, mission_id=None):
        return await waiting.new_events(
            BackgroundWork(app.database),
            app.events,
            watcher=EventWatcher(party=party, mission_id=mission_id),
            since=since,
            limit=limit,
            seconds=0,
            left=None,
        )

    return read


async def send(call, recipient, *bodies):
    for body in bodies:
        await call(
            "message_send", {"sender_id": HUMAN, "recipient_id": recipient, "message_type": "query", "body": body}
        )


async def test_the_first_answer_has_what_waits_unread_the_oldest_first(call, news, make_agent):
    ada = await make_agent("ada")
    await send(call, ada, "one", "two", "three")

    found = await news(ada, since=None, limit=2)

    assert [message.body for message in found.messages] == ["two", "three"]
    assert (found.reset, found.events) == (False, ())
    assert not await news(ada, since=found.cursor)


async def test_a_cut_answer_goes_on_where_it_ended(call, news, make_agent):
    ada = await make_agent("ada")
    begin = (await news(ada, since=None)).cursor
    await send(call, ada, "one", "two", "three")

    first = await news(ada, since=begin, limit=2)
    rest = await news(ada, since=first.cursor, limit=2)

    assert [message.body for message in (*first.messages, *rest.messages)] == ["one", "two", "three"]
    assert (first.complete, rest.complete) == (False, True)


async def test_news_behind_many_events_of_others_are_found(call, news, make_agent, make_workflow, monkeypatch):
    monkeypatch.setattr(waiting, "PAGE", 2)
    ada = await make_agent("ada")
    begin = (await news(ada, since=None)).cursor
    for _ in range(3):
        await make_workflow()
    await send(call, ada, "at last")

    assert [message.body for message in (await news(ada, since=begin)).messages] == ["at last"]


@pytest.mark.parametrize("since", [-5, 99_999])
async def test_a_number_outside_of_what_is_kept_begins_again(call, news, make_agent, since):
    ada = await make_agent("ada")
    await send(call, ada, "one")

    found = await news(ada, since=since)

    assert (found.reset, [message.body for message in found.messages]) == (True, ["one"])


async def test_an_unknown_mission_is_an_error_at_once(news, make_agent):
    ada = await make_agent("ada")

    with pytest.raises(NotFound):
        await news(ada, since=None, mission_id="m_nowhere000")
