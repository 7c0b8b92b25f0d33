"""Standard input of a standalone server: what the SDK would pass over in silence is answered with an error."""

from __future__ import annotations

import json
import os
from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from mission.transports.messages import usable_id, wrong_with
from mission.transports.stdio import Lines, Oversized

INVALID_REQUEST = -32600


class Requests:
    """The messages on standard input, a line each; whoever sends another line is told what is wrong with it."""

    def __init__(self, answers: Any = None) -> None:
        self._lines = Lines(_taken_over())
        self.answers = answers
        """The stream to the client, known once the SDK has opened it."""

    def __aiter__(self) -> Requests:
        return self

    async def __anext__(self) -> str:
        while True:
            line = await anyio.to_thread.run_sync(lambda: next(self._lines, None), abandon_on_cancel=True)
            if line is None:
                raise StopAsyncIteration
            if isinstance(line, bytes) and not line.strip():
                continue
            found = _read(line)
            if isinstance(found, str):
                return found
            await self.answers.send(SessionMessage(found))


def _taken_over() -> int:
    """Standard input under a number of its own: programs that we start find nothing on theirs."""
    ours = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return ours


def _read(line: bytes | Oversized) -> str | types.JSONRPCError:
    """The text of a message, or the answer to a line that is none."""
    if isinstance(line, Oversized):
        return _error(line.id(), INVALID_REQUEST, "The message is larger than 10 MB")
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        return line.decode()
    except ValidationError:
        pass
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, -32700, "Parse error: the line is not JSON")
    wrong = wrong_with(message) or _half_a_character(message) or "Invalid request: not a message of JSON-RPC 2.0"
    return _error(usable_id(message), INVALID_REQUEST, wrong)


def _half_a_character(message: Any) -> str | None:
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "Invalid request: contains half of a surrogate pair, which is no character"
    return None


def _error(identifier: str | float | None, code: int, text: str) -> types.JSONRPCError:
    known = identifier if isinstance(identifier, str | int) else None
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=text))
