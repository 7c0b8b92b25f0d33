"""A call under a key, repeated: in another process, at once, or after its caller has left."""

from __future__ import annotations

import asyncio

import pytest

from mission.app import App
from mission.domain.errors import InvalidInput, InvalidState
from mission.gateway.caller import Caller
from mission.settings import Settings

MISSION = {"name": "Auth", "objective": "Log in"}


async def test_the_same_key_in_two_processes_at_once_does_the_deed_once(settings: Settings) -> None:
    apps = [App(settings, role=f"test {number}") for number in range(2)]
    async with apps[0].running(periodic=False), apps[1].running(periodic=False):
        for turn in range(10):
            caller = Caller(transport="test", key=f"key {turn}")
            answers = await asyncio.gather(*(app.gateway("start_mission", MISSION, caller) for app in apps))
            assert answers[0] == answers[1]

        listed = await apps[0].gateway("workflow_list", {}, Caller(transport="test"))

    assert listed["total"] == 10


async def test_the_same_key_for_another_call_in_another_process_is_refused(settings: Settings) -> None:
    apps = [App(settings, role=f"test {number}") for number in range(2)]
    caller = Caller(transport="test", key="one")
    async with apps[0].running(periodic=False), apps[1].running(periodic=False):
        await apps[0].gateway("start_mission", MISSION, caller)

        with pytest.raises(InvalidInput, match="key"):
            await apps[1].gateway("start_mission", {**MISSION, "name": "Else"}, caller)


async def test_a_failure_nobody_waits_for_any_more_is_no_warning(app: App, caplog: pytest.LogCaptureFixture) -> None:
    caller = Caller(transport="test", key="gone")
    wanted = {"mission_id": "m_0000000000", "status": "failed", "summary": "s"}
    first = asyncio.create_task(app.gateway("complete_mission", wanted, caller))
    while not app.gateway.idempotent_calls.in_flight:  # noqa: ASYNC110 - it takes a few turns of the loop
        await asyncio.sleep(0)
    under_way = next(iter(app.gateway.idempotent_calls.in_flight.values()))[1]

    first.cancel()
    await asyncio.wait([first, under_way], timeout=60)

    assert first.cancelled()
    assert under_way.done()
    assert not under_way.cancelled()
    assert app.gateway.idempotent_calls.in_flight == {}
    assert "never retrieved" not in caplog.text


async def test_a_repeat_that_would_be_refused_now_gets_the_first_answer(app: App) -> None:
    """Its caller does not know that the first call succeeded: the connection broke before the answer."""
    person = Caller(transport="test")
    mission = (await app.gateway("start_mission", MISSION, person))["mission_id"]
    task = await app.gateway("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, person)
    accept = {"task_id": task["task_id"], "reason": "Good enough."}
    first = await app.gateway("task_accept", accept, Caller(transport="test", key="one"))

    again = await app.gateway("task_accept", accept, Caller(transport="test", key="one"))

    assert again == first
    with pytest.raises(InvalidState, match="cannot be accepted"):
        await app.gateway("task_accept", accept, Caller(transport="test", key="two"))
