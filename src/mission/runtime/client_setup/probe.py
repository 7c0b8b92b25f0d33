"""Starts an MCP server once, as a client would, to see that it runs and which tools it has."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from mission import __version__
from mission.domain.errors import InvalidState
from mission.runtime.adapters.config_adapter import Command

if TYPE_CHECKING:
    from mcp import ClientSession

_STDERR_LINES = 12


async def list_tools(command: Command, *, directory: Path, timeout: float = 30.0) -> list[str]:
    """Return the names of the server's tools; raise an error with the server's output if it lists none."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
        try:
            async with asyncio.timeout(timeout):
                found = await _ask(command, directory, stderr)
        except OSError as error:
            if not isinstance(error, TimeoutError):
                raise InvalidState(f"Could not start {command.program}: {error.strerror}") from None
            found = f"did not list its tools within {timeout:g} seconds"
        if isinstance(found, list):
            return found
        stderr.seek(0)
        words = _tail(stderr)
    raise InvalidState(
        f"'{command.line()}' {found}" + (f". Its output:\n{words}" if words else ""),
        hint="Run this command yourself to see what is wrong; 'mission doctor' checks the rest.",
    )


async def _ask(command: Command, directory: Path, stderr: TextIO) -> list[str] | str:
    """Return the tools or a description of the failure; the SDK's task groups would wrap an exception in groups."""
    from mcp import ClientSession, MCPError, StdioServerParameters, stdio_client  # deferred: it takes a second
    from mcp_types import CONNECTION_CLOSED, Implementation
    from pydantic import ValidationError

    logging.getLogger("mcp.client.stdio").setLevel(logging.CRITICAL)  # it would print a traceback for each invalid line
    odd: list[Exception] = []

    async def note(message: object) -> None:
        odd.extend([message] if isinstance(message, Exception) else [])

    server = StdioServerParameters(
        command=command.program,
        args=list(command.arguments),
        env={**os.environ, **command.environment},
        cwd=directory,
    )
    client = Implementation(name="mission-setup", version=__version__)
    async with (
        stdio_client(server, errlog=stderr) as (reading, writing),
        ClientSession(reading, writing, client_info=client, message_handler=note) as session,
    ):
        try:
            await session.initialize()
            return await _pages(session)
        except MCPError as error:
            if error.code != CONNECTION_CLOSED:
                return f"refused to list its tools: {error.message}"
        except (ValidationError, RuntimeError) as error:
            odd.append(error)
    return "wrote output that is not MCP" if odd else "ended before it listed its tools"


async def _pages(session: ClientSession) -> list[str]:
    from mcp_types import PaginatedRequestParams

    page = await session.list_tools()
    names = [tool.name for tool in page.tools]
    while page.next_cursor:
        page = await session.list_tools(params=PaginatedRequestParams(cursor=page.next_cursor))
        names += [tool.name for tool in page.tools]
    return names


def _tail(lines: Iterable[str]) -> str:
    """Return the last lines without holding the others in memory."""
    return "".join(deque(lines, maxlen=_STDERR_LINES)).strip()
