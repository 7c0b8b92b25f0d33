"""Pi: how it is started, and what its stream of events says."""

from __future__ import annotations

from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.client_events import AgentText, Failed, Session, ToolEnded, ToolStarted, Usage
from mission.runtime.adapters.pi import LAUNCH
from tests.runtime.adapters.client_output import prepared, said


def test_a_message_of_the_agent_has_words_use_and_perhaps_an_error():
    content = [{"type": "text", "text": "hello"}, {"type": "toolCall"}]
    usage = {"input": 3, "output": 1, "cost": {"total": 0.5}}
    message = {"role": "assistant", "content": content, "usage": usage}
    failed = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "quota"}

    found = said(
        LAUNCH,
        {"type": "session", "id": "s1"},
        {"type": "message_end", "message": message},
        {"type": "message_end", "message": {**message, "role": "user"}},
        {"type": "message_end", "message": failed},
    )

    figures = Usage({"input_tokens": 3, "output_tokens": 1, "cost_usd": 0.5})
    assert found == [Session("s1"), AgentText("hello"), figures, figures, Failed("quota")]


def test_tool_calls_are_told_when_they_begin_and_end():
    call = {"toolCallId": "tool_1", "toolName": "bash"}

    found = said(
        LAUNCH,
        {"type": "tool_execution_start", **call, "args": {"command": "ls"}},
        {"type": "tool_execution_update", **call, "partialResult": {}},
        {"type": "tool_execution_end", **call, "result": {}, "isError": False},
    )

    assert found == [ToolStarted("tool_1"), ToolEnded("tool_1")]


def test_it_signals_by_printing_and_runs_without_a_terminal():
    assert list(LAUNCH.capabilities.supported) == [Delivery.STDOUT_MARKER]
    assert not LAUNCH.interactive
    assert prepared(LAUNCH, resume="s1", arguments=["--x"]).argv == [
        *("/bin/agent", "-p", "--mode", "json", "--session", "s1", "--x", "--PROMPT")
    ]
