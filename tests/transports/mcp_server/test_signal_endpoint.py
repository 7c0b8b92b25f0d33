"""open-mission-mcp: an execution's own endpoint, its token, its tools, and what is turned away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from mission.app import App
from mission.domain.executions.signals import KINDS, Delivery
from mission.serve import http_server
from mission.services.executions.creation import CreatedExecution
from mission.settings import Settings
from tests.conftest import Front
from tests.fake_executions import FakeExecutions
from tests.transports.live_server import Answer, Json, Live

MODERN, HANDSHAKE = "2026-07-28", "legacy"


@pytest.fixture(scope="module")
def fake_executions(live: Live) -> FakeExecutions:
    return FakeExecutions(live.app, Front(live.app))


@pytest.fixture
def created(live: Live, fake_executions: FakeExecutions) -> CreatedExecution:
    return live.run(fake_executions.launch())


@asynccontextmanager
async def agent(live: Live, created: CreatedExecution, *, mode: str = MODERN) -> AsyncIterator[Client]:
    """The MCP client of a launched agent."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {created.token}"}, timeout=60) as http:
        transport = streamable_http_client(f"{live.url}/mcp/executions/{created.execution.id}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def post(live: Live, execution_id: str, token: str | None, tool: str, arguments: Json) -> Answer:
    """One bare call, as a program without an SDK makes it."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
        "Authorization": f"Bearer {token}" if token else None,
    }
    return live.request("POST", f"/mcp/executions/{execution_id}", json.dumps(body).encode(), headers=headers)


def ack_of(answer: Answer) -> Json:
    result = answer.json["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["isError"] == (result["structuredContent"]["status"] == "rejected")
    found: Json = result["structuredContent"]
    return found


@pytest.mark.parametrize("mode", [MODERN, HANDSHAKE])
async def test_an_agent_of_either_era_finds_its_signals_and_is_acknowledged(
    live: Live, created: CreatedExecution, mode: str
) -> None:
    async with agent(live, created, mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await client.call_tool("progress", {"eventId": f"{mode}-1", "summary": "Reading"})
        again = await client.call_tool("progress", {"eventId": f"{mode}-1", "summary": "Reading"})

    assert list(tools) == list(KINDS)
    assert all(tool.annotations is not None and tool.annotations.open_world_hint is False for tool in tools.values())
    assert not any(key in tool.input_schema for tool in tools.values() for key in ("anyOf", "oneOf", "allOf"))
    schema = tools["progress"].output_schema
    assert schema is not None
    for answer in (result, again):
        Draft202012Validator(schema).validate(answer.structured_content)
    assert result.structured_content["status"] == "promoted"
    assert (again.structured_content["status"], again.is_error) == ("duplicate", False)


def test_a_signal_that_was_checked_is_recorded_with_its_audit_and_its_event(
    live: Live, created: CreatedExecution
) -> None:
    id = created.execution.id
    seq = live.run(live.app.database.read(lambda tx: tx.events.newest()))

    ack = ack_of(post(live, id, created.token, "completed_claim", {"eventId": "c1", "summary": "Done"}))

    assert ack == {
        "status": "recorded-only",
        "agentExecutionId": id,
        "eventId": "c1",
        "observationId": ack["observationId"],
    }
    events = live.get(f"/api/events?since={seq}&limit=100").json["events"]
    types = [event["type"] for event in events if event["mission_id"] == created.execution.mission_id]
    assert types == ["observation:created", "execution:updated", "task:updated", "workflow:updated"]
    [entry] = live.call("audit_list", {"tool": "signal:completed_claim", "agent_id": created.agent.id})["entries"]
    assert (entry["transport"], entry["status"], entry["task_id"]) == ("mcp-tool", "ok", created.task.id)


def test_whatever_is_no_signal_of_this_execution_is_turned_away_with_a_reason(
    live: Live, fake_executions: FakeExecutions, created: CreatedExecution
) -> None:
    other = live.run(fake_executions.launch())
    silent = live.run(fake_executions.launch(delivery=Delivery.STDOUT_MARKER))
    stopped = live.run(fake_executions.launch())
    live.run(fake_executions.end(stopped.execution.id, "stopped"))
    id, token = created.execution.id, created.token
    fine = {"eventId": "e1", "summary": "x"}

    doors: list[tuple[str, str | None, int, str]] = [
        (id, None, 401, "no token"),
        (id, "wrong", 401, "not valid"),
        (id, live.token, 401, "not valid"),
        (id, other.token, 403, "does not belong to"),
        ("x_0000000000", token, 404, "no execution"),
        (silent.execution.id, token, 403, "does not belong to"),
        (silent.execution.id, "wrong", 401, "stdout-marker"),
    ]
    for execution_id, shown, status, reason in doors:
        answer = post(live, execution_id, shown, "progress", fine)
        assert (answer.status, reason in answer.error["message"]) == (status, True), answer.body

    calls: list[tuple[CreatedExecution, str, Json, str]] = [
        (stopped, "progress", fine, "has ended (stopped)"),
        (created, "progress", {**fine, "agentExecutionId": other.execution.id}, "mismatched"),
        (created, "complete_task", fine, "unsupported"),
        (created, "progress", {"summary": "x"}, "eventId: is required"),
        (created, "progress", {**fine, "eventId": 7}, "eventId: must be text"),
        (created, "progress", {"eventId": "e1"}, "summary: is required"),
        (created, "progress", {"eventId": "e1", "sumary": "x"}, "did you mean 'summary'"),
        (created, "progress", {"eventId": "e1", "summary": "x" * 2_001}, "limit 2,000"),
        (created, "progress", {"eventId": "e1", "summary": "x", "more": "y" * 16_384}, "too large"),
        (created, "needs_input", {"eventId": "e1", "question": "?", "choices": [{}] * 7}, "limit 6"),
        (created, "needs_input", {"eventId": "e1", "question": "?", "choices": [{"kind": "fixed"}]}, "label"),
        (created, "message", {"eventId": "e1", "channel": "radio", "text": "x"}, "agent, system, stdout, stderr"),
    ]
    for execution, tool, arguments, reason in calls:
        ack = ack_of(post(live, execution.execution.id, execution.token, tool, arguments))
        assert (ack["status"], reason in ack["reason"]) == ("rejected", True), ack

    assert live.call("execution_observations", {"execution_id": id})["observations"] == []


async def test_only_what_its_own_descriptor_allows_is_a_tool(live: Live, created: CreatedExecution) -> None:
    kept = {"progress": ["mcp-tool", "stdout-marker"], "message": ["stdout-marker"]}
    signals = [
        {**signal, "deliveries": kept[signal["type"]]}
        for signal in created.execution.protocol["signals"]
        if signal["type"] in kept
    ]
    smaller = replace(created.execution, protocol={**created.execution.protocol, "signals": signals})
    live.run(live.app.database.write(lambda tx: tx.executions.save(smaller)))

    async with agent(live, created) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        refused = await client.call_tool("message", {"eventId": "m1", "channel": "agent", "text": "x"})

    assert tools == ["progress"]
    assert (
        refused.structured_content["reason"] == "'message' is unsupported: the signals of this execution are: progress"
    )


async def test_access_ends_with_the_execution(
    live: Live, fake_executions: FakeExecutions, created: CreatedExecution
) -> None:
    async with agent(live, created) as client:
        await client.list_tools()
        live.run(fake_executions.end(created.execution.id))
        with pytest.raises(MCPError, match="has ended"):
            await client.list_tools()


async def test_the_server_opens_after_what_holds_the_executions_and_closes_before_it(
    sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App(sqlite_settings, role="a test")
    asgi: Any = http_server(app, token="t").app
    seen: list[tuple[str, int]] = []

    async def status() -> int:
        """How a signal without a token is answered just now."""
        sent: asyncio.Queue[Json] = asyncio.Queue()
        headers = [(b"host", b"localhost")]
        scope = {"type": "http", "method": "POST", "path": "/mcp/executions/x_1", "headers": headers}
        await asgi(scope, _nothing, sent.put)
        return int((await sent.get())["status"])

    def watched(name: str) -> None:
        original = getattr(app.launcher, name)

        async def step() -> None:
            seen.append((name, await status()))
            await original()

        monkeypatch.setattr(app.launcher, name, step)

    watched("open")
    watched("close")
    said: asyncio.Queue[Json] = asyncio.Queue()
    heard: asyncio.Queue[Json] = asyncio.Queue()
    life = asyncio.create_task(asgi({"type": "lifespan"}, said.get, heard.put))
    await said.put({"type": "lifespan.startup"})
    assert (await heard.get())["type"] == "lifespan.startup.complete"
    seen.append(("served", await status()))
    await said.put({"type": "lifespan.shutdown"})
    await life

    assert seen == [("open", 503), ("served", 401), ("close", 503)]


async def _nothing() -> Json:
    return {"type": "http.request", "body": b"", "more_body": False}


def test_arguments_that_a_client_adds_of_its_own_are_ignored(live: Live, created: CreatedExecution) -> None:
    arguments: Any = {"eventId": "e1", "summary": "x", "wait_for_previous": True}

    ack = ack_of(post(live, created.execution.id, created.token, "progress", arguments))

    assert ack["status"] == "promoted"
