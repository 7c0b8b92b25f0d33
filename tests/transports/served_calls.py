"""Calls over a real socket: the tools of the page and the command line over REST, those of agents over MCP."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from unittest.mock import patch

import uvicorn

from mission.app import App
from mission.domain.errors import MissionError
from mission.home import operator_token
from mission.serve import http_server
from tests.conftest import Front

OVER_REST = ("control", "page")
MCP_VERSION = "2025-06-18"


class ServedFront(Front):
    """Calls tools of a running application as programs do, over HTTP."""

    def __init__(self, app: App, *, port: int) -> None:
        super().__init__(app)
        self._port = port
        self._token = operator_token(app.settings)

    async def __call__(self, tool: str, arguments: Any = None, **caller: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        for header, value in (
            ("Mission-Agent", caller.pop("agent", None)),
            ("Mission-Directory", caller.pop("directory", self.directory)),
            ("Idempotency-Key", caller.pop("key", None)),
        ):
            if value is not None:
                headers[header] = value
        assert not caller, f"not sent over HTTP: {caller}"
        given = {} if arguments is None else arguments
        known = self.app.gateway.registry.get(tool)
        if known is not None and known.toolset in OVER_REST:
            return await self._over_rest(tool, given, headers)
        return await self._over_mcp(tool, given, headers)

    async def _over_rest(self, tool: str, arguments: Any, headers: dict[str, str]) -> dict[str, Any]:
        status, answer = await self._post(f"/api/tools/{tool}", arguments, headers)
        if status == 200:
            return dict(answer)
        error = _error(answer["error"])
        assert error.http_status == status
        raise error

    async def _over_mcp(self, tool: str, arguments: Any, headers: dict[str, str]) -> dict[str, Any]:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        accepted = {"Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": MCP_VERSION}
        status, answer = await self._post("/mcp", asked, headers | accepted)
        assert status == 200, answer
        result = answer["result"]
        if result["isError"]:
            raise _error(json.loads(result["content"][0]["text"])["error"])
        return dict(result["structuredContent"])

    async def _post(self, path: str, content: Any, headers: dict[str, str]) -> tuple[int, Any]:
        """Send one request on a connection of its own; a caller that is cancelled hangs up."""
        body = json.dumps(content).encode()
        sent = {"Host": f"127.0.0.1:{self._port}", "Connection": "close", "Content-Length": str(len(body)), **headers}
        lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=2**26)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            answer = await reader.read(-1)
        finally:
            writer.close()
        head, _, found = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(found)


@asynccontextmanager
async def served(app: App) -> AsyncIterator[ServedFront]:
    """Serve an application that is running already, as a daemon does."""
    with socket.create_server(("127.0.0.1", 0)) as listener, patch.object(app, "running", _running):
        config = http_server(app, token=operator_token(app.settings))
        config.load()
        server = uvicorn.Server(config)
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listener])
        try:
            yield ServedFront(app, port=listener.getsockname()[1])
        finally:
            await server.shutdown(sockets=[listener])


def _running(*, periodic: bool) -> AbstractAsyncContextManager[None]:
    """Open nothing: the test has opened the application."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[None]:
        yield

    return opened()


def _error(answer: dict[str, Any]) -> MissionError:
    """Return the error that an answer describes."""
    kind = next((each for each in _kinds(MissionError) if each.code == answer["code"]), MissionError)
    error = kind.__new__(kind)
    error.message, error.details, error.action = answer["message"], answer["details"], None
    error._advice, error.args = answer["hint"], (answer["message"],)
    return error


def _kinds(kind: type[MissionError]) -> Iterator[type[MissionError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)
