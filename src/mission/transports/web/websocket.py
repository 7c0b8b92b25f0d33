"""Live events over a WebSocket: subscribe to topics and resume from a number, without gaps or repeats."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from mission.domain.errors import InvalidInput, MissionError, Unauthenticated
from mission.events.bus import Listener, Published, Topic
from mission.events.log import EventLog, EventPage

SUBPROTOCOL = "mission"
TOO_SLOW = 1013
NOT_ALLOWED = 1008
CHECK_SECONDS = 5.0
NOTICE_SECONDS = 30.0
"""How long a reader that fell behind may take to read the notice."""
MAX_TOPICS = 1_000
Check = Callable[[], Awaitable[Any]]


class LiveEvents:
    """One connected reader."""

    def __init__(
        self, socket: WebSocket, log: EventLog, *, reader: str | None = None, check: Check | None = None
    ) -> None:
        """Serve the agent `reader`, or the operator; `check` raises once the access token is no longer valid."""
        self._default_since = _number(socket.query_params.get("since"), field="since")
        self._socket = socket
        self._log = log
        self._reader = reader
        self._check = check
        self._listener = Listener()
        self._requests: asyncio.Queue[dict[str, Any]] = asyncio.Queue(maxsize=100)
        self._topics: set[str] = set()

    async def run(self) -> None:
        offered = self._socket.scope.get("subprotocols", [])
        await self._socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
        self._log.bus.join(self._listener)
        steps = [self._receive, self._send, self._listener.overflowed.wait, *([self._guard] if self._check else [])]
        tasks = [asyncio.create_task(step()) for step in steps]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._log.bus.leave(self._listener)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if tasks[2] in done:
            await self._disconnect_slow()
        for task in done:
            error = task.exception()
            if error is not None and not isinstance(error, WebSocketDisconnect | RuntimeError):
                raise error

    async def _guard(self) -> None:
        """End the connection of an agent whose token was revoked or has expired."""
        assert self._check is not None
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await self._check()
            except Unauthenticated as error:
                await self._socket.close(NOT_ALLOWED, error.message[:120])
                return

    async def _receive(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                request = json.loads(message.get("text") or message["bytes"])
            except (KeyError, ValueError, RecursionError):
                request = None
            await self._requests.put(request if isinstance(request, dict) else {})
            self._listener.wake.set()

    async def _send(self) -> None:
        """Send everything: answers in the order of the requests, and live events in between."""
        while True:
            await self._listener.wake.wait()
            self._listener.wake.clear()
            while not self._requests.empty():
                await self._answer(self._requests.get_nowait())
            for published in self._listener.take():
                await self._socket.send_text(published.text)

    async def _answer(self, request: dict[str, Any]) -> None:
        try:
            kind = request.get("type")
            if kind == "ping":  # a client that slept checks the connection
                await self._say({"type": "pong", "seq": self._log.last})
                return
            if kind not in ("subscribe", "unsubscribe"):
                raise InvalidInput("type: must be subscribe, unsubscribe or ping", hint=_EXAMPLE, field="type")
            topic = _topic(request, reader=self._reader)
            if kind == "subscribe":
                await self._subscribe(topic, since=_number(request.get("since"), field="since"))
            else:
                self._topics.discard(topic.name)
                self._listener.unfollow(topic.name)
                await self._say({"type": "unsubscribed", "topic": topic.name, "seq": self._log.last})
        except MissionError as error:
            await self._say({"type": "error", **error.as_dict()})

    async def _subscribe(self, topic: Topic, *, since: int | None) -> None:
        since = since if since is not None else self._default_since
        if topic.name not in self._topics and len(self._topics) >= MAX_TOPICS:
            raise InvalidInput(f"at most {MAX_TOPICS} topics on one connection", hint="Subscribe to 'global' instead.")
        if since is None:
            self._start(topic, since=self._log.last, live_from=self._log.last)
            await self._say({"type": "subscribed", "topic": topic.name, "seq": self._log.last})
            return
        page = await self._log.read(topic, since=since)
        if not page.reaches(since):
            seq = max(page.newest, self._log.last)
            self._start(topic, since=seq, live_from=seq)
            await self._say({"type": "reset", "topic": topic.name, "oldest": page.oldest, "seq": seq})
            return
        await self._say({"type": "subscribed", "topic": topic.name, "seq": max(page.newest, self._log.last)})
        live_from = await self._replay(topic, page)
        self._start(topic, since=since, live_from=live_from)

    async def _replay(self, topic: Topic, page: EventPage) -> int:
        """Send what the reader missed; return the number after which live events follow."""
        while True:
            for event in page.events:
                if not self._listener.covers(event, except_topic=topic.name):
                    await self._socket.send_text(Published(event).text)
            if page.complete and self._log.last <= page.newest:
                return page.newest
            page = await self._log.read(topic, since=page.newest)

    def _start(self, topic: Topic, *, since: int, live_from: int) -> None:
        self._topics.add(topic.name)
        self._listener.follow(topic, covered_from=since, live_from=live_from)

    async def _say(self, frame: dict[str, Any]) -> None:
        """Send an answer in ASCII: an error may quote characters that cannot be encoded."""
        await self._socket.send_text(json.dumps(frame, separators=(",", ":")))

    async def _disconnect_slow(self) -> None:
        """Disconnect a reader that fell behind, with a notice if it still reads; it can connect again and resume."""
        notice = {
            "type": "error",
            "code": "TOO_SLOW",
            "message": "too many events are pending on this connection",
            "hint": "Connect again with since set to the last number you saw.",
        }
        with contextlib.suppress(TimeoutError, RuntimeError, WebSocketDisconnect):
            async with asyncio.timeout(NOTICE_SECONDS):
                await self._say(notice)
                if self._socket.application_state is WebSocketState.CONNECTED:
                    await self._socket.close(TOO_SLOW, "too slow: connect again with since")


_EXAMPLE = 'Send {"type": "subscribe", "topic": "global"}.'


def _topic(request: dict[str, Any], *, reader: str | None) -> Topic:
    name = request.get("topic")
    if not isinstance(name, str):
        raise InvalidInput("topic: is required", hint=_EXAMPLE, field="topic")
    return Topic(name, reader=reader)


def _number(value: Any, *, field: str) -> int | None:
    if value is None:
        return None
    try:
        number = int(value) if not isinstance(value, bool | float) else -1
    except (TypeError, ValueError):
        number = -1
    if not 0 <= number < 2**63:
        raise InvalidInput(f"{field}: must be an event's number", hint="Give the seq of the last event.", field=field)
    return number
