"""Starting a server once to see its tools."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mission.domain.errors import InvalidState
from mission.runtime.adapters.config_adapter import Command
from mission.runtime.client_setup import probe

SERVER = """
import json, os, sys
def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        answer = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
    elif message["method"] == "tools/list" and "cursor" not in message.get("params", {}):
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}), flush=True)
        answer = {"tools": [tool("start_mission", description="x" * 200_000)], "nextCursor": "2"}
    elif message["method"] == "tools/list":
        answer = {"tools": [tool(os.environ.get("MISSION_HOME", "get_context"))]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}), flush=True)
"""
ANSWER = """
import json, sys
message = json.loads(sys.stdin.readline())
print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], {}}}), flush=True)
"""


def python(code: str, **environment: str) -> Command:
    return Command(program=sys.executable, arguments=("-c", code), environment=environment)


async def test_the_tools_of_a_server_are_listed_page_by_page(tmp_path: Path) -> None:
    assert await probe.list_tools(python(SERVER), directory=tmp_path) == ["start_mission", "get_context"]


async def test_the_server_sees_the_environment_of_its_entry(tmp_path: Path) -> None:
    tools = await probe.list_tools(python(SERVER, MISSION_HOME="/data"), directory=tmp_path)

    assert tools == ["start_mission", "/data"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; print('no database', file=sys.stderr); sys.exit(3)", "ended before it listed its tools"),
        ("print('hello')", "not MCP"),
        ("print('[]')", "not MCP"),
        (ANSWER.format('"result": {}'), "not MCP"),
        (ANSWER.format('"error": {"code": -32600, "message": "no"}'), "refused to list its tools: no"),
    ],
)
async def test_a_server_that_does_not_answer_is_refused_with_its_own_words(
    code: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidState, match=reason) as refused:
        await probe.list_tools(python(code), directory=tmp_path)

    if "stderr" in code:
        assert refused.value.message.endswith("Its output:\nno database")


async def test_a_silent_server_is_given_up_after_the_deadline(tmp_path: Path) -> None:
    code = "import signal, sys; print('waiting', file=sys.stderr, flush=True); sys.stdin.read()"

    with pytest.raises(InvalidState, match=r"within 0\.5 seconds") as refused:
        await probe.list_tools(python(code), directory=tmp_path, timeout=0.5)

    assert refused.value.message.endswith("Its output:\nwaiting")


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidState, match="Could not start /no/such/mission"):
        await probe.list_tools(Command(program="/no/such/mission"), directory=tmp_path)
