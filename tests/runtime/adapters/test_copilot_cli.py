"""GitHub Copilot CLI: how it is started, and what its stream of events says."""

from __future__ import annotations

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
from mission.runtime.adapters.copilot_cli import LAUNCH
from tests.runtime.adapters.client_output import prepared, said


def event(type, **data):
    return {"type": type, "data": data}


def test_words_are_the_agents_own_and_empty_ones_are_left_out():
    found = said(
        LAUNCH,
        event("assistant.message", content="hello"),
        event("assistant.message", content=""),
        event("assistant.message", content="of a helper", parentToolCallId="c1"),
        {"type": "assistant.message"},
    )

    assert found == [AgentText("hello")]


def test_servers_tool_calls_denials_failures_and_the_session_are_told_apart():
    found = said(
        LAUNCH,
        event("session.mcp_server_status_changed", serverName="mission", status="failed", error="refused"),
        event("tool.execution_start", toolCallId="c1", toolName="bash", arguments={"command": "ls"}),
        event("tool.execution_complete", toolCallId="c1", error={"code": "denied", "message": "no"}),
        event("tool.execution_complete", toolCallId="c2", error={"code": "denied", "message": "no" * 200}),
        event("tool.execution_complete", toolCallId="c3", error={"code": "failure", "message": "exit 1"}),
        event("tool.execution_complete", toolCallId="c4"),
        event("session.error", message="no credit"),
        {"type": "result", "sessionId": "s1"},
    )

    assert found == [
        ServerState("mission", "failed", "refused"),
        ToolStarted("c1"),
        ToolEnded("c1"),
        Denied("bash", '{"command": "ls"}'),
        ToolEnded("c2"),
        Denied("c2", "no" * 100),
        ToolEnded("c3"),
        ToolEnded("c4"),
        Failed("no credit"),
        Session("s1"),
    ]


def test_use_is_added_up_and_unknown_figures_are_left_out():
    assert said(LAUNCH, event("assistant.usage", inputTokens=3), event("assistant.usage", inputTokens=4))[-1] == Usage(
        {"input_tokens": 7}
    )


def test_a_resumed_session_is_one_word_and_the_prompt_depends_on_the_terminal():
    assert "--resume=s1" in prepared(LAUNCH, resume="s1").argv
    assert prepared(LAUNCH).argv[-2:] == ["-p", "--PROMPT"]
    assert prepared(LAUNCH, interactive=True).argv[-2:] == ["-i", "--PROMPT"]
    assert prepared(LAUNCH).argv[1:3] == ["--session-id", "SESSION"]
