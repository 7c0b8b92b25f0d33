"""What to do next, in the words of whoever called: over REST, as the page, over MCP and in the shell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.transports.live_server import Live

UNKNOWN = {"mission_id": "m_0000000000", "include": ["tasks"]}
COMMAND = "'mission missions' lists the missions."
BOTH = "List missions with workflow_list, or start one with start_mission."


@pytest.mark.parametrize(("transport", "hint"), [("page", COMMAND), ("cli", COMMAND), (None, BOTH)])
def test_people_are_told_a_command_and_programs_a_tool(live: Live, transport: str | None, hint: str) -> None:
    assert live.post("get_context", UNKNOWN, Mission_Transport=transport).error["hint"] == hint


@pytest.mark.parametrize("progress", [False, True])
@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("?toolsets=mission", "Give the id of one that exists, or start one with start_mission."),
        ("?toolsets=mission,workflow", BOTH),
        ("?toolsets=messages", "Give the id of a mission that exists, or start a new one."),
    ],
)
def test_an_agent_is_told_only_tools_that_it_lists(live: Live, query: str, hint: str, progress: bool) -> None:
    params: dict[str, Any] = {"name": "get_context", "arguments": UNKNOWN}
    if progress:
        params["_meta"] = {"progressToken": 1}  # taken by the SDK, not by the short way
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2025-11-25",
    }

    answer = live.request("POST", f"/mcp{query}", json.dumps(request).encode(), headers=headers)

    body = answer.body.decode()
    message = json.loads(body if body.startswith("{") else body.split("data: ", 1)[1])
    assert json.loads(message["result"]["content"][0]["text"])["error"]["hint"] == hint
