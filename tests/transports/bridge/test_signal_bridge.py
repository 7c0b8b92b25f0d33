"""`mission mcp connect`: the signals of an execution for clients that want a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from mission.domain.executions.signals import KINDS
from mission.services.executions.creation import CreatedExecution
from tests.conftest import Front
from tests.fake_executions import FakeExecutions
from tests.transports.live_server import Live

CONNECT = ["-m", "mission", "mcp", "connect"]


@pytest.fixture
def created(live: Live) -> CreatedExecution:
    return live.run(FakeExecutions(live.app, Front(live.app)).launch())


def environment(home: Path, created: CreatedExecution | None = None, url: str | None = None) -> dict[str, str]:
    given = {"MISSION_HOME": str(home)}
    if created is not None and created.token is not None:
        given |= {"OPEN_MISSION_MCP_TOKEN": created.token, "OPEN_MISSION_AGENT_EXECUTION_ID": created.execution.id}
    if url is not None and created is not None:
        given["OPEN_MISSION_MCP_URL"] = f"{url}/mcp/executions/{created.execution.id}"
    return {**os.environ, **given}


def refused(env: dict[str, str], *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, *CONNECT, *arguments], env=env, input=b"", capture_output=True, timeout=60, check=False
    )
    assert done.stdout == b""
    return done.returncode, done.stderr.decode()


async def test_a_client_signals_through_the_bridge_and_the_daemon_decides(
    live: Live, created: CreatedExecution, tmp_path: Path
):
    parameters = StdioServerParameters(
        command=sys.executable,
        args=[*CONNECT, "--agent-execution", created.execution.id],
        env=environment(tmp_path, created, live.url),
    )
    async with Client(parameters, mode="2026-07-28") as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        taken = await client.call_tool("blocked", {"eventId": "b1", "reason": "No key"})
        wrong = await client.call_tool("start_task", {"eventId": "b2"})

    assert tools == list(KINDS)
    assert taken.structured_content["status"] == "promoted"
    assert wrong.is_error
    assert "unsupported" in wrong.structured_content["reason"]


def test_a_bridge_that_is_killed_leaves_what_it_delivered_and_the_next_one_goes_on(
    live: Live, created: CreatedExecution, tmp_path: Path
):
    def ack(bridge: subprocess.Popen[str], event_id: str) -> str:
        arguments = {"eventId": event_id, "summary": "On it"}
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "progress", "arguments": arguments},
        }
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        bridge.stdin.write(json.dumps(call) + "\n")
        bridge.stdin.flush()
        return str(json.loads(bridge.stdout.readline())["result"]["structuredContent"]["status"])

    seen = []
    for _ in range(2):
        argv = [sys.executable, *CONNECT]
        env = environment(tmp_path, created, live.url)
        with subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bridge:
            seen.append(ack(bridge, "e1"))
            bridge.kill()

    assert seen == ["promoted", "duplicate"]


def test_without_daemon_token_or_execution_it_fails_and_says_why(live: Live, created: CreatedExecution, tmp_path: Path):
    gone = "http://127.0.0.1:9"  # discard: nobody listens there

    assert refused(environment(tmp_path, created, gone)) == (
        1,
        "mission: The Mission Control daemon is not running.\n"
        "mission mcp connect: The Mission Control daemon is not running. "
        "Start it with 'mission up'.\n",
    )
    code, words = refused(environment(tmp_path), "--agent-execution", created.execution.id)
    assert (code, "OPEN_MISSION_MCP_TOKEN is not set to a valid token" in words) == (2, True)
    code, words = refused(environment(tmp_path))
    assert (code, "--agent-execution is missing" in words) == (2, True)
