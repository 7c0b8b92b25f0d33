"""Cursor: `mcp.json` and `hooks.json` in `.cursor` of the user or project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mission.runtime.adapters.config_adapter import (
    HOOK_SECONDS,
    Adapter,
    ConfigLocation,
    ConfigScope,
    ListedHooks,
    Servers,
)


def _folder(place: ConfigLocation, scope: ConfigScope) -> Path:
    return (place.project if scope is ConfigScope.PROJECT else place.home) / ".cursor"


def _hook(line: str) -> dict[str, Any]:
    return {"command": line, "timeout": HOOK_SECONDS}


ADAPTER = Adapter(
    name="cursor",
    title="Cursor",
    program="cursor",
    servers=Servers(files=lambda place, scope: [_folder(place, scope) / "mcp.json"], table="mcpServers"),
    hooks=ListedHooks(
        path=lambda place, scope: _folder(place, scope) / "hooks.json",
        events=("sessionStart", "postToolUse", "stop", "sessionEnd"),
        hook=_hook,
        opening={"version": 1},
    ),
    next_steps={"user": "Turn the new server on in Cursor under Settings > MCP."},
)
