"""Real agent clients from the npm registry, launched by us, with a scripted model: they really signal.

`make test-clients` installs them and runs these.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mission.settings import Settings
from tests.clients.install import PROGRAMS, node_folder
from tests.clients.scripted_model import Model, Say, Step, Use, model
from tests.transports.live_server import Live, serving

PATIENCE = 300.0
WANTED = os.environ.get("MISSION_TEST_CLIENTS") == "1"

pytestmark = [
    pytest.mark.skipif(not WANTED, reason="'make test-clients' runs these, with real clients"),
    pytest.mark.skipif(WANTED and not PROGRAMS.is_dir(), reason="the clients are not installed"),
]

CLAUDE_KEY = "sk-ant-scripted-model-key"
MCP_CLIENTS = ["claude-code", "codex", "opencode", "copilot-cli", "gemini-cli"]


@dataclass
class Room:
    """A daemon, a model, and a home for the clients that knows nothing of the real one."""

    live: Live
    model: Model
    home: Path
    repository: Path

    def launch(self, adapter: str, **options: Any) -> dict[str, Any]:
        handover = f"{uuid.uuid4().hex}.json"
        folder = self.live.settings.home / "handover"
        folder.mkdir(exist_ok=True, mode=0o700)
        environment = {**self._environment(), **_SETTINGS[adapter](self)}
        (folder / handover).write_text(json.dumps(environment))
        arguments = [*_ARGUMENTS.get(adapter, lambda _: [])(self), *options.pop("arguments", [])]
        task = options.pop("task", None) or self.task()
        wish = {"task_id": task, "adapter": adapter, "arguments": arguments, "handover": handover, "seconds": PATIENCE}
        return self.live.call("execution_launch", {**wish, **options})

    def task(self) -> str:
        wish = {"name": "Shop", "objective": "o", "repository_path": str(self.repository)}
        mission = self.live.call("start_mission", wish)["mission_id"]
        tasks = [{"name": "Sort the shelves", "description": "Largest first", "sequence": 1}]
        return str(self.live.call("workflow_add_tasks", {"id": mission, "tasks": tasks})["task_ids"][0])

    def ended(self, execution: str) -> dict[str, Any]:
        """The execution once its client has ended."""
        until(lambda: self.live.call("execution_get", {"id": execution})["ended_at"], PATIENCE)
        return self.live.call("execution_get", {"id": execution})

    def said(self, execution: str) -> list[dict[str, Any]]:
        found = self.live.call("execution_observations", {"execution_id": execution})
        return found["observations"][::-1]

    def transcript(self, execution: str) -> str:
        """What it showed, for whoever reads a failure."""
        folder = self.live.app.supervisor.folder(execution)
        return "\n".join(path.read_text()[-6000:] for path in sorted(folder.glob("transcript*.cast")))

    def _environment(self) -> dict[str, str]:
        path = [str(PROGRAMS), str(node_folder() or ""), os.environ["PATH"]]
        return {"PATH": os.pathsep.join(path), "HOME": str(self.home), "LANG": "C.UTF-8"}


_SETTINGS: dict[str, Any] = {
    "claude-code": lambda room: {
        "ANTHROPIC_BASE_URL": room.model.url,
        "ANTHROPIC_API_KEY": CLAUDE_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    },
    "codex": lambda room: {"CODEX_HOME": str(room.home / "codex"), "OPENAI_SCRIPTED_KEY": "scripted-model-key"},
    # A file of its own: in its usual folder this client installs plugins over the network first.
    "opencode": lambda room: {
        "OPENCODE_CONFIG": str(room.home / "opencode.json"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    },
    "copilot-cli": lambda room: {
        "COPILOT_PROVIDER_BASE_URL": f"{room.model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "scripted-model-key",
        "COPILOT_MODEL": "gpt-4.1",
        "COPILOT_OFFLINE": "true",
    },
    "gemini-cli": lambda room: {
        "GEMINI_API_KEY": "scripted-model-key",
        "GOOGLE_GEMINI_BASE_URL": room.model.url,
        "GEMINI_MODEL": "gemini-2.5-flash",
    },
    "pi": lambda room: {"PI_CODING_AGENT_DIR": str(room.home / "pi"), "PI_OFFLINE": "1"},
}


def _codex_arguments(room: Room) -> list[str]:
    settings = {
        "model": "gpt-5",
        "model_provider": "scripted",
        "model_providers.scripted.name": "scripted",
        "model_providers.scripted.base_url": f"{room.model.url}/v1",
        "model_providers.scripted.env_key": "OPENAI_SCRIPTED_KEY",
        "model_providers.scripted.wire_api": "responses",
    }
    return [part for key, value in settings.items() for part in ("-c", f"{key}={json.dumps(value)}")]


_ARGUMENTS: dict[str, Any] = {
    "codex": _codex_arguments,
    "opencode": lambda _: ["--model", "anthropic/claude-sonnet-4-5"],
    "pi": lambda _: ["--provider", "scripted", "--model", "scripted"],
}


def _write_homes(home: Path, url: str, repository: Path) -> None:
    """What users of these clients have in their homes: a chosen login, a provider of their own."""
    trusted = {str(repository): {"hasTrustDialogAccepted": True}}
    approved = {"approved": [CLAUDE_KEY[-20:]], "rejected": []}
    claude = {"hasCompletedOnboarding": True, "theme": "dark", "projects": trusted, "customApiKeyResponses": approved}
    files = {
        ".claude.json": json.dumps(claude),
        "codex/config.toml": f'[projects."{repository}"]\ntrust_level = "trusted"\n',
        ".copilot/config.json": json.dumps({"trustedFolders": [str(repository)]}),
        ".gemini/settings.json": json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}),
        "opencode.json": json.dumps(
            {
                "autoupdate": False,
                "share": "disabled",
                "small_model": "anthropic/claude-sonnet-4-5",
                "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1", "apiKey": "scripted-model-key"}}},
            }
        ),
        "pi/models.json": json.dumps(
            {
                "providers": {
                    "scripted": {
                        "baseUrl": f"{url}/v1",
                        "api": "openai-completions",
                        "apiKey": "scripted-model-key",
                        "models": [{"id": "scripted"}],
                    }
                }
            }
        ),
    }
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)


@pytest.fixture(scope="module")
def room(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    base = tmp_path_factory.mktemp("clients")
    (base / "mission").mkdir(mode=0o700)
    settings = Settings(home=base / "mission", host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    repository = base / "repository"
    repository.mkdir()
    (repository / "README.md").write_text("hello\n")
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)  # else clients look at the one around it
    try:
        with model() as scripted, serving(settings) as live:
            _write_homes(base / "home", scripted.url, repository)
            yield Room(live=live, model=scripted, home=base / "home", repository=repository)
    finally:
        shutil.rmtree(base, ignore_errors=True)


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
    room.model.steps = [Say(_printed)]

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


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What the condition gives, once it is true; asked now and then, since the clients need the processor."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
    return value


def _printed(conversation: str) -> str:
    """What an agent prints that reads its instructions."""
    found = re.search(r"with agentExecutionId (x_[0-9a-z]{10})", conversation)
    execution = found[1] if found else "unknown"
    signal = {"type": "progress", "summary": "printed"}
    marker = {"version": 1, "agentExecutionId": execution, "eventId": "m1", "signal": signal}
    return f"I am on it.\n@task::{json.dumps(marker)}\nDone."


def _assert_nothing_secret_in_the_open(room: Room, execution: str) -> None:
    folder = room.live.app.supervisor.folder(execution)
    until(lambda: room.live.app.supervisor.follower(execution) is None, PATIENCE)
    assert {path.name.partition(".")[0] for path in folder.iterdir()} == {"transcript"}
