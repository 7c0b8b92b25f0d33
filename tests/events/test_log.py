"""The event log and its bus: order, late readers, listeners that overlap or fall behind."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from mission.app import App
from mission.domain.errors import InvalidInput, TransientError
from mission.events import bus
from mission.events.bus import Bus, Listener, Topic
from mission.events.log import EventLog, EventPage
from mission.gateway.caller import Caller
from mission.settings import Settings
from mission.store.logs.events import StoredEvent


def event(seq: int, *, mission: str | None = "m_1", agents: tuple[str, ...] = ()) -> StoredEvent:
    return StoredEvent(seq, "task:updated", datetime(2026, 1, 1, tzinfo=UTC), mission, agents, {})


def joined(everyone: Bus, *topics: str) -> Listener:
    """A listener to topics, from the first event on."""
    listener = Listener()
    everyone.join(listener)
    for name in topics or ("global",):
        listener.follow(Topic(name), covered_from=0, live_from=0)
    return listener


def taken(listener: Listener) -> list[int]:
    return [published.seq for published in listener.take()]


@pytest.mark.parametrize("name", ["global", "mission:m_0123456789", "agent:a_0123456789"])
def test_a_topic_is_everything_one_mission_or_one_agent(name: str) -> None:
    assert Topic(name).name == name


@pytest.mark.parametrize(
    "name",
    ["", "all", "mission", "mission:", "agent:", "task:t_1", "mission:a b", "mission:\x00", "agent:\ud800", "global:x"],
)
def test_nothing_else_is_a_topic(name: str) -> None:
    with pytest.raises(InvalidInput, match="topic"):
        Topic(name)


def test_a_topic_matches_its_own_events() -> None:
    assert Topic("global").matches(event(1, mission=None))
    assert Topic("mission:m_1").matches(event(1))
    assert not Topic("mission:m_2").matches(event(1))
    assert not Topic("mission:m_1").matches(event(1, mission=None))
    assert Topic("agent:a_1").matches(event(1, agents=("a_2", "a_1")))
    assert not Topic("agent:a_1").matches(event(1))


def test_an_agent_that_reads_sees_no_mail_of_others() -> None:
    def told(type: str, **data: str) -> StoredEvent:
        return replace(event(1, agents=("a_1", "human")), type=type, data=data)

    for mail in (told("message:created"), told("mail.sent"), told("queue:created", kind="mail")):
        for topic in ("global", "mission:m_1", "agent:a_1"):
            assert Topic(topic).matches(mail)
            assert Topic(topic, reader="a_1").matches(mail)
            assert not Topic(topic, reader="a_2").matches(mail)
    assert Topic("global", reader="a_2").matches(told("queue:created", kind="blocker"))


@pytest.mark.parametrize(("since", "reached"), [(0, False), (3, False), (4, True), (9, True), (10, True), (11, False)])
def test_a_reader_goes_on_only_where_it_misses_nothing(since: int, reached: bool) -> None:
    assert EventPage(events=[], complete=True, oldest=5, newest=10).reaches(since) is reached


def test_when_every_event_is_gone_only_the_newest_number_goes_on() -> None:
    empty = EventPage(events=[], complete=True, oldest=11, newest=10)

    assert empty.reaches(10)
    assert not empty.reaches(9)
    assert EventPage(events=[], complete=True, oldest=1, newest=0).reaches(0)


def test_a_listener_gets_each_event_once_however_many_topics_match() -> None:
    listener = joined(Bus(), "global", "mission:m_1", "agent:a_1")

    for seq in (1, 2, 3):
        listener.offer(bus.Published(event(seq, agents=("a_1",))))

    assert taken(listener) == [1, 2, 3]
    assert taken(listener) == []


def test_a_listener_gets_nothing_from_before_it_went_live() -> None:
    listener = Listener()
    listener.follow(Topic("global"), covered_from=0, live_from=5)

    for seq in (4, 5, 6):
        listener.offer(bus.Published(event(seq)))

    assert taken(listener) == [6]


def test_leaving_a_topic_drops_what_waits_of_it_alone() -> None:
    listener = joined(Bus(), "mission:m_1", "agent:a_1")
    listener.offer(bus.Published(event(1)))
    listener.offer(bus.Published(event(2, agents=("a_1",))))

    listener.unfollow("mission:m_1")

    assert taken(listener) == [2]


def test_what_another_topic_brought_is_known() -> None:
    listener = Listener()
    listener.follow(Topic("global"), covered_from=3, live_from=7)

    assert not listener.covers(event(3), except_topic="mission:m_1")
    assert listener.covers(event(4), except_topic="mission:m_1")
    assert not listener.covers(event(4), except_topic="global")


async def test_a_listener_that_falls_behind_is_let_go_and_the_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus, "MAX_QUEUE_LENGTH", 10)
    everyone = Bus()
    slow, quick = joined(everyone), joined(everyone)
    seen: list[int] = []

    for seq in range(1, 31):
        everyone.publish([event(seq)])
        seen += taken(quick)

    assert slow.overflowed.is_set()
    assert taken(slow) == []
    assert seen == list(range(1, 31))
    assert not quick.overflowed.is_set()


async def test_a_wait_ends_with_something_newer_or_with_its_time(app: App, call: Any) -> None:
    events = app.events
    assert await events.wait(0, seconds=0.01) is False
    waiting = asyncio.create_task(events.wait(0, seconds=20))
    await asyncio.sleep(0)

    await call("start_mission", {"name": "m", "objective": "o"})

    assert await asyncio.wait_for(waiting, 60) is True
    assert await events.wait(0, seconds=0) is True


async def test_closing_wakes_those_who_wait(app: App) -> None:
    waiting = asyncio.create_task(app.events.wait(0, seconds=20))
    await asyncio.sleep(0)

    app.events.wake_waiters()

    assert await asyncio.wait_for(waiting, 60) is False


async def test_events_of_another_process_and_our_own_are_told_in_order(settings: Settings) -> None:
    """Two applications on one database, both writing; each tells its listeners everything, once, in order."""
    apps = [App(settings, role=f"test {number}") for number in range(2)]
    caller = Caller(transport="test")

    async def write(app: App) -> None:
        for _ in range(15):
            await app.gateway("start_mission", {"name": "m", "objective": "o"}, caller)

    async with apps[0].running(periodic=False), apps[1].running(periodic=False):
        listeners = [joined(app.events.bus) for app in apps]
        await asyncio.gather(*(write(app) for app in apps for _ in range(2)))
        async with asyncio.timeout(60):
            for app in apps:
                while app.events.last < 60:
                    await app.events.wait(app.events.last, seconds=1)

    assert [taken(listener) for listener in listeners] == [list(range(1, 61))] * 2


async def test_a_log_that_cannot_be_read_once_catches_up_later(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = App(settings, role="test"), App(settings, role="other")
    async with ours.running(periodic=False), theirs.running(periodic=False):
        listener = joined(ours.events.bus)
        read, failures = ours.database.read, [TransientError("busy"), TransientError("busy")]

        async def sometimes(function: Any, /, **arguments: Any) -> Any:
            if failures:
                raise failures.pop()
            return await read(function, **arguments)

        monkeypatch.setattr(ours.database, "read", sometimes)
        await theirs.gateway("start_mission", {"name": "m", "objective": "o"}, Caller(transport="test"))
        async with asyncio.timeout(60):
            while ours.events.last < 1:
                await ours.events.wait(0, seconds=5)

    assert taken(listener) == [1]
    assert failures == []


async def test_a_page_is_followed_by_the_next_and_none_is_lost(app: App, call: Any) -> None:
    for _ in range(7):
        await call("start_mission", {"name": "m", "objective": "o"})
    log: EventLog = app.events

    first = await log.read(Topic("global"), since=0, limit=3)
    last = await log.read(Topic("global"), since=6, limit=3)

    assert ([each.seq for each in first.events], first.complete, first.newest) == ([1, 2, 3], False, 3)
    assert ([each.seq for each in last.events], last.complete, last.newest) == ([7], True, 7)
