"""GitHub Copilot CLI: `mcp-config.json` of the user or `.github/mcp.json` of the project, hooks in a file of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mission.runtime.adapters.base import HOOK_SECONDS, Adapter, Command, OwnFile, Place, Scope, Servers, stdio_entry

_EVENTS = ("sessionStart", "postToolUse", "agentStop", "sessionEnd")


def _servers(place: Place, scope: Scope) -> list[Path]:
    if scope is Scope.PROJECT:
        # It reads `.mcp.json` too, but that is Claude Code's, which refuses this client's entries.
        return [place.project / ".github" / "mcp.json"]
    return [place.folder("COPILOT_HOME", ".copilot") / "mcp-config.json"]


def _hooks_file(place: Place, scope: Scope) -> Path:
    folder = place.project / ".github" if scope is Scope.PROJECT else place.folder("COPILOT_HOME", ".copilot")
    return folder / "hooks" / "mission.json"


def _entry(command: Command) -> dict[str, Any]:
    return {"type": "local", **stdio_entry(command), "tools": ["*"]}


def _hooks(client: str, command: Command) -> str:
    hooks = {
        event: [{"type": "command", "command": command.line("hook", client, event), "timeoutSec": HOOK_SECONDS}]
        for event in _EVENTS
    }
    return json.dumps({"version": 1, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"


ADAPTER = Adapter(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    program="copilot",
    servers=Servers(files=_servers, table="mcpServers", entry=_entry),
    hooks=OwnFile(path=_hooks_file, text=_hooks),
    next_steps={"project": "Copilot reads a project's servers once you trust the folder."},
)
