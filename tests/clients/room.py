"""A room for real agent clients: a daemon, a scripted model, and a home that knows nothing of the real one."""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.install import PROGRAMS, node_folder
from tests.clients.scripted_model import Model
from tests.transports.live_server import Live

PATIENCE = 300.0
WANTED = os.environ.get("MISSION_TEST_CLIENTS") == "1"
NEEDS_CLIENTS = [
    pytest.mark.skipif(not WANTED, reason="'make test-clients' runs these, with real clients"),
    pytest.mark.skipif(WANTED and not PROGRAMS.is_dir(), reason="the clients are not installed"),
]
CLAUDE_KEY = "sk-ant-scripted-model-key"


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
        (folder / handover).write_text(json.dumps(self.environment(adapter)))
        arguments = self.arguments(adapter, options.pop("arguments", []))
        task = options.pop("task", None) or self.task()
        wish = {"task_id": task, "adapter": adapter, "arguments": arguments, "handover": handover, "seconds": PATIENCE}
        return self.live.call("execution_launch", {**wish, **options})

    def task(self, *, repository: Path | None = None, checks: Sequence[Any] = ()) -> str:
        wish = {"name": "Shop", "objective": "o", "repository_path": str(repository or self.repository)}
        mission = self.live.call("start_mission", wish)["mission_id"]
        if checks:
            self.live.call("checks_set", {"scope": "mission", "id": mission, "checks": list(checks)})
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
        """What it showed, for the reader of a failure."""
        folder = self.live.app.launcher.folder(execution)
        return "\n".join(path.read_text()[-6000:] for path in sorted(folder.glob("transcript*.cast")))

    def arguments(self, adapter: str, more: Sequence[str] = ()) -> list[str]:
        """What a user of the client adds to its command line to reach the model."""
        return [*_ARGUMENTS.get(adapter, lambda _: [])(self), *more]

    def environment(self, adapter: str) -> dict[str, str]:
        """The variables of a user of the client."""
        path = [str(PROGRAMS), str(node_folder() or ""), os.environ["PATH"]]
        common = {"PATH": os.pathsep.join(path), "HOME": str(self.home), "LANG": "C.UTF-8"}
        return {**common, **_SETTINGS[adapter](self)}


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


def write_homes(home: Path, url: str, repository: Path) -> None:
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


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What the condition gives, once it is true; asked now and then, since the clients need the processor."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)
    return value
