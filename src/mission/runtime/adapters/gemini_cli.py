"""Gemini CLI: servers and hooks are both in `.gemini/settings.json` of the user or project."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mission.domain.errors import InvalidState
from mission.runtime.adapters.client_events import (
    AgentText,
    ClientEvent,
    Denied,
    Failed,
    RawEvent,
    Session,
    ToolEnded,
    ToolStarted,
    Usage,
    UsageCount,
)
from mission.runtime.adapters.config_adapter import (
    HOOK_SECONDS,
    Adapter,
    ConfigLocation,
    ConfigScope,
    ListedHooks,
    Servers,
)
from mission.runtime.adapters.launch_adapter import SPEAKS_MCP, LaunchAdapter, LaunchPlan, Preparation, http_entries
from mission.runtime.config_files import jsonc_editor as jsonc
from mission.runtime.config_files.editor import BrokenText

HOME = "home"
SESSIONS = ("tmp", "history")
"""Folders of the client's sessions; linked even if they do not exist yet, so that sessions outlive the launch."""


def _settings(place: ConfigLocation, scope: ConfigScope) -> Path:
    folder = place.project if scope is ConfigScope.PROJECT else place.folder("GEMINI_CLI_HOME")
    return folder / ".gemini" / "settings.json"


def _hook(line: str) -> dict[str, Any]:
    # This client's hook timeouts are in milliseconds.
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


def _prepare(order: LaunchPlan) -> Preparation:
    session = ["--resume", order.resume] if order.resume else ["--session-id", order.session_id]
    argv = [order.program, *session, "--skip-trust", "--approval-mode", "auto_edit", *order.arguments]
    argv += ["-i", order.prompt] if order.interactive else ["-o", "stream-json", "-p", order.prompt]
    given = order.environment
    place = ConfigLocation(
        home=Path(given.get("HOME") or Path.home()), project=order.directory, environment=given, platform=sys.platform
    )
    settings = _settings(place, ConfigScope.USER)
    return Preparation(
        argv=argv,
        environment={"GEMINI_CLI_HOME": str(order.folder / HOME)},
        files={f"{HOME}/.gemini/{settings.name}": _with_servers(settings, order)},
        links=_home(settings),
    )


def _with_servers(settings: Path, order: LaunchPlan) -> str:
    """Return the user's settings with our servers added. There is no other way to add servers for a single run: a file
    named by a variable is read only if root owns it and all parent folders."""
    try:
        text = settings.read_text() if settings.exists() else ""
        for name, entry in http_entries(order.servers, form="${V}", trust=True).items():
            text = jsonc.set_value(text, ("mcpServers", name), entry)
    except (OSError, UnicodeDecodeError, BrokenText) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise InvalidState(
            f"Could not read the settings of Gemini CLI: {reason}",
            hint="Fix .gemini/settings.json in your home; a launch adds its servers to a copy of it.",
        ) from None
    return text


def _home(settings: Path) -> dict[str, Path]:
    """Return the links of a home that shares all but the settings with the user: login, extensions, sessions."""
    folder = settings.parent
    own = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    found = {f"{HOME}/.gemini/{name}": folder / name for name in {*own, *SESSIONS} - {settings.name}}
    siblings = [folder.parent / name for name in (".agents", ".env")]
    return found | {f"{HOME}/{path.name}": path for path in siblings if path.exists()}


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:  # noqa: ARG001
    if event["type"] == "init":
        yield Session(event["session_id"])
    elif event["type"] == "message" and event["role"] == "assistant":
        yield AgentText(event["content"], complete=not event.get("delta"))
    elif event["type"] == "tool_use":
        yield ToolStarted(event["tool_id"])
    elif event["type"] == "tool_result":
        yield ToolEnded(event["tool_id"])
        problem = (event.get("error") or {}) if event.get("status") == "error" else {}
        if "policy" in str(problem).lower() or "denied" in str(problem).lower():
            yield Denied(str(event.get("tool_id", "")).partition("__")[0], str(problem.get("message", ""))[:200])
    elif event["type"] == "result":
        stats = event.get("stats") or {}
        yield Usage(
            {
                "input_tokens": stats.get("input_tokens", 0),
                "output_tokens": stats.get("output_tokens", 0),
                "cached_tokens": stats.get("cached", 0),
            }
        )
        if event.get("status") == "error":
            yield Failed(str((event.get("error") or {}).get("message")))


LAUNCH = LaunchAdapter(
    name="gemini-cli",
    title="Gemini CLI",
    program="gemini",
    runtime="gemini_cli",
    capabilities=SPEAKS_MCP,
    prepare=_prepare,
    read=_read,
    variables=("GEMINI_*", "GOOGLE_*"),
)
