"""Standard input of a standalone server: lines that the SDK would silently ignore get an error, and requests
that came before the end of the input are still answered."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mission.transports.bridge.client_messages import usable_id, wrong_with
from mission.transports.bridge.line_io import LineReader, Oversized

INVALID_REQUEST = -32600
GRACE_SECONDS = 10.0
"""Seconds that calls may take after the input has ended; a client can end them sooner with a signal."""


class Answers:
    """The stream to the client, which knows the requests without an answer."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._asked: set[str | int] = set()
        self._all_answered = anyio.Event()

    def expect(self, message: types.JSONRPCMessage) -> None:
        """Record a request; one that is canceled gets no answer."""
        if isinstance(message, types.JSONRPCRequest):
            self._asked.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._settle(item.message.id)

    async def wait_for_the_last(self) -> None:
        with anyio.move_on_after(GRACE_SECONDS):
            while self._asked:
                self._all_answered = anyio.Event()
                await self._all_answered.wait()

    def _settle(self, identifier: Any) -> None:
        if isinstance(identifier, str | int):
            self._asked.discard(identifier)
        if not self._asked:
            self._all_answered.set()

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Answers:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Requests:
    """The messages on standard input, a line each; an invalid line is answered with an error."""

    answers: Answers
    """Known once the SDK has opened its streams."""

    def __init__(self, *, at_end: Callable[[], None]) -> None:
        """Create the reader; `at_end` is called when the input has ended, before waiting for the last answers."""
        self._lines = LineReader(_taken_over())
        self._at_end = at_end

    def __aiter__(self) -> Requests:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await anyio.to_thread.run_sync(lambda: next(self._lines, None), abandon_on_cancel=True)
            if line is None:
                self._at_end()
                await self.answers.wait_for_the_last()
                raise StopAsyncIteration
            if isinstance(line, bytes) and not line.strip():
                continue
            found = _read(line)
            if isinstance(found, Refusal):
                await self.answers.send(SessionMessage(found))
            else:
                assert isinstance(line, bytes)
                self.answers.expect(found)
                return line.decode()


class Refusal(types.JSONRPCError):
    """The answer to a line that is not a message."""


def _taken_over() -> int:
    """Return standard input under a new descriptor: programs that we start get an empty input."""
    ours = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return ours


def _read(line: bytes | Oversized) -> types.JSONRPCMessage | Refusal:
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
        return _error(None, -32700, "Parse error: the line is not valid JSON or is nested too deeply")
    wrong = wrong_with(message) or _half_a_character(message) or "Invalid request: not a message of JSON-RPC 2.0"
    return _error(usable_id(message), INVALID_REQUEST, wrong)


def _half_a_character(message: Any) -> str | None:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "Invalid request: contains an unpaired surrogate"
    return None


def _error(identifier: str | float | None, code: int, text: str) -> Refusal:
    known = identifier if isinstance(identifier, str | int) else None
    return Refusal(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=text))
