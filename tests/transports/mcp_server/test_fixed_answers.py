"""Answers without the SDK are those that the SDK would give, in every version of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp_types import version

from mission.app import App
from mission.transports.mcp_server import protocol
from mission.transports.mcp_server.fixed_answers import fixed_result, initialized, list_result
from mission.transports.mcp_server.server import McpServer
from mission.transports.mcp_server.standalone.sdk_session import SdkSession
from mission.transports.mcp_server.stdio_callers import StdioCallers
from mission.transports.mcp_server.tool_list import listed_tools
from tests.conftest import Front
from tests.transports.mcp_server.standalone_process import HELLO, MODERN_META, Json

LISTS = ["prompts/list", "resources/list", "resources/templates/list"]


class Sdk:
    """The SDK's own answers."""

    def __init__(self, app: App) -> None:
        self.callers = StdioCallers(toolsets="all")
        self.lines: asyncio.Queue[Any] = asyncio.Queue()
        self.answers: asyncio.Queue[bytes] = asyncio.Queue()
        self.session = SdkSession(McpServer(app.gateway, callers=self.callers).server, send=self.answers.put)

    async def ask(self, method: str, params: Json) -> Json:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.lines.put_nowait(json.dumps(request).encode())
        answer: Json = json.loads(await asyncio.wait_for(self.answers.get(), 60))
        return answer


@asynccontextmanager
async def sdk(app: App) -> AsyncIterator[Sdk]:
    made = Sdk(app)
    running = asyncio.create_task(made.session.run(made.lines, opening=None))
    yield made
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def greeting(wanted: str) -> Json:
    return {**HELLO["params"], "protocolVersion": wanted}


@pytest.mark.parametrize("wanted", [*version.HANDSHAKE_PROTOCOL_VERSIONS, "2026-07-28", "1999-01-01"])
async def test_the_handshake_is_answered_as_the_sdk_would(call: Front, wanted: str) -> None:
    async with sdk(call.app) as long:
        theirs = await long.ask("initialize", greeting(wanted))

    assert initialized(greeting(wanted)) == theirs["result"]


@pytest.mark.parametrize("wanted", version.HANDSHAKE_PROTOCOL_VERSIONS)
async def test_lists_after_a_handshake_are_those_of_the_sdk(call: Front, wanted: str) -> None:
    async with sdk(call.app) as long:
        await long.ask("initialize", greeting(wanted))
        theirs = {method: await long.ask(method, {}) for method in [*LISTS, "ping", "tools/list"]}
        tools = await listed_tools(call.app.gateway, await long.callers.caller())

    ours = {method: fixed_result(method, modern=False) for method in [*LISTS, "ping"]}
    ours["tools/list"] = list_result({"tools": tools}, modern=False)
    assert ours == {method: answer["result"] for method, answer in theirs.items()}


async def test_lists_without_a_handshake_are_those_of_the_sdk(call: Front) -> None:
    async with sdk(call.app) as long:
        theirs = {
            method: await long.ask(method, {"_meta": MODERN_META})
            for method in [*LISTS, "server/discover", "tools/list"]
        }
        tools = await listed_tools(call.app.gateway, await long.callers.caller())

    ours = {method: fixed_result(method, modern=True) for method in [*LISTS, "server/discover"]}
    ours["tools/list"] = list_result({"tools": tools}, modern=True)
    assert ours == {method: answer["result"] for method, answer in theirs.items()}


@pytest.mark.parametrize(
    ("capabilities", "ordinary"),
    [
        ({}, True),
        ({"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}}, True),
        ({"experimental": {"x": {"any": 1}}, "extensions": {"a/b": {}}}, True),
        ({"roots": {"listChanged": 5}}, False),
        ({"roots": []}, False),
        ({"sampling": {"context": True}}, False),
        ({"experimental": {"x": 1}}, False),
        ({"unknown": {}}, False),
        ([], False),
    ],
)
async def test_only_a_client_that_the_sdk_accepts_is_greeted_without_it(
    call: Front, capabilities: Any, ordinary: bool
) -> None:
    request = {**HELLO, "params": {**HELLO["params"], "capabilities": capabilities}}

    assert protocol.is_initialize(request) is ordinary
    if ordinary:
        async with sdk(call.app) as long:
            assert "result" in await long.ask("initialize", request["params"])


@pytest.mark.parametrize(
    "client", [{"name": "t"}, {"name": "t", "version": 1}, {"name": "t", "version": "1", "icons": []}, "t", None]
)
def test_a_client_that_says_more_or_less_about_itself_is_left_to_the_sdk(client: Any) -> None:
    assert not protocol.is_initialize({**HELLO, "params": {**HELLO["params"], "clientInfo": client}})


@pytest.mark.parametrize(
    "text", [b"", b"hello", b"[]", b"5", b"[" * 100_000, b'{"a": NaN}', b'{"a": "\xff"}', b'{"a": %s}' % (b"9" * 5_000)]
)
def test_a_line_that_is_not_plain_json_is_left_to_the_sdk(text: bytes) -> None:
    assert protocol.decoded(text) is None


@pytest.mark.parametrize(
    "request_",
    [
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "extra": 1},
    ],
)
def test_an_unusual_request_is_left_to_the_sdk(request_: Json) -> None:
    assert not protocol.is_request(request_)
