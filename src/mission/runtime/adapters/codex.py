"""Codex: `config.toml` and `hooks.json` in CODEX_HOME or in the project's `.codex`."""

from __future__ import annotations

from pathlib import Path

from mission.runtime.adapters.base import Adapter, ListedHooks, Place, Scope, Servers
from mission.runtime.kept import toml


def _folder(place: Place, scope: Scope) -> Path:
    return place.project / ".codex" if scope is Scope.PROJECT else place.folder("CODEX_HOME", ".codex")


ADAPTER = Adapter(
    name="codex",
    title="Codex",
    program="codex",
    servers=Servers(
        files=lambda place, scope: [_folder(place, scope) / "config.toml"],
        table="mcp_servers",
        editor=toml,
    ),
    hooks=ListedHooks(
        path=lambda place, scope: _folder(place, scope) / "hooks.json",
        events=("SessionStart", "PostToolUse", "Stop", "SessionEnd"),
    ),
    next_steps={
        "project": "Codex reads a project's configuration once the project is trusted.",
        "hooks": "Codex runs new hooks only after you trust them: type /hooks in Codex once.",
    },
)
