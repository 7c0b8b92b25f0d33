"""Gemini CLI: servers and hooks both stand in `.gemini/settings.json` of the user or project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mission.runtime.adapters.base import HOOK_SECONDS, Adapter, ListedHooks, Place, Scope, Servers


def _settings(place: Place, scope: Scope) -> Path:
    folder = place.project if scope is Scope.PROJECT else place.folder("GEMINI_CLI_HOME")
    return folder / ".gemini" / "settings.json"


def _hook(line: str) -> dict[str, Any]:
    # This client counts the time of a hook in milliseconds.
    return {"hooks": [{"type": "command", "command": line, "timeout": HOOK_SECONDS * 1000}]}


ADAPTER = Adapter(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    servers=Servers(files=lambda place, scope: [_settings(place, scope)], table="mcpServers"),
    hooks=ListedHooks(path=_settings, events=("SessionStart", "AfterTool", "AfterAgent", "SessionEnd"), hook=_hook),
    next_steps={
        "user": "Gemini CLI starts servers only in folders that you trust.",
        "project": "Gemini CLI reads a project's settings once you trust the folder.",
    },
)
