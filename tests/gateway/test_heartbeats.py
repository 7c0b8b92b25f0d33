"""Any call of an agent counts as a heartbeat, and nobody waits for it to be written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.gateway import heartbeats
from mission.gateway.heartbeats import HeartbeatRecorder
from mission.services.agents.registration import LivenessSettings

LIVENESS = LivenessSettings(heartbeat=timedelta(seconds=30), lease=timedelta(minutes=15))


@pytest.fixture
async def agents(call):
    return [(await call("agent_register", {"name": name, "runtime": "codex"}))["id"] for name in ("ada", "bob")]


@pytest.fixture
def seen(app):
    async def when(agent_id):
        return (await app.database.read(lambda tx: tx.agents.get(agent_id))).last_seen_at

    return when


async def test_a_noted_agent_is_seen_now(app, agents, seen, clock):
    recorder = HeartbeatRecorder(app.database, LIVENESS)
    clock.advance(minutes=1)
    before = clock.now

    recorder.note(agents[0])
    await recorder.settle()

    assert await seen(agents[0]) > before
    assert await seen(agents[1]) < before


async def test_an_agent_that_calls_often_is_written_seldom(app, agents, seen, clock):
    recorder = HeartbeatRecorder(app.database, LIVENESS)
    recorder.note(agents[0])
    await recorder.settle()
    first = await seen(agents[0])

    clock.advance(seconds=9)
    recorder.note(agents[0])
    await recorder.settle()
    assert await seen(agents[0]) == first

    clock.advance(seconds=2)
    recorder.note(agents[0])
    await recorder.settle()
    assert await seen(agents[0]) > first


async def test_a_short_lease_is_never_missed_for_want_of_a_heartbeat(app, agents, seen, clock):
    recorder = HeartbeatRecorder(
        app.database, LivenessSettings(heartbeat=timedelta(seconds=30), lease=timedelta(seconds=3))
    )
    recorder.note(agents[0])
    await recorder.settle()
    first = await seen(agents[0])

    clock.advance(seconds=1.1)
    recorder.note(agents[0])
    await recorder.settle()

    assert await seen(agents[0]) > first


async def test_a_heartbeat_that_cannot_be_written_is_a_warning_only(app, caplog):
    recorder = HeartbeatRecorder(app.database, LIVENESS)

    recorder.note("a_0000000000")
    await recorder.settle()

    assert [record.levelname for record in caplog.records if record.name == heartbeats.__name__] == ["WARNING"]


async def test_agents_that_have_left_are_forgotten_and_the_others_are_not(app, agents, seen, clock, monkeypatch):
    monkeypatch.setattr(heartbeats, "MAX_RECORDED", 2)
    recorder = HeartbeatRecorder(app.database, LIVENESS)
    recorder.note("a_0000000000")
    clock.advance(minutes=1)
    for agent_id in (*agents, agents[0]):
        recorder.note(agent_id)
    await recorder.settle()

    assert recorder._recorded.keys() == set(agents)
