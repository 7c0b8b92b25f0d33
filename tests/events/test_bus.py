"""The bus: who is woken by which event, and what a reader gets however its topics overlap."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.events import bus
from mission.events.bus import Bus, Listener, Published, Topic, WakeUp
from mission.store.logs.events import StoredEvent


def event(seq, *, mission="m_1", agents=(), type="task:updated"):
    return StoredEvent(seq, type, datetime(2026, 1, 1, tzinfo=UTC), mission, agents, {"ü": 1})


TOPICS = ["global", "mission:m_1", "mission:m_2", "agent:a_1"]
EVENTS = st.lists(
    st.builds(
        lambda mission, agents: (mission, agents),
        st.sampled_from(["m_1", "m_2", None]),
        st.sampled_from([(), ("a_1",)]),
    ),
    max_size=15,
)


@given(EVENTS, st.lists(st.tuples(st.sampled_from(TOPICS), st.integers(0, 10)), max_size=4))
def test_a_listener_gets_exactly_what_one_of_its_topics_wants_once_and_in_order(given_events, topics):
    listener, follows = Listener(), {}
    for name, live_from in topics:
        listener.follow(Topic(name), covered_from=0, live_from=live_from)
        follows[name] = live_from
    events = [event(seq, mission=mission, agents=agents) for seq, (mission, agents) in enumerate(given_events, start=1)]

    offered = [listener.offer(Published(each)) for each in events]

    wanted = [
        any(each.seq > live_from and Topic(name).matches(each) for name, live_from in follows.items())
        for each in events
    ]
    assert offered == wanted
    assert [each.seq for each in listener.take()] == [
        each.seq for each, wants in zip(events, wanted, strict=True) if wants
    ]
    assert listener.take() == []


async def test_listeners_are_woken_together_a_moment_after_the_events(monkeypatch):
    monkeypatch.setattr(bus, "GATHER_SECONDS", 0)
    everyone, woken, asleep = Bus(), Listener(), Listener()
    for listener, topic in ((woken, "mission:m_1"), (asleep, "mission:m_2")):
        listener.follow(Topic(topic), covered_from=0, live_from=0)
        everyone.join(listener)

    everyone.publish([event(1), event(2)])
    assert not woken.wake.is_set()
    await asyncio.wait_for(woken.wake.wait(), 10)

    assert [each.seq for each in woken.take()] == [1, 2]
    assert not asleep.wake.is_set()


async def test_a_listener_that_left_in_between_is_not_woken(monkeypatch):
    monkeypatch.setattr(bus, "GATHER_SECONDS", 0)
    everyone, gone, stays = Bus(), Listener(), Listener()
    for listener in (gone, stays):
        listener.follow(Topic("global"), covered_from=0, live_from=0)
        everyone.join(listener)

    everyone.publish([event(1)])
    everyone.leave(gone)
    await asyncio.wait_for(stays.wake.wait(), 10)

    assert not gone.wake.is_set()


async def test_a_bell_rings_at_once_for_what_it_waits_for_and_keeps_nothing():
    everyone = Bus()

    with everyone.listening(WakeUp(lambda each: each.mission_id == "m_2")) as bell:
        everyone.publish([event(1)])
        assert not bell.wake.is_set()
        everyone.publish([event(2, mission="m_2")])
        assert bell.wake.is_set()
        assert bell.take() == []
        bell.wake.clear()
    everyone.publish([event(3, mission="m_2")])

    assert not bell.wake.is_set()


async def test_a_bell_is_taken_down_when_its_waiter_fails():
    everyone, bell = Bus(), WakeUp(lambda _: True)

    with pytest.raises(KeyError), everyone.listening(bell):
        raise KeyError
    everyone.publish([event(1)])

    assert not bell.wake.is_set()


async def test_everybody_looks_up_when_the_bus_is_woken():
    everyone, listener, bell = Bus(), Listener(), WakeUp(lambda _: False)
    for each in (listener, bell):
        everyone.join(each)

    everyone.wake()

    assert listener.wake.is_set()
    assert bell.wake.is_set()


def test_a_listener_that_overflowed_takes_nothing_more(monkeypatch):
    monkeypatch.setattr(bus, "MAX_QUEUE_LENGTH", 2)
    listener = Listener()
    listener.follow(Topic("global"), covered_from=0, live_from=0)

    offered = [listener.offer(Published(event(seq))) for seq in range(1, 6)]

    assert offered == [True, True, True, False, False]
    assert listener.overflowed.is_set()
    assert listener.take() == []


def test_the_frame_of_an_event_is_written_once_for_all_readers():
    published = Published(event(7, agents=("a_1",)))

    assert published.text is published.text
    assert "ü" in published.text
    frame = json.loads(published.text)
    assert (frame["seq"], frame["type"], frame["mission_id"]) == (7, "task:updated", "m_1")
