"""OpenCode: how it is started, and what its stream of events says."""

from __future__ import annotations

import json

from mission.runtime.adapters.client_events import AgentText, Denied, Failed, Session, Usage
from mission.runtime.adapters.opencode import LAUNCH
from tests.runtime.adapters.client_output import prepared, said


def tool(status, error=None):
    state = {"status": status, "error": error, "input": {"command": "ls"}}
    return {"type": "tool_use", "part": {"tool": "bash", "state": state}}


def test_words_sessions_and_denials_are_told_apart():
    found = said(
        LAUNCH,
        {"type": "step_start", "sessionID": "s1"},
        {"type": "text", "part": {"text": "hello"}},
        tool("error", "The user rejected permission"),
        tool("error", "exit code 1"),
        tool("completed"),
    )

    assert found == [Session("s1"), AgentText("hello"), Denied("bash", '{"command": "ls"}')]


def test_an_error_is_told_by_its_message_its_name_or_as_it_is():
    errors = [{"data": {"message": "quota"}, "name": "ApiError"}, {"name": "Aborted"}, {"code": 7}]

    found = said(LAUNCH, *({"type": "error", "error": error} for error in errors))

    assert found == [Failed("quota"), Failed("Aborted"), Failed("{'code': 7}")]


def test_steps_are_added_up_with_their_cost():
    step = {"type": "step_finish", "part": {"tokens": {"input": 3, "output": 1, "cache": {"read": 4}}, "cost": 0.5}}

    assert said(LAUNCH, step, step)[-1] == Usage(
        {"input_tokens": 6, "output_tokens": 2, "cached_tokens": 8, "cost_usd": 1.0}
    )


def test_servers_come_in_a_variable_and_the_folder_only_on_a_terminal():
    start = prepared(LAUNCH, resume="s1")

    config = json.loads(start.environment["OPENCODE_CONFIG_CONTENT"])
    assert config["experimental"] == {"continue_loop_on_deny": True}  # a denial is no end
    server = config["mcp"]["mission"]
    assert server["headers"] == {"Authorization": "Bearer {env:MISSION_TOKEN}"}
    assert start.argv[1:6] == ["run", "--format", "json", "--session", "s1"]
    assert start.argv[-2:] == ["--", "--PROMPT"]
    assert prepared(LAUNCH, interactive=True).argv[1] == "/tree"
