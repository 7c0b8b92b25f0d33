"""Claude Code: `.claude.json` of the user or `.mcp.json` of the project, hooks in its settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mission.runtime.adapters.base import Adapter, Command, ListedHooks, Place, Scope, Servers, stdio_entry


def _servers(place: Place, scope: Scope) -> list[Path]:
    if scope is Scope.PROJECT:
        return [place.project / ".mcp.json"]
    return [place.folder("CLAUDE_CONFIG_DIR") / ".claude.json"]


def _settings(place: Place, scope: Scope) -> Path:
    if scope is Scope.PROJECT:
        # The local file: a hook names a path of this machine, which would fail on a colleague's.
        return place.project / ".claude" / "settings.local.json"
    return place.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"


def _entry(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **stdio_entry(command), "alwaysLoad": True}


ADAPTER = Adapter(
    name="claude-code",
    title="Claude Code",
    program="claude",
    servers=Servers(files=_servers, table="mcpServers", entry=_entry),
    # Stop comes after every turn of a living session: a sign of life, not the end.
    hooks=ListedHooks(path=_settings, events=("SessionStart", "PostToolUse", "Stop", "SessionEnd")),
    next_steps={"project": "Claude Code asks once whether it may use this project's servers."},
)
