"""Claude Code: how it is started, and what its stream of events says."""

from __future__ import annotations

import json

from mission.runtime.adapters.claude_code import LAUNCH
from mission.runtime.adapters.client_events import (
    AgentText,
    Denied,
    Failed,
    ServerState,
    Session,
    ToolEnded,
    ToolStarted,
    Usage,
)
from tests.runtime.adapters.client_output import prepared, said


def test_the_first_event_names_the_session_and_which_servers_were_reached():
    servers = [{"name": "mission", "status": "connected"}, {"name": "other", "status": "failed", "error": "no"}]

    found = said(LAUNCH, {"type": "system", "subtype": "init", "session_id": "s1", "mcp_servers": servers})

    assert found == [Session("s1"), ServerState("mission", "connected"), ServerState("other", "failed", "no")]
    assert [each.failed for each in found[1:]] == [False, True]


def test_the_agents_words_are_those_of_the_main_thread():
    content = [{"type": "text", "text": "hello"}, {"type": "tool_use", "name": "Bash"}]
    event = {"type": "assistant", "message": {"content": content}}

    assert said(LAUNCH, event, {**event, "parent_tool_use_id": "toolu_1"}) == [AgentText("hello")]
    assert said(LAUNCH, {"type": "system", "subtype": "status"}, {"type": "user"}) == []


def test_tool_calls_are_told_when_they_begin_and_end_also_those_of_a_helper():
    def event(type, block, **more):
        return {"type": type, "message": {"content": [block]}, **more}

    found = said(
        LAUNCH,
        event("assistant", {"type": "tool_use", "id": "toolu_1", "name": "Task"}),
        event("assistant", {"type": "tool_use", "id": "toolu_2", "name": "Bash"}, parent_tool_use_id="toolu_1"),
        event("user", {"type": "tool_result", "tool_use_id": "toolu_2"}, parent_tool_use_id="toolu_1"),
        event("user", {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": True}),
        {"type": "user", "message": {"content": "words"}},
    )

    assert found == [ToolStarted("toolu_1"), ToolStarted("toolu_2"), ToolEnded("toolu_2"), ToolEnded("toolu_1")]


def test_the_result_says_what_was_used_what_was_denied_and_whether_it_failed():
    usage = {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 9}
    denied = [{"tool_name": "Bash", "tool_input": {"command": "rm -rf ä" + "x" * 500}}]
    result = {"type": "result", "usage": usage, "total_cost_usd": 0.25, "permission_denials": denied}

    figures, denial, failure = said(LAUNCH, {**result, "is_error": True, "subtype": "error_max_turns"})

    assert figures == Usage({"input_tokens": 5, "output_tokens": 2, "cached_tokens": 9, "cost_usd": 0.25})
    assert isinstance(denial, Denied)
    assert denial.detail.startswith('{"command": "rm -rf ä')
    assert len(denial.detail) == 200
    assert failure == Failed("error_max_turns")


def test_a_prompt_that_looks_like_an_option_is_a_prompt_and_servers_are_a_private_file():
    start = prepared(LAUNCH, arguments=["--model", "opus"])

    assert start.argv[-4:] == ["--model", "opus", "--", "--PROMPT"]
    assert "--strict-mcp-config" in start.argv
    assert json.loads(start.files["mcp.json"])["mcpServers"]["mission"]["headers"] == {
        "Authorization": "Bearer ${MISSION_TOKEN}"
    }


def test_on_a_terminal_it_prints_no_events():
    assert "stream-json" in prepared(LAUNCH).argv
    assert "stream-json" not in prepared(LAUNCH, interactive=True).argv
