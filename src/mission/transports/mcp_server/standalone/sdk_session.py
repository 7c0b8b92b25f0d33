"""The SDK behind a standalone server, for messages that need more of the protocol than an answer.

Importing this module imports the SDK, so the server does it only when such a message comes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mission.transports.bridge.client_messages import usable_id, wrong_with
from mission.transports.bridge.line_io import Oversized

INVALID_REQUEST = -32600
PARSE_ERROR = -32700
OPENING = "mission-opening"
"""The id under which the SDK gets a request that was already answered."""
Send = Callable[[bytes], Awaitable[None]]
Lines = asyncio.Queue[bytes | Oversized]


class SdkSession:
    """One session of the SDK's server."""

    def __init__(self, server: Server[Any], *, send: Send) -> None:
        self._server = server
        self._send = send
        self._answers = Answers(send)

    async def run(self, lines: Lines, *, opening: bytes | None) -> None:
        """Serve the lines, in their order. `opening` comes before the first one, and its answer is not sent."""
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        options = self._server.create_initialization_options()
        async with anyio.create_task_group() as group, incoming:
            group.start_soon(self._server.run, read, self._answers, options)
            if opening is not None:
                for message in _opened(opening):
                    await self._pass(message, incoming)
            while True:
                line = await lines.get()
                found = _read(line)
                await (self._send(found) if isinstance(found, bytes) else self._pass(found, incoming))
                lines.task_done()

    async def wait_for_answers(self) -> None:
        await self._answers.wait_for_the_last()

    async def _pass(self, message: types.JSONRPCMessage, incoming: Any) -> None:
        self._answers.expect(message)
        await incoming.send(SessionMessage(message))


class Answers:
    """The stream from the SDK to the client, which knows the requests without an answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._asked: set[str | int] = set()
        self._all_answered = asyncio.Event()
        self._all_answered.set()

    def expect(self, message: types.JSONRPCMessage) -> None:
        """Record a request; one that is canceled gets no answer."""
        if isinstance(message, types.JSONRPCRequest):
            self._asked.add(message.id)
            self._all_answered.clear()
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    async def send(self, item: SessionMessage) -> None:
        message = item.message
        answers = message.id if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) else None
        if answers != OPENING:
            await self._send(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        if answers is not None:
            self._settle(answers)

    async def wait_for_the_last(self) -> None:
        await self._all_answered.wait()

    def _settle(self, identifier: Any) -> None:
        if isinstance(identifier, str | int):
            self._asked.discard(identifier)
        if not self._asked:
            self._all_answered.set()

    async def aclose(self) -> None:
        """Leave the client's stream open: others write to it too."""

    async def __aenter__(self) -> Answers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _opened(opening: bytes) -> list[types.JSONRPCMessage]:
    """Return the messages that show the SDK which version the client speaks."""
    message = types.jsonrpc_message_adapter.validate_json(opening, by_name=False)
    assert isinstance(message, types.JSONRPCRequest)
    first = message.model_copy(update={"id": OPENING})
    if message.method != "initialize":
        return [first]
    return [first, types.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")]


def _read(line: bytes | Oversized) -> types.JSONRPCMessage | bytes:
    """Return the message, or the answer to a line that is not one."""
    if isinstance(line, Oversized):
        return _error(line.id(), INVALID_REQUEST, "The message is larger than 10 MB")
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        pass
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "Parse error: the line is not valid JSON or is nested too deeply")
    wrong = wrong_with(message) or _half_a_character(message) or "Invalid request: not a message of JSON-RPC 2.0"
    return _error(usable_id(message), INVALID_REQUEST, wrong)


def _half_a_character(message: Any) -> str | None:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "Invalid request: contains an unpaired surrogate"
    return None


def _error(identifier: str | float | None, code: int, text: str) -> bytes:
    known = identifier if isinstance(identifier, str | int) else None
    return json.dumps({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": text}}).encode()
