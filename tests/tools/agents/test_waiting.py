"""Waiting for news, through the gateway."""

from __future__ import annotations

import asyncio

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput, NotFound, PermissionDenied
from mission.gateway.caller import Caller

PATIENCE = 55
"""So long a wait may last where something must come: nothing here depends on how soon it does."""


@pytest.fixture
def wait(call):
    async def wait(agent, *, left=None, **chosen):
        arguments = {"agent_id": agent, "timeout_seconds": PATIENCE, **chosen}
        return await call.app.gateway("wait_for_events", arguments, Caller(transport="test", left=left))

    return wait


@pytest.fixture
def write(call):
    async def write(sender, recipient, body):
        arguments = {"sender_id": sender, "recipient_id": recipient, "message_type": "query", "body": body}
        await call("message_send", arguments)

    return write


async def waiters(call, number):
    """Wait until so many wait."""
    async with asyncio.timeout(PATIENCE):
        while len(call.app.events.bus._listeners) != number:  # noqa: ASYNC110 - somebody else must come
            await asyncio.sleep(0.005)


def bodies(news):
    return [(message["sender_name"], message["body"]) for message in news["messages"]]


async def test_each_gets_its_own_messages_from_the_unread_ones_on_and_misses_none(call, wait, write, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    await write(ada, bob, "one")
    await write(ada, bob, "two")

    first = await wait(bob)
    assert (bodies(first), first["events"], first["reset"]) == ([("ada", "one"), ("ada", "two")], [], False)
    await write(ada, bob, "three")
    await write(bob, ada, "not for bob")
    second = await wait(bob, since=first["cursor"])
    assert bodies(second) == [("ada", "three")]
    waiting = asyncio.create_task(wait(bob, since=second["cursor"]))
    await waiters(call, 1)
    await write(bob, ada, "not for bob either")
    await write("human", bob, "four")
    third = await waiting
    assert bodies(third) == [("human", "four")]
    assert await wait(bob, since=third["cursor"], timeout_seconds=0) == {**third, "messages": []}
    assert bodies(await wait(ada)) == [("bob", "not for bob"), ("bob", "not for bob either")]
    await waiters(call, 0)


async def test_events_come_to_the_agent_they_are_about_and_to_who_follows_the_mission(
    call, wait, write, make_agent, make_workflow
):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    mission, tasks = await make_workflow({"name": "t", "description": "d", "sequence": 1})
    start = (await wait(bob, timeout_seconds=0))["cursor"]
    claim = asyncio.create_task(wait(ada, since=start))
    follow = asyncio.create_task(wait(bob, since=start, workflow_id=mission))
    await waiters(call, 2)

    await call("task_claim", {"task_id": tasks["t"], "agent_id": ada})
    for news in (await claim, await follow):
        assert [(event["type"], event["data"]["assigned_agent_id"]) for event in news["events"]] == [
            ("task:updated", ada)
        ]
    await call("agent_heartbeat", {"agent_id": ada, "status": "busy"})
    await write(ada, "human", "mail of others")
    assert await wait(bob, since=start, timeout_seconds=0) == {
        **follow.result(),
        "events": [],
        "cursor": call.app.events.last,
    }
    [asked] = (await wait("human", since=start))["events"]
    assert asked["type"] == "queue:created"


async def test_a_long_absence_is_caught_up_in_bits_and_a_lost_place_begins_anew(call, wait, write, make_agent):
    ada, bob = await make_agent("ada"), await make_agent("bob")
    cursor = (await wait(bob, timeout_seconds=0))["cursor"]
    for number in range(5):
        await write(ada, bob, str(number))

    got = []
    while len(got) < 5:
        news = await wait(bob, since=cursor, limit=2)
        got += [body for _, body in bodies(news)]
        cursor = news["cursor"]
    assert got == ["0", "1", "2", "3", "4"]
    lost = await wait(bob, since=cursor + 1_000)
    assert (lost["reset"], lost["cursor"], len(lost["messages"])) == (True, cursor, 5)


async def test_a_wait_ends_when_its_client_leaves_or_the_daemon_stops(call, wait, make_agent):
    ada = await make_agent("ada")
    gone = asyncio.Event()
    left = asyncio.create_task(wait(ada, left=gone.wait))
    stays = asyncio.create_task(wait(ada))
    await waiters(call, 2)

    gone.set()
    assert (await left)["messages"] == []
    await waiters(call, 1)
    call.app.events.wake_waiters()
    assert (await stays)["events"] == []


async def test_a_wait_is_bounded_and_only_for_oneself(call, wait, make_agent):
    ada, eve = await make_agent("ada"), await make_agent("eve")

    with pytest.raises(InvalidInput, match="timeout_seconds"):
        await wait(ada, timeout_seconds=56)
    with pytest.raises(PermissionDenied):
        await call.app.gateway("wait_for_events", {"agent_id": ada}, Caller(transport="test", agent=eve))


@pytest.mark.parametrize("since", [None, 0])
async def test_a_wait_for_a_mission_or_an_agent_that_does_not_exist_is_refused_at_once(call, wait, make_agent, since):
    ada = await make_agent("ada")

    with pytest.raises(NotFound, match="m_000000000000") as unknown:
        await wait(ada, since=since, workflow_id="m_000000000000")
    with pytest.raises(AgentNotFound, match="a_000000000000"):
        await wait("a_000000000000", since=since)

    assert (unknown.value.code, call.app.events.bus._listeners) == ("RESOURCE_NOT_FOUND", set())


async def test_a_wait_is_refused_by_the_field_that_has_an_id_of_another_kind(wait, make_agent, make_workflow):
    ada, (mission, _) = await make_agent("ada"), await make_workflow()

    with pytest.raises(InvalidInput) as no_mission:
        await wait(ada, workflow_id=ada)
    with pytest.raises(InvalidInput) as no_agent:
        await wait(mission)

    assert [caught.value.details["field"] for caught in (no_mission, no_agent)] == ["workflow_id", "agent_id"]


async def test_the_mission_to_wait_for_is_taken_by_either_name_of_it(call, wait, make_agent, make_workflow):
    bob = await make_agent("bob")
    mission, tasks = await make_workflow({"name": "t", "description": "d", "sequence": 1})
    start = (await wait(bob, timeout_seconds=0))["cursor"]
    await call("task_update_status", {"id": tasks["t"], "status": "in_progress"})

    found = [await wait(bob, since=start, **{name: mission}) for name in ("mission_id", "workflow_id")]

    assert found[0] == found[1]
    assert "task:updated" in [event["type"] for event in found[0]["events"]]
    with pytest.raises(NotFound):
        await wait(bob, mission_id="m_0000000000")
