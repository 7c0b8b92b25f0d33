"""Codex: how it is started, and what its stream of events says."""

from __future__ import annotations

import json

from mission.runtime.adapters.client_events import AgentText, Denied, Failed, Session, ToolEnded, ToolStarted, Usage
from mission.runtime.adapters.codex import LAUNCH
from tests.runtime.adapters.client_output import prepared, said


def test_words_denials_and_the_session_are_told_apart():
    found = said(
        LAUNCH,
        {"type": "thread.started", "thread_id": "th1"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "hello"}},
        {"type": "item.completed", "item": {"type": "command_execution", "status": "declined", "command": "rm"}},
        {"type": "item.completed", "item": {"type": "command_execution", "status": "completed"}},
        {"type": "turn.failed", "error": {"message": "quota"}},
    )

    assert found == [Session("th1"), AgentText("hello"), Denied("command_execution", "rm"), Failed("quota")]


def test_tool_calls_are_told_when_they_begin_and_end_and_other_items_are_none():
    def item(kind, id, type):
        return {"type": f"item.{kind}", "item": {"id": id, "type": type, "status": "in_progress"}}

    found = said(
        LAUNCH,
        item("started", "item_0", "todo_list"),
        item("started", "item_1", "command_execution"),
        item("updated", "item_0", "todo_list"),
        item("completed", "item_1", "command_execution"),
        item("started", "item_2", "mcp_tool_call"),
        item("completed", "item_0", "todo_list"),
    )

    assert found == [ToolStarted("item_1"), ToolEnded("item_1"), ToolStarted("item_2")]


def test_tokens_of_each_turn_are_added_up():
    turn = {"type": "turn.completed", "usage": {"input_tokens": 3, "output_tokens": 1, "cached_input_tokens": 0}}

    assert said(LAUNCH, turn, turn)[-1] == Usage({"input_tokens": 6, "output_tokens": 2})


def test_a_resumed_run_names_its_session_before_the_prompt_and_a_terminal_right_after_resume():
    headless = prepared(LAUNCH, resume="th1").argv
    terminal = prepared(LAUNCH, resume="th1", interactive=True).argv

    assert headless[1:3] == ["exec", "resume"]
    assert headless[-3:] == ["--", "th1", "--PROMPT"]
    assert terminal[1:3] == ["resume", "th1"]
    assert terminal[-2:] == ["--", "--PROMPT"]


def test_settings_on_the_command_line_are_toml_values_without_secrets():
    argv = prepared(LAUNCH).argv
    settings = dict(part.split("=", 1) for part, before in zip(argv[1:], argv, strict=False) if before == "-c")

    assert json.loads(settings["sandbox_mode"]) == "workspace-write"
    assert json.loads(settings["mcp_servers.mission.bearer_token_env_var"]) == "MISSION_TOKEN"
    assert json.loads(settings["mcp_servers.mission.required"]) is True
