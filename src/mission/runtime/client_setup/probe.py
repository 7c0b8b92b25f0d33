"""Starting an MCP server once, as a client would, to see that it runs and which tools it has."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from mission import __version__
from mission.domain.errors import InvalidState
from mission.runtime.adapters.config_adapter import Command

PROTOCOL = "2025-06-18"
_LONGEST_LINE = 16 * 1024 * 1024
_STDERR_LINES = 12


async def list_tools(command: Command, *, directory: Path, timeout: float = 30.0) -> list[str]:
    """The names of the server's tools; an error with the server's own words when it has none to give."""
    try:
        process = await asyncio.create_subprocess_exec(
            command.program,
            *command.arguments,
            cwd=directory,
            env={**os.environ, **command.environment},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE,
        )
    except OSError as error:
        raise InvalidState(f"{command.program} cannot be started: {error.strerror}") from None
    assert process.stderr is not None
    said = asyncio.create_task(_tail(process.stderr))
    try:
        async with asyncio.timeout(timeout):
            return await _converse(process)
    except (TimeoutError, EOFError, OSError, ValueError) as error:
        await _end(process)
        words = await said
        raise InvalidState(
            f"'{command.line()}' {_reason(error, timeout, process.returncode)}"
            + (f"; it said:\n{words}" if words else ""),
            hint="Run that command by hand to see what is wrong; 'mission doctor' checks the rest.",
        ) from None
    finally:
        await _end(process)
        await said


async def _converse(process: asyncio.subprocess.Process) -> list[str]:
    client = {"name": "mission-setup", "version": __version__}
    await _ask(process, 1, "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
    await _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    names: list[str] = []
    cursor: dict[str, Any] = {}
    for number in range(2, 100):
        answer = await _ask(process, number, "tools/list", cursor)
        names += [tool["name"] for tool in answer.get("tools", [])]
        if not answer.get("nextCursor"):
            break
        cursor = {"cursor": answer["nextCursor"]}
    return names


async def _ask(
    process: asyncio.subprocess.Process, number: int, method: str, parameters: dict[str, Any]
) -> dict[str, Any]:
    await _send(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
    assert process.stdout is not None
    while line := await process.stdout.readline():
        message = json.loads(line)
        if not isinstance(message, dict):
            raise ValueError("answered with something that is not JSON-RPC")
        if message.get("id") == number and "error" in message:
            raise ValueError(f"refused {method}: {message['error'].get('message')}")
        if message.get("id") == number and "result" in message:
            result: dict[str, Any] = message["result"]
            return result
    raise EOFError


async def _send(process: asyncio.subprocess.Process, message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()


async def _tail(stream: asyncio.StreamReader) -> str:
    """The last lines of the stream, which is read to its end so that its writer never waits."""
    kept = b""
    while data := await stream.read(65536):
        kept = (kept + data)[-16384:]
    return "\n".join(kept.decode("utf-8", "replace").strip().splitlines()[-_STDERR_LINES:])


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close its input, which ends a good server; then ask, then force."""
    assert process.stdin is not None
    process.stdin.close()
    for sign in (None, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            if sign is not None:
                process.send_signal(sign)
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                await process.wait()
                return


def _reason(error: BaseException, timeout: float, code: int | None) -> str:
    if isinstance(error, TimeoutError):
        return f"did not list its tools within {timeout:g} seconds"
    if isinstance(error, json.JSONDecodeError):
        return "wrote something to its output that is not JSON"
    if isinstance(error, ValueError):
        return str(error)
    return f"ended before it listed its tools (exit code {code})"
