"""Visual Studio Code: `mcp.json` of the user's profile or `.vscode/mcp.json` of the project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, Servers, stdio_entry


def _files(place: ConfigLocation, scope: ConfigScope) -> list[Path]:
    if scope is ConfigScope.PROJECT:
        return [place.project / ".vscode" / "mcp.json"]
    return [_user_folder(place) / "User" / "mcp.json"]


def _user_folder(place: ConfigLocation) -> Path:
    if place.environment.get("VSCODE_PORTABLE"):
        return place.folder("VSCODE_PORTABLE") / "user-data"
    if place.platform == "darwin":
        return place.home / "Library" / "Application Support" / "Code"
    return place.folder("XDG_CONFIG_HOME", ".config") / "Code"


def _entry(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **stdio_entry(command)}


ADAPTER = Adapter(
    name="vscode",
    title="Visual Studio Code",
    program="code",
    servers=Servers(files=_files, table="servers", entry=_entry),
    why_no_hooks="its hooks are a preview, and none reports the end of a session",
    next_steps={"user": "Visual Studio Code asks once whether it may start the server."},
)
