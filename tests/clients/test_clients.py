"""Real agent clients from the npm registry, launched by us, with a scripted model: they really signal.

`make test-clients` installs them and runs these.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.clients.room import NEEDS_CLIENTS, PATIENCE, Room, until
from tests.clients.scripted_model import Say, Step, Use

pytestmark = NEEDS_CLIENTS

MCP_CLIENTS = ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli"]


@pytest.mark.parametrize("adapter", MCP_CLIENTS)
def test_a_real_client_signals_over_mcp_and_completes_its_task(room: Room, adapter: str):
    task = room.task()
    room.model.steps = [
        Use("progress", {"eventId": "e1", "summary": "looking around"}),
        Use("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "sorted"}}),
        Use("completed_claim", {"eventId": "e2", "summary": "all sorted"}),
        Say(lambda _: "That was it."),
    ]

    execution = room.launch(adapter, task=task)
    ended = room.ended(execution["id"])

    assert execution["transport"] == {"selected": "mcp-tool", "degraded": False}
    said = [(each["type"], each["event_id"], each["origin"]) for each in room.said(execution["id"])]
    assert ("progress", "e1", "mcp-tool") in said, room.transcript(execution["id"])
    assert ("completed_claim", "e2", "mcp-tool") in said, room.transcript(execution["id"])
    assert (ended["status"], ended["exit_code"]) == ("completed", 0), (ended["reason"], said)
    assert ended["session_id"]
    found = room.live.call("task_get", {"id": task})
    assert (found["status"], found["assigned_agent_id"]) == ("completed", execution["agent_id"])
    if adapter != "copilot-cli":  # which tells no tokens of a provider of one's own
        assert ended["usage"]["input_tokens"] >= 100
    _assert_nothing_secret_in_the_open(room, execution["id"])


@pytest.mark.parametrize("adapter", ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli", "pi"])
def test_a_real_client_signals_by_markers_in_its_own_words(room: Room, adapter: str):
    room.model.steps = [Say(printed)]

    execution = room.launch(adapter, delivery="stdout-marker")
    ended = room.ended(execution["id"])

    said = [(each["type"], each["event_id"]) for each in room.said(execution["id"])]
    assert ("progress", "m1") in said, room.transcript(execution["id"])
    assert ended["status"] == "completed", ended["reason"]
    assert ended["session_id"]


@pytest.mark.parametrize("adapter", ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli"])
def test_an_answer_reaches_a_real_client_in_the_same_session(room: Room, adapter: str):
    task = room.task()
    room.model.steps = [
        Use("needs_input", {"eventId": "q1", "question": "Which way?", "choices": []}),
        Say(lambda _: "I wait."),
        Say(lambda seen: "Going left." if "to the left" in seen else "Nobody told me."),
    ]
    first = room.ended(room.launch(adapter, task=task)["id"])
    item = next(each for each in room.live.call("queue_list")["items"] if each["execution_id"] == first["id"])
    before = len(room.model.requests)

    room.live.call("queue_answer", {"id": item["id"], "text": "to the left"})
    until(lambda: len(room.live.call("execution_list", {"task_id": task})["executions"]) == 2, PATIENCE)
    second = room.ended(room.live.call("execution_list", {"task_id": task})["executions"][0]["id"])

    assert (second["resumes"], second["session_id"]) == (first["id"], first["session_id"])
    assert second["status"] == "completed", (second["reason"], room.transcript(second["id"]))
    asked = json.dumps([each["body"] for each in room.model.requests[before:]], ensure_ascii=False)
    assert "to the left" in asked
    assert "Which way?" in asked  # the same conversation


@pytest.mark.parametrize("adapter", MCP_CLIENTS)
def test_a_real_client_on_a_terminal_is_told_and_answered_by_typing(
    room: Room, monkeypatch: pytest.MonkeyPatch, adapter: str
):
    task = room.task()
    said: list[str] = []

    def say(words: str) -> Step:
        said.append(words)
        return Say(lambda _: words)

    def next_step(_: int, body: dict[str, Any]) -> Step:
        """By what was said and not by turns: on a terminal the first turns may come before the client has its tools."""
        seen = json.dumps(body)
        if "needs_input" not in json.dumps(body.get("tools", [])):
            return say("Not yet.")
        if "Which way?" not in seen:
            return Use("needs_input", {"eventId": "q1", "question": "Which way?", "choices": []})
        if "to the left" not in seen:
            return say("I wait.")
        if "sorted there" not in seen:
            return Use("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "sorted there"}})
        return say("That was it.")

    monkeypatch.setattr(room.model, "step", next_step)
    execution = room.launch(adapter, task=task, interactive=True)["id"]

    try:
        while until(lambda: said)[-1] == "Not yet.":  # what is typed before a client listens is lost, or taken later
            said.clear()
            room.live.call("execution_message", {"execution_id": execution, "text": "Begin now"})
        [question] = [each for each in room.live.call("queue_list")["items"] if each["execution_id"] == execution]
        room.live.call("queue_answer", {"id": question["id"], "text": "to the left"})
        until(lambda: room.live.call("task_get", {"id": task})["status"] == "completed")
    except AssertionError:
        pytest.fail(f"{said}\n{room.transcript(execution)}")
    stopped = room.live.call("execution_stop", {"id": execution})

    assert [(each["type"], each["origin"]) for each in room.said(execution)] == [("needs_input", "mcp-tool")]
    assert stopped["status"] == "stopped"
    _assert_nothing_secret_in_the_open(room, execution)


def printed(conversation: str, kind: str = "progress") -> str:
    """What an agent prints that reads its instructions."""
    found = re.search(r"with agentExecutionId (x_[0-9a-z]{10})", conversation)
    execution = found[1] if found else "unknown"
    signal = {"type": kind, "summary": "printed"}
    marker = {"version": 1, "agentExecutionId": execution, "eventId": "m1", "signal": signal}
    return f"I am on it.\n@task::{json.dumps(marker)}\nDone."


def _assert_nothing_secret_in_the_open(room: Room, execution: str) -> None:
    folder = room.live.app.launcher.folder(execution)
    until(lambda: room.live.app.launcher.follower(execution) is None, PATIENCE)
    assert {path.name.partition(".")[0] for path in folder.iterdir()} == {"transcript"}
