"""MCP as its clients speak it: the SDK's own client, over HTTP and over stdio, in every era."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
import pytest
from jsonschema import Draft202012Validator
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import version

from mission.app import App
from mission.settings import Settings
from mission.transports.mcp_server import protocol
from tests.conftest import Front
from tests.transports.live_server import Answer, Json, Live, shows_nothing_of_the_server

MODERN = "2026-07-28"
ERAS = ["2025-06-18", "2025-11-25", MODERN]
SECTIONS = ["phase_summary", "tasks", "decisions", "milestones", "blockers"]


@pytest.fixture
def home(tmp_path: Path, _sqlite_template: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / "mission.db").write_bytes(_sqlite_template.read_bytes())
    return home


@asynccontextmanager
async def over_http(live: Live, query: str = "", *, mode: str = MODERN, **headers: str) -> AsyncIterator[Client]:
    sent = {**live.bearer(), **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with httpx2.AsyncClient(headers=sent, timeout=60) as http:
        transport = streamable_http_client(f"{live.url}/mcp{query}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def over_stdio(
    home: Path, *arguments: str, mode: str = MODERN, folder: Path | None = None
) -> AsyncIterator[Client]:
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "mission", "mcp", "--standalone", *arguments],
        env={**os.environ, "MISSION_HOME": str(home)},
        cwd=folder or home,
    )
    async with Client(parameters, mode=mode) as client:
        yield client


@asynccontextmanager
async def at_home(home: Path) -> AsyncIterator[Front]:
    """The operator's calls on the same database, from this process."""
    app = App(Settings(home=home), role="a test")
    async with app.running(periodic=False):
        yield Front(app)


def rpc(live: Live, method: str, params: Json | None = None, *, era: str = "2025-06-18", **headers: str) -> Answer:
    """One bare JSON-RPC request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    return raw(live, json.dumps(body).encode(), era=era, **headers)


def raw(live: Live, body: bytes, *, era: str = "2025-06-18", **headers: str) -> Answer:
    sent = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": era,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return live.request("POST", "/mcp", body, headers=sent)


async def call(client: Client, tool: str, arguments: Json | None = None, **options: Any) -> Json:
    """The result of a call that must succeed, after what every result must fulfil."""
    result = await client.call_tool(tool, arguments or {}, **options)
    assert not result.is_error, result.content
    assert len(result.content) == 1
    assert isinstance(result.content[0], types.TextContent)
    assert json.loads(result.content[0].text) == result.structured_content
    found: Json = result.structured_content
    return found


async def refusal(client: Client, tool: str, arguments: Json | None = None) -> Json:
    """The error object of a call that must fail."""
    result = await client.call_tool(tool, arguments or {})
    assert result.is_error
    assert isinstance(result.content[0], types.TextContent)
    error: Json = json.loads(result.content[0].text)["error"]
    assert error.keys() == {"code", "message", "hint", "details"}
    return error


async def whole_mission(client: Client, repository: Path) -> None:
    """A mission from start to end through all tools; each result fits its schema."""
    schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}

    async def do(tool: str, **arguments: Any) -> Json:
        result = await call(client, tool, arguments)
        schema = schemas[tool]
        assert schema is not None
        Draft202012Validator(schema).validate(result)
        return result

    mission = (await do("start_mission", name="All", objective="o", repository_path=str(repository)))["mission_id"]
    await do("start_phase", workflow_id=mission, number=1, name="One")
    task = (await do("start_task", mission_id=mission, name="t", goal="g", areas=["src"]))["task_id"]
    (repository / "src" / "new.py").write_text("x = 1\n")
    (repository / "README.md").unlink()
    await do("log_decision", task_id=task, category="other", question="q", chosen="c", reasoning="r")
    await do("log_issue", task_id=task, type="other", description="d", resolution="r")
    await do("log_milestone", task_id=task, message="m")
    await do("task_checks", task_id=task, run=True)
    done = await do(
        "complete_task", task_id=task, status="success", outcome={"summary": "s"}, metadata={"tests_status": "passed"}
    )
    assert done["files_changed"]["added"] == ["src/new.py"]
    assert done["files_changed"]["deleted"] == ["README.md"]
    await do("get_context", mission_id=mission, include=SECTIONS)
    phase = (await do("get_context", mission_id=mission, include=["phase_summary"]))["phase_summary"][0]["phase_id"]
    await do("complete_phase", phase_id=phase, status="completed", summary="s")
    await do("complete_mission", mission_id=mission, status="completed", summary="s")
    workflow = (await do("start_workflow", name="w", objective="o"))["workflow_id"]
    await do("complete_workflow", workflow_id=workflow, status="failed", summary="s")


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_a_whole_mission_over_http(live: Live, repository: Path, mode: str) -> None:
    async with over_http(live, mode=mode) as client:
        await whole_mission(client, repository)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_whole_mission_over_stdio_without_a_daemon(home: Path, repository: Path, mode: str) -> None:
    steps: list[str | None] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with over_stdio(home, mode=mode, folder=repository) as client:
        assert "complete_task" in (client.instructions or "")
        await whole_mission(client, repository)
        await call(client, "start_mission", {"name": "m", "objective": "o"})
        started = await call(client, "start_task", {"name": "t", "goal": "g"}, progress_callback=progress)

    assert started["snapshot_type"] == "git", "the client's folder is the tree of its tasks"
    assert steps == ["Reading 1 changed or new file"]


@pytest.mark.parametrize("era", ERAS[:2])
def test_each_handshake_era_is_spoken(live: Live, era: str) -> None:
    hello = {"protocolVersion": era, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}

    answer = rpc(live, "initialize", hello, era=era).json["result"]

    assert answer["protocolVersion"] == era
    assert answer["serverInfo"]["name"] == "mission"
    assert "start_task BEFORE touching files" in answer["instructions"]
    assert {"tools", "prompts", "resources"} <= answer["capabilities"].keys()
    listed = rpc(live, "tools/list", era=era).json["result"]["tools"]
    assert len(listed) == 13


async def test_the_stateless_era_is_discovered_with_instructions(live: Live) -> None:
    async with over_http(live, mode="auto") as client:
        assert client.protocol_version == MODERN
        assert client.instructions is not None
        assert "start_task BEFORE touching files" in client.instructions


async def test_the_default_toolset_is_the_mission_protocol(live: Live) -> None:
    async with over_http(live) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}

    assert names == {
        "start_mission",
        "complete_mission",
        "start_workflow",
        "complete_workflow",
        "get_context",
        "start_phase",
        "complete_phase",
        "start_task",
        "complete_task",
        "task_checks",
        "log_decision",
        "log_issue",
        "log_milestone",
    }


async def test_every_tool_is_listed_as_clients_need_it(live: Live) -> None:
    async with over_http(live, "?toolsets=all") as client:
        tools = (await client.list_tools()).tools

    assert len(tools) > 20
    for tool in tools:
        assert len(tool.name) <= 40
        assert tool.description
        assert tool.annotations is not None
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint)
        assert hints.open_world_hint is False
        assert tool.input_schema["type"] == "object"
        assert not tool.input_schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "not", "if"}
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert '"title": "' not in json.dumps(tool.output_schema)


async def test_toolsets_choose_what_is_listed_but_not_what_may_be_called(live: Live) -> None:
    async with over_http(live, "?toolsets=agents") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        found = await call(client, "workflow_list")

    assert "agent_register" in names
    assert "start_mission" not in names
    assert "workflows" in found


async def test_an_unknown_toolset_is_an_error_that_names_the_known_ones(live: Live) -> None:
    async with over_http(live, "?toolsets=nonsense") as client:
        with pytest.raises(MCPError, match="nonsense") as caught:
            await client.list_tools()

    assert "mission, workflow" in caught.value.error.data["hint"]


async def test_a_worker_sees_and_calls_only_what_it_is_permitted(live: Live) -> None:
    agent = live.call("agent_register", {"name": "bob", "runtime": "codex"})["id"]
    mission = live.mission()
    async with over_http(live, "?toolsets=all", Mission_Agent=agent) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        started = await call(client, "start_task", {"mission_id": mission, "name": "mine", "goal": "g"})
        denied = [await refusal(client, tool, {}) for tool in ("start_mission", "mission_delete", "no_such_tool")]
        as_other = await refusal(client, "agent_heartbeat", {"agent_id": _another(live)})

    assert {"start_task", "complete_task", "get_context", "log_issue", "agent_heartbeat"} <= names
    assert not names & {"start_mission", "complete_mission", "start_phase", "mission_delete", "audit_list"}
    assert started["fence"] is not None
    assert [error["code"] for error in denied] == ["PERMISSION_DENIED"] * 3
    assert not any("required" in error["message"] for error in denied)
    assert as_other["code"] == "PERMISSION_DENIED"


async def test_an_unknown_agent_is_told_so(live: Live) -> None:
    async with over_http(live, Mission_Agent="a_0000000000") as client:
        error = await refusal(client, "get_context", {"mission_id": "m_0000000000", "include": ["tasks"]})
        with pytest.raises(MCPError):
            await client.list_tools()

    assert error["code"] == "AGENT_NOT_FOUND"
    assert error["hint"]


async def test_agent_and_toolsets_are_chosen_on_the_command_line(home: Path) -> None:
    async with at_home(home) as operator:
        agent = (await operator("agent_register", {"name": "eve", "runtime": "codex"}))["id"]
    async with over_stdio(home, "--agent", "eve", "--toolsets", "agents,control") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        seen = await call(client, "agent_get", {"id": agent})

    assert {"agent_get", "agent_heartbeat"} <= names
    assert "start_task" not in names, "of a toolset that was not chosen"
    assert "mission_delete" not in names, "of a chosen one, but for operators"
    assert seen["name"] == "eve"


async def test_an_agents_token_binds_a_standalone_server_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_home(home) as operator:
        made = await operator("mcp__agent__create", {"type": "WORKER", "name": "eve", "toolsets": "crew"})
        monkeypatch.setenv("MISSION_TOKEN", made["token"])
        async with over_stdio(home) as eve:
            listed = {tool.name for tool in (await eve.list_tools()).tools}
            status = await call(eve, "mcp__agent__get_status", {})
            await operator("token_revoke", {"agent_id": "eve"})
            refused = await eve.call_tool("mcp__agent__get_status", {})

    assert {"mcp__agent__get_status", "mcp__mail__send"} <= listed
    assert not {"mcp__epic__create", "start_task"} & listed
    assert status["id"] == made["id"]
    assert refused.is_error
    assert "was revoked" in refused.content[0].text


BAD_CALLS: dict[str, tuple[str, Json, str, str]] = {
    "missing": ("start_mission", {"objective": "o"}, "INVALID_INPUT", "name is required"),
    "wrong type": ("start_mission", {"name": 5, "objective": "o"}, "INVALID_INPUT", "name"),
    "misspelled": ("start_mission", {"name": "n", "objektive": "o"}, "INVALID_INPUT", "did you mean 'objective'?"),
    "misspelled word": (
        "complete_mission",
        {"mission_id": "m_1", "status": "complete", "summary": "s"},
        "INVALID_INPUT",
        "completed, failed, partial",
    ),
    "unknown id": ("get_context", {"mission_id": "m_0000000000", "include": ["tasks"]}, "RESOURCE_NOT_FOUND", "m_0"),
    "another kind of id": ("get_context", {"mission_id": "t_1", "include": ["tasks"]}, "INVALID_INPUT", "task"),
    "unknown tool": ("start_misson", {}, "TOOL_NOT_FOUND", "start_misson"),
    "NUL": ("start_mission", {"name": "a\x00", "objective": "o"}, "INVALID_INPUT", "NUL"),
    "too long": ("start_mission", {"name": "n", "objective": "o" * 1_000_001}, "TOO_LARGE", "objective"),
}


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_errors_explain_themselves(live: Live, mode: str) -> None:
    async with over_http(live, mode=mode) as client:
        errors = {what: await refusal(client, tool, arguments) for what, (tool, arguments, _, _) in BAD_CALLS.items()}

    for what, (_, _, code, words) in BAD_CALLS.items():
        assert errors[what]["code"] == code, what
        assert words in errors[what]["message"], what
        assert errors[what]["hint"], what


@pytest.mark.parametrize("more", [{"wait_for_previous": True}, {"_meta": {}}, {"extra": None}, {"zzz": [1, {"a": 2}]}])
async def test_arguments_we_do_not_know_are_ignored(live: Live, more: Json) -> None:
    async with over_http(live) as client:
        assert await call(client, "start_mission", {"name": "n", "objective": "o", **more})


def calling(arguments: str, *, tool: str = "start_mission", meta: str = "{}") -> bytes:
    params = f'{{"name": "{tool}", "arguments": {arguments}, "_meta": {meta}}}'
    return f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}'.encode()


BAD_BODIES = {
    "no json": b"hello",
    "nothing": b"",
    "a list": b"[]",
    "a number": b"5",
    "cut off": b'{"jsonrpc": "2.0", "id": 1',
    "not UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
    "no method": b'{"jsonrpc": "2.0", "id": 1}',
    "an unknown method": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/destroy"}',
    "no params": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
    "params that are a list": b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}',
    "arguments that are a list": calling("[1]"),
    "arguments that are a text": calling('"x"'),
    "NaN": calling('{"name": "n", "objective": "o", "total_phases": NaN}'),
    "half a surrogate": calling(r'{"name": "\ud800", "objective": "o"}'),
    "half a surrogate as tool": calling("{}", tool=r"\ud800"),
    "NUL as tool": calling("{}", tool=r"\u0000"),
    "a long tool": calling("{}", tool="x" * 100_000),
    "a huge integer": calling('{"name": "n", "objective": "o", "total_phases": ' + "9" * 5_000 + "}"),
    "500 levels": calling('{"name": ' + '{"a":' * 500 + "1" + "}" * 500 + "}"),
    "100,000 levels": b"[" * 100_000,
    "a progress token that is none": calling("{}", meta='{"progressToken": {"a": 1}}'),
    "a key that is a list": calling("{}", meta='{"mission/key": [1]}'),
    "an unknown prompt": b'{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "nonsense"}}',
    "an unknown resource": b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "mission://x"}}',
    "a file as resource": b'{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "file:///etc"}}',
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_bad_message_is_answered_with_an_error_and_nothing_else(live: Live, body: bytes) -> None:
    before = live.call("workflow_list", {"limit": 1})["total"]

    answer = raw(live, body)

    assert answer.status < 500, answer.body
    text = answer.body.decode()
    assert '"error"' in text or '"isError":true' in text.replace(" ", ""), text[:500]
    assert shows_nothing_of_the_server(answer, live.settings)
    assert len(answer.body) < 5_000
    assert live.call("workflow_list", {"limit": 1})["total"] == before


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_prompts_are_listed_and_filled_in(live: Live, mode: str) -> None:
    async with over_http(live, mode=mode) as client:
        prompts = (await client.list_prompts()).prompts
        orchestrate = await client.get_prompt("orchestrate", {"goal": "Log in with JWT", "constraints": "No new table"})
        work = await client.get_prompt("work_on_task", {"mission_id": "m_1", "task": "Do it", "agent_name": "ada"})
        with pytest.raises(MCPError, match="requires: goal"):
            await client.get_prompt("orchestrate", {})

    assert {prompt.name for prompt in prompts} == {"orchestrate", "work_on_task"}
    assert all(prompt.description and prompt.arguments for prompt in prompts)
    assert "Log in with JWT" in _said(orchestrate)
    assert "No new table" in _said(orchestrate)
    assert 'agent_name: "ada"' in _said(work)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_missions_are_resources_in_markdown(live: Live, mode: str) -> None:
    mission = live.mission("Read me\nin one line")
    live.task(mission, "The task")
    async with over_http(live, mode=mode) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        overview = (await client.read_resource("mission://missions")).contents[0]
        one = (await client.read_resource(f"mission://missions/{mission}")).contents[0]
        with pytest.raises(MCPError, match="m_0000000000"):
            await client.read_resource("mission://missions/m_0000000000")

    assert [str(resource.uri) for resource in listed] == ["mission://missions"]
    assert [template.uri_template for template in templates] == ["mission://missions/{id}"]
    assert isinstance(overview, types.TextResourceContents)
    assert isinstance(one, types.TextResourceContents)
    assert overview.mime_type == "text/markdown"
    assert f"**Read me in one line** (`{mission}`)" in overview.text
    assert one.text.startswith("# Read me in one line\n")
    assert "- Objective: It works\n" in one.text
    assert "The task: IN_PROGRESS" in one.text


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_a_long_call_tells_how_far_it_is_when_asked(live: Live, large_repository: Path, mode: str) -> None:
    steps: list[tuple[float, str | None]] = []

    async def progress(step: float, total: float | None, message: str | None) -> None:
        steps.append((step, message))

    mission = live.mission()
    arguments = {"mission_id": mission, "name": "t", "goal": "g", "repository_path": str(large_repository)}
    async with over_http(live, mode=mode) as client:
        started = await call(client, "start_task", arguments, progress_callback=progress)

    assert started["snapshot_type"] == "git"
    assert [step for step, _ in steps] == sorted({step for step, _ in steps})
    assert steps
    assert all(message for _, message in steps)


async def test_a_call_that_wants_progress_and_has_none_is_answered_too(live: Live) -> None:
    async def progress(step: float, total: float | None, message: str | None) -> None:
        raise AssertionError("nothing to report")

    async with over_http(live) as client:
        assert "workflows" in await call(client, "workflow_list", progress_callback=progress)


@pytest.mark.parametrize("mode", ["legacy", MODERN])
async def test_a_call_key_makes_a_repeat_harmless(live: Live, mode: str) -> None:
    arguments = {"name": "once", "objective": "o"}
    key: Any = {"mission/key": f"key-{mode}"}
    async with over_http(live, mode=mode) as client:
        first = await call(client, "start_mission", arguments, meta=key)
        again = await call(client, "start_mission", arguments, meta=key)
    async with over_http(live, mode=mode) as client:
        later = await call(client, "start_mission", arguments, meta=key)

    assert first == again == later


async def test_many_calls_of_one_client_run_side_by_side(live: Live) -> None:
    mission = live.mission()
    task = live.task(mission)
    answered: list[str] = []
    async with over_http(live) as client, anyio.create_task_group() as group:

        async def log() -> None:
            answered.append((await call(client, "log_milestone", {"task_id": task, "message": "m"}))["milestone_id"])

        for _ in range(30):
            group.start_soon(log)

    assert len(set(answered)) == 30
    assert live.get(f"/api/missions/{mission}?include=milestones").json["milestones_count"] == 30


def test_an_answer_comes_as_plain_json_unless_progress_is_wanted(live: Live) -> None:
    plain = raw(live, calling('{"name": "n", "objective": "o"}'))
    stream = raw(live, calling('{"name": "n", "objective": "o"}', meta='{"progressToken": 1}'))

    assert plain.headers["content-type"] == "application/json"
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert "mission_id" in stream.body.decode()


NO_MESSAGES = {
    "hello": (None, "Parse error: the line is not valid JSON or is nested too deeply"),
    "[" * 100_000: (None, "Parse error: the line is not valid JSON or is nested too deeply"),
    "[]": (None, "Batches are not supported: send one message per line"),
    '{"id": 31}': (31, "Invalid request: the method is missing"),
    '{"jsonrpc": "1.0", "id": 32, "method": "ping"}': (32, "Invalid request: not a message of JSON-RPC 2.0"),
    r'{"jsonrpc": "2.0", "id": 33, "method": "tools/call", "params": {"name": "\ud800"}}': (
        33,
        "Invalid request: contains an unpaired surrogate",
    ),
}


def test_two_standalone_servers_share_one_database(home: Path) -> None:
    environment = {**os.environ, "MISSION_HOME": str(home)}
    command = [sys.executable, "-m", "mission", "mcp", "--standalone"]
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    calls = [json.loads(calling('{"name": "n", "objective": "o"}')) | {"id": number} for number in range(1, 21)]
    lines = "\n".join([json.dumps(hello), *NO_MESSAGES, *map(json.dumps, calls)]) + "\n"
    pipes: Json = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    servers = [subprocess.Popen(command, env=environment, cwd=home, **pipes) for _ in range(2)]
    for server in servers:
        assert server.stdin is not None
        server.stdin.write(lines)
        server.stdin.close()  # what was asked before is still answered
        server.stdin = None

    missions = set()
    for server in servers:
        assert server.stdout is not None
        answers = [json.loads(server.stdout.readline()) for _ in range(21 + len(NO_MESSAGES))]
        refused = {(answer["id"], answer["error"]["message"]) for answer in answers if "error" in answer}
        assert refused == set(NO_MESSAGES.values())
        answers = [answer for answer in answers if "result" in answer]
        missions |= {answer["result"]["structuredContent"]["mission_id"] for answer in answers if answer["id"] != 0}
        _, problems = server.communicate(timeout=60)
        assert server.returncode == 0, problems

    assert len(missions) == 40


@pytest.fixture
def large_repository(repository: Path) -> Path:
    """A repository with many new files, which all have to be read."""
    for number in range(300):
        (repository / f"f{number}.txt").write_text(f"{number}\n")
    return repository


def _said(prompt: types.GetPromptResult) -> str:
    content = prompt.messages[0].content
    assert isinstance(content, types.TextContent)
    return content.text


def _another(live: Live) -> str:
    return str(live.call("agent_register", {"name": "other", "runtime": "codex"})["id"])


MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALLS: list[tuple[str, Json]] = [
    ("start_mission", {"name": "Two roads", "objective": "ü — 中"}),
    ("start_mission", {"name": ""}),
    ("get_context", {}),
    ("log_milestone", {"task_id": "t_0000000000", "message": "m"}),
    ("no_such_tool", {}),
]


@pytest.mark.parametrize("era", ERAS)
def test_an_ordinary_call_is_answered_as_the_sdk_would(live: Live, era: str) -> None:
    """A member the SDK overlooks sends a call down its road instead of the short one."""
    meta = {"_meta": MODERN_META} if era == MODERN else {}
    for tool, arguments in CALLS:
        head = {"Mcp_Method": "tools/call", "Mcp_Name": tool} if era == MODERN else {}
        params = {"name": tool, "arguments": arguments, **meta}
        request = {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params}

        short = raw(live, json.dumps(request).encode(), era=era, **head)
        long = raw(live, json.dumps({**request, "extra": 1}).encode(), era=era, **head)

        assert (short.status, short.headers["content-type"]) == (long.status, long.headers["content-type"])
        assert without_moments(short.json) == without_moments(long.json), tool


def test_the_short_road_knows_the_same_versions_as_the_sdk() -> None:
    assert protocol.HANDSHAKE_VERSIONS == version.HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.MODERN_VERSIONS == version.MODERN_PROTOCOL_VERSIONS


def without_moments(answer: Json) -> str:
    """The answer without ids and times, which differ from call to call."""
    return re.sub(r"m_[0-9a-z]{10}|[0-9T:.-]{19,}Z", "…", json.dumps(answer, sort_keys=True))
