"""Gemini CLI: what its stream of events says."""

from __future__ import annotations

from mission.runtime.adapters.client_events import AgentText, Denied, Failed, Session, ToolEnded, ToolStarted, Usage
from mission.runtime.adapters.gemini_cli import LAUNCH
from tests.runtime.adapters.client_output import prepared, said


def test_words_come_in_pieces_or_whole_and_only_from_the_agent():
    message = {"type": "message", "role": "assistant", "content": "hi"}

    found = said(
        LAUNCH, {"type": "init", "session_id": "s1"}, {**message, "delta": True}, message, {**message, "role": "user"}
    )

    assert found == [Session("s1"), AgentText("hi", complete=False), AgentText("hi")]


def test_a_tool_that_failed_was_denied_only_when_the_client_says_so():
    def result(message, status="error"):
        return {"type": "tool_result", "tool_id": "shell__1", "status": status, "error": {"message": message}}

    found = said(LAUNCH, result("Denied by policy"), result("exit code 1"), result("denied", status="success"))

    ended = ToolEnded("shell__1")
    assert found == [ended, Denied("shell", "Denied by policy"), ended, ended]


def test_tool_calls_are_told_when_they_begin_and_end():
    use = {"type": "tool_use", "tool_name": "shell", "tool_id": "shell__1", "parameters": {}}
    result = {"type": "tool_result", "tool_id": "shell__1", "status": "success", "output": "ok"}

    assert said(LAUNCH, use, result) == [ToolStarted("shell__1"), ToolEnded("shell__1")]


def test_the_result_says_what_was_used_and_why_it_failed():
    stats = {"input_tokens": 5, "cached": 2}

    assert said(LAUNCH, {"type": "result", "status": "success", "stats": stats}) == [
        Usage({"input_tokens": 5, "output_tokens": 0, "cached_tokens": 2})
    ]
    assert said(LAUNCH, {"type": "result", "status": "error", "error": {"message": "quota"}})[-1] == Failed("quota")


def test_its_home_is_the_private_folder_and_its_sessions_stay_the_users(tmp_path):
    start = prepared(LAUNCH, environment={"HOME": str(tmp_path)})

    assert start.environment == {"GEMINI_CLI_HOME": "/private/home"}
    assert start.links["home/.gemini/tmp"] == tmp_path / ".gemini" / "tmp"
    assert "home/.gemini/settings.json" not in start.links
