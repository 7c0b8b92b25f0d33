"""Live events over the WebSocket: topics, resuming without gap or repeat, and readers that misbehave."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mission.events import bus
from mission.gateway.caller import Caller
from mission.settings import Settings
from mission.transports.web import websocket
from tests import fault_cases
from tests.transports.live_server import Json, Live, serving, until

PATIENCE = 60.0
_CALLER = Caller(transport="test")
WRITER = """
import asyncio, sys
from pathlib import Path
from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings

async def main(home, url, times):
    app = App(Settings(home=Path(home), database_url=url, host_id="other"), role="another process")
    async with app.running(periodic=False):
        for number in range(int(times)):
            await app.gateway("start_mission", {"name": f"theirs {number}", "objective": "o"}, Caller(transport="test"))

asyncio.run(main(*sys.argv[1:]))
"""


class Reader:
    """A client that says what it wants and reads what comes, with a deadline."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **frame: Any) -> None:
        await self.connection.send(json.dumps(frame))

    async def next(self) -> Json:
        async with asyncio.timeout(PATIENCE):
            found: Json = json.loads(await self.connection.recv())
        return found

    async def drain(self) -> None:
        """Read until the server ends the connection, which raises."""
        while True:
            await self.next()

    async def ask(self, **frame: Any) -> Json:
        await self.send(**frame)
        return await self.next()

    async def subscribe(self, topic: str = "global", **more: Any) -> Json:
        return await self.ask(type="subscribe", topic=topic, **more)

    async def events(self, count: int) -> list[Json]:
        return [await self.next() for _ in range(count)]

    async def is_quiet(self) -> bool:
        """Whether nothing waits: what was sent before a request would come before its answer."""
        return (await self.ask(type="unsubscribe", topic="mission:m_none"))["type"] == "unsubscribed"


@asynccontextmanager
async def reading(live: Live, query: str = "", **options: Any) -> AsyncIterator[Reader]:
    options.setdefault("additional_headers", live.bearer())
    options.setdefault("max_queue", None)
    async with connect(f"ws://{live.authority}/ws{query}", **options) as connection:
        yield Reader(connection)


async def call(live: Live, tool: str, arguments: Json) -> Json:
    return await asyncio.to_thread(live.call, tool, arguments)


async def start(live: Live, name: str = "m") -> str:
    return await asyncio.to_thread(live.mission, name)


async def test_a_subscriber_gets_what_happens_from_then_on(live_on_both: Live) -> None:
    live = live_on_both
    await start(live, "before")
    async with reading(live) as reader:
        subscribed = await reader.subscribe()
        mission = await start(live, "after")

        event = await reader.next()

    assert subscribed == {"type": "subscribed", "topic": "global", "seq": 1}
    assert event == {
        "seq": 2,
        "type": "mission:created",
        "at": event["at"],
        "mission_id": mission,
        "data": event["data"],
    }
    assert event["data"]["name"] == "after"
    assert event["at"].endswith("Z")


async def test_a_reader_that_slept_asks_whether_the_line_is_there(live: Live) -> None:
    async with reading(live) as reader:
        assert await reader.ask(type="ping") == {"type": "pong", "seq": 0}


async def test_a_topic_brings_only_its_own_events(live: Live) -> None:
    mission = await start(live)
    agent = (await call(live, "agent_register", {"name": "ws", "runtime": "codex"}))["id"]
    async with reading(live) as of_mission, reading(live) as of_agent:
        await of_mission.subscribe(f"mission:{mission}")
        await of_agent.subscribe(f"agent:{agent}")
        await start(live, "noise")
        await call(live, "agent_register", {"name": "noise", "runtime": "codex"})
        await call(live, "start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": agent})

        seen = [await of_mission.next() for _ in range(3)]
        theirs = await of_agent.next()

    assert {event["mission_id"] for event in seen} == {mission}
    assert agent in json.dumps(theirs)


async def test_after_unsubscribing_nothing_more_comes(live: Live) -> None:
    async with reading(live) as reader:
        await reader.subscribe()
        await start(live)
        assert (await reader.next())["type"] == "mission:created"

        gone = await reader.ask(type="unsubscribe", topic="global")
        await start(live)

        assert gone["type"] == "unsubscribed"
        assert gone["topic"] == "global"
        assert await reader.is_quiet()


async def test_overlapping_topics_bring_one_copy(live: Live) -> None:
    mission = await start(live)
    async with reading(live) as reader:
        for topic in ("global", f"mission:{mission}", "global"):
            assert (await reader.subscribe(topic))["type"] == "subscribed"
        await call(live, "start_task", {"mission_id": mission, "name": "t", "goal": "g"})
        last = await start(live, "last")

        seen = []
        while not seen or seen[-1]["mission_id"] != last:
            seen.append(await reader.next())

    numbers = [event["seq"] for event in seen]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


async def test_overlapping_topics_are_replayed_once(live: Live) -> None:
    mission = await start(live)
    since = live.app.events.last - 1
    await call(live, "start_task", {"mission_id": mission, "name": "t", "goal": "g"})
    async with reading(live) as reader:
        await reader.send(type="subscribe", topic="global", since=since)
        await reader.send(type="subscribe", topic=f"mission:{mission}", since=since)
        last = await start(live, "last")
        frames = []
        while not frames or frames[-1].get("mission_id") != last:
            frames.append(await reader.next())

    numbers = [frame["seq"] for frame in frames if frame["type"] != "subscribed"]
    assert numbers == list(range(since + 1, since + 1 + len(numbers)))


async def test_what_was_missed_is_replayed_before_what_is_new(live_on_both: Live) -> None:
    live = live_on_both
    missions = [await start(live, str(number)) for number in range(5)]
    async with reading(live) as reader:
        subscribed = await reader.subscribe(since=2)
        missions.append(await start(live, "new"))

        seen = await reader.events(4)

    assert subscribed == {"type": "subscribed", "topic": "global", "seq": 5}
    assert [(event["seq"], event["mission_id"]) for event in seen] == list(enumerate(missions, start=1))[2:]


async def test_since_in_the_address_counts_for_every_topic(live: Live) -> None:
    mission = await start(live)
    since = live.app.events.last - 1
    async with reading(live, f"?since={since}") as reader:
        await reader.subscribe(f"mission:{mission}")

        assert (await reader.next())["mission_id"] == mission


async def test_a_long_absence_is_replayed_in_order_whatever_is_written_meanwhile(live: Live) -> None:
    """More than one page, and writers that go on while it is read."""
    before = live.app.events.last
    mission = await start(live)
    task = await asyncio.to_thread(live.task, mission)

    async def write(times: int) -> None:
        for _ in range(times):
            await asyncio.wrap_future(
                asyncio.run_coroutine_threadsafe(
                    live.app.gateway("log_milestone", {"task_id": task, "message": "m"}, _CALLER), live._loop
                )
            )

    await asyncio.gather(*(write(75) for _ in range(8)))
    writers = asyncio.gather(*(write(20) for _ in range(4)))
    async with reading(live) as reader:
        await reader.subscribe(since=before)
        await writers
        newest = live.app.events.last
        seen = [(await reader.next())["seq"] for _ in range(newest - before)]

    assert seen == list(range(before + 1, newest + 1))


@pytest.mark.faults
@pytest.mark.parametrize("seed", fault_cases.seeds(few=1, many=20))
async def test_readers_that_come_and_go_miss_nothing_while_sixteen_write(live_on_both: Live, seed: str) -> None:
    live = live_on_both
    mission = await start(live)
    tasks = [await asyncio.to_thread(live.task, mission, f"t{number}") for number in range(4)]
    begun = live.app.events.last
    randomness = random.Random(seed)

    async def write(number: int) -> None:
        for _ in range(12):
            arguments = {"task_id": tasks[number % 4], "message": "m"}
            if randomness.random() < 0.2:
                arguments = {"task_id": "t_0000000000", "message": "refused"}
            await asyncio.to_thread(live.post, "log_milestone", arguments)

    async def read(topic: str, finished: asyncio.Event) -> list[int]:
        seen: list[int] = []
        at = begun
        while True:
            async with reading(live) as reader:
                await reader.subscribe(topic, since=at)
                for _ in range(randomness.randint(1, 25)):
                    if finished.is_set() and at >= live.app.events.last:
                        return seen
                    try:
                        frame = json.loads(await asyncio.wait_for(reader.connection.recv(), 0.2))
                    except TimeoutError:
                        continue
                    seen.append(frame["seq"])
                    at = frame["seq"]

    finished = asyncio.Event()
    readers = [asyncio.create_task(read(topic, finished)) for topic in ("global", "global", f"mission:{mission}")]
    await asyncio.gather(*(write(number) for number in range(16)))
    finished.set()
    async with asyncio.timeout(30):
        results = await asyncio.gather(*readers)

    expected = list(range(begun + 1, live.app.events.last + 1))
    assert len(expected) > 100
    assert results == [expected] * 3


async def test_a_number_never_given_means_reset_and_then_live_events(live: Live) -> None:
    await start(live)
    newest = live.app.events.last
    async with reading(live) as reader:
        reset = await reader.subscribe(since=newest + 1)
        mission = await start(live)

        event = await reader.next()

    assert reset == {"type": "reset", "topic": "global", "oldest": 1, "seq": newest}
    assert (event["seq"], event["mission_id"]) == (newest + 1, mission)


async def test_a_number_older_than_the_oldest_kept_event_means_reset(live_on_both: Live) -> None:
    live = live_on_both
    for _ in range(3):
        await start(live)

    def forget(tx: Any) -> None:
        from sqlalchemy import text

        tx.connection.execute(text("DELETE FROM events WHERE seq <= 2"))

    await asyncio.to_thread(live.run, live.app.database.write(forget))
    async with reading(live) as reader:
        reset = await reader.subscribe(since=1)
        enough = await reader.ask(type="subscribe", topic="global", since=2)

    assert reset == {"type": "reset", "topic": "global", "oldest": 3, "seq": 3}
    assert enough["type"] == "subscribed"


BAD_FRAMES = {
    "no JSON": "hello",
    "no object": "[1]",
    "nothing": "",
    "no type": '{"topic": "global"}',
    "another type": '{"type": "publish", "topic": "global"}',
    "no topic": '{"type": "subscribe"}',
    "an unknown topic": '{"type": "subscribe", "topic": "missions"}',
    "no id": '{"type": "subscribe", "topic": "mission:"}',
    "a list as topic": '{"type": "subscribe", "topic": ["global"]}',
    "NUL in a topic": r'{"type": "subscribe", "topic": "mission:\u0000", "since": 0}',
    "half a surrogate": r'{"type": "subscribe", "topic": "mission:\ud800", "since": 0}',
    "half a surrogate as topic": r'{"type": "subscribe", "topic": "\ud800"}',
    "a negative number": '{"type": "subscribe", "topic": "global", "since": -1}',
    "a text as number": '{"type": "subscribe", "topic": "global", "since": "now"}',
    "a fraction": '{"type": "subscribe", "topic": "global", "since": 1.5}',
    "true as number": '{"type": "subscribe", "topic": "global", "since": true}',
    "NaN": '{"type": "subscribe", "topic": "global", "since": NaN}',
    "a huge number": '{"type": "subscribe", "topic": "global", "since": ' + "9" * 4_000 + "}",
    "a long topic": json.dumps({"type": "subscribe", "topic": "x" * 100_000}),
    "deep nesting": "[" * 50_000,
    "bytes": b'{"type": "subscribe", "topic": "global"}\xff',
}


async def test_a_bad_frame_is_answered_and_the_connection_goes_on(live_on_both: Live) -> None:
    live = live_on_both
    answers = {}
    async with reading(live) as reader:
        for what, frame in BAD_FRAMES.items():
            await reader.connection.send(frame)
            answers[what] = await reader.next()
        subscribed = await reader.subscribe()

    assert {what: answer for what, answer in answers.items() if answer["type"] != "error"} == {}
    for answer in answers.values():
        assert answer.keys() == {"type", "code", "message", "hint", "details"}
        assert answer["code"] == "INVALID_INPUT"
        assert answer["hint"]
        assert len(json.dumps(answer)) < 1_000
    for what in ("no JSON", "no object", "nothing", "another type", "bytes"):
        assert answers[what]["message"] == "type: must be subscribe, unsubscribe or ping"
    assert subscribed["type"] == "subscribed"


async def test_too_many_topics_are_refused(live: Live) -> None:
    async with reading(live) as reader:
        for number in range(1_000):
            await reader.send(type="subscribe", topic=f"mission:m_{number}")
        assert {(await reader.next())["type"] for _ in range(1_000)} == {"subscribed"}

        refused = await reader.subscribe("mission:m_more")
        known = await reader.subscribe("mission:m_7")

    assert (refused["type"], refused["code"]) == ("error", "INVALID_INPUT")
    assert known["type"] == "subscribed"


async def test_a_bad_since_in_the_address_is_refused_and_leaves_nothing_behind(live: Live) -> None:
    until(lambda: not live.app.events.bus._listeners)
    with pytest.raises(InvalidStatus) as caught:
        async with reading(live, "?since=yesterday"):
            pass

    assert 400 <= caught.value.response.status_code < 500
    assert live.app.events.bus._listeners == set()


async def test_the_token_may_come_as_a_subprotocol(live: Live) -> None:
    protocols = ["mission", f"mission.token.{live.token}"]
    async with reading(live, additional_headers={}, subprotocols=protocols) as reader:
        assert reader.connection.subprotocol == "mission"
        assert (await reader.subscribe())["type"] == "subscribed"


@pytest.mark.parametrize(
    "options",
    [
        {"additional_headers": {}},
        {"additional_headers": {"Authorization": "Bearer wrong"}},
        {"additional_headers": {}, "subprotocols": ["mission"]},
        {"additional_headers": {}, "subprotocols": ["mission", "mission.token.wrong"]},
    ],
)
async def test_without_the_token_there_is_no_connection(live: Live, options: Json) -> None:
    with pytest.raises(InvalidStatus) as caught:
        async with reading(live, **options):
            pass

    assert caught.value.response.status_code == 401
    assert json.loads(caught.value.response.body)["error"]["code"] == "UNAUTHENTICATED"


async def test_a_token_that_is_revoked_ends_the_connection_it_opened(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "CHECK_SECONDS", 0.05)
    agent = await asyncio.to_thread(live.call, "mcp__agent__create", {"type": "WORKER", "name": "ada"})
    async with reading(live, additional_headers={"Authorization": f"Bearer {agent['token']}"}) as reader:
        await reader.subscribe()
        await asyncio.to_thread(live.call, "token_revoke", {"agent_id": agent["id"]})
        with pytest.raises(ConnectionClosed) as closed:
            await reader.drain()

    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, "was revoked" in closed.value.rcvd.reason) == (1008, True)


async def test_a_token_in_the_address_opens_nothing(live: Live) -> None:
    with pytest.raises(InvalidStatus) as caught:
        async with reading(live, f"?token={live.token}", additional_headers={}):
            pass

    assert caught.value.response.status_code == 401


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
async def test_a_foreign_page_gets_no_connection(live: Live, origin: str) -> None:
    with pytest.raises(InvalidStatus) as caught:
        async with reading(live, origin=origin):
            pass

    assert caught.value.response.status_code == 403


async def test_a_reader_that_leaves_is_forgotten(live: Live) -> None:
    async with reading(live) as reader:
        await reader.subscribe()
        assert live.app.events.bus._listeners
    async with reading(live) as reader:
        await reader.subscribe()
        reader.connection.transport.abort()

    await asyncio.to_thread(until, lambda: not live.app.events.bus._listeners)


async def test_a_slow_reader_is_let_go_with_notice_and_holds_nobody_up(
    sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "MAX_QUEUE_LENGTH", 50)
    gate = socket.socket()
    gate.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    with serving(sqlite_settings, send_buffer=4096) as live:
        gate.connect((live.host, live.port))
        async with reading(live) as quick, reading(live, sock=gate, compression=None) as slow:
            await quick.subscribe()
            await slow.subscribe()
            slow.connection.transport.pause_reading()
            async with asyncio.timeout(30):
                while len(live.app.events.bus._listeners) > 1:
                    await asyncio.gather(*(start(live, "n" * 200) for _ in range(8)))
            newest = live.app.events.last
            seen = [(await quick.next())["seq"] for _ in range(newest)]

            slow.connection.transport.resume_reading()
            frames, closed = await everything(slow)

    assert seen == list(range(1, newest + 1))
    assert (frames[-1]["type"], frames[-1]["code"]) == ("error", "TOO_SLOW")
    assert frames[-1]["hint"]
    assert closed == 1013
    assert [frame["seq"] for frame in frames[:-1]] == list(range(1, len(frames)))


async def everything(reader: Reader) -> tuple[list[Json], int | None]:
    """All frames until the server closes, and the code it closes with."""
    frames: list[Json] = []
    try:
        while True:
            frames.append(await reader.next())
    except ConnectionClosed as closed:
        return frames, closed.rcvd.code if closed.rcvd is not None else None


async def test_events_of_another_process_arrive_in_order_among_our_own(settings: Settings) -> None:
    with serving(settings) as live:
        async with reading(live) as reader:
            await reader.subscribe()
            url = settings.database_url
            other = await asyncio.create_subprocess_exec(
                sys.executable, "-c", WRITER, str(settings.home), url, "20", stderr=asyncio.subprocess.PIPE
            )
            ours = [await start(live, f"ours {number}") for number in range(10)]
            _, problems = await other.communicate()
            assert other.returncode == 0, problems.decode()

            seen = await reader.events(30)

    assert [event["seq"] for event in seen] == list(range(1, 31))
    assert [event["mission_id"] for event in seen if event["data"]["name"].startswith("ours")] == ours
    assert sum(event["data"]["name"].startswith("theirs") for event in seen) == 20


async def test_readers_are_told_to_go_when_the_server_stops(sqlite_settings: Settings) -> None:
    with serving(sqlite_settings) as live:
        async with reading(live) as reader:
            await reader.subscribe()
            await asyncio.to_thread(live.stop)
            with pytest.raises(ConnectionClosed) as closed:
                await reader.next()

    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code in {1001, 1012}
