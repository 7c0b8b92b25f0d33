"""Codex: `config.toml` and `hooks.json` in CODEX_HOME or in the project's `.codex`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mission.runtime.adapters.client_events import (
    AgentText,
    ClientEvent,
    Denied,
    Failed,
    RawEvent,
    Session,
    ToolEnded,
    ToolStarted,
    UsageCount,
)
from mission.runtime.adapters.config_adapter import Adapter, ConfigLocation, ConfigScope, ListedHooks, Servers
from mission.runtime.adapters.launch_adapter import SPEAKS_MCP, LaunchAdapter, LaunchPlan, Preparation
from mission.runtime.config_files import toml_editor as toml


def _folder(place: ConfigLocation, scope: ConfigScope) -> Path:
    return place.project / ".codex" if scope is ConfigScope.PROJECT else place.folder("CODEX_HOME", ".codex")


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


def _prepare(order: LaunchPlan) -> Preparation:
    # Pass everything on the command line: the configuration folder holds the user's login and must not change.
    settings: dict[str, Any] = {"sandbox_mode": "workspace-write"}
    if not order.interactive:
        settings["approval_policy"] = "never"  # nobody is there to ask: what the sandbox does not allow is denied
    for server in order.servers:
        entry = f"mcp_servers.{server.name}"
        settings |= {
            f"{entry}.url": server.url,
            f"{entry}.bearer_token_env_var": server.token_variable,
            f"{entry}.required": True,
            f"{entry}.default_tools_approval_mode": "approve",
        }
    options = [part for key, value in settings.items() for part in ("-c", f"{key}={json.dumps(value)}")]
    if order.interactive:
        verb = ["resume", order.resume] if order.resume else []
        argv = [order.program, *verb, *options]
    else:
        verb = ["exec", "resume"] if order.resume else ["exec"]
        argv = [order.program, *verb, "--json", "--skip-git-repo-check", *options]
    session = [order.resume] if order.resume and not order.interactive else []
    return Preparation(argv=[*argv, *order.arguments, "--", *session, order.prompt])


_TOOLS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search"})
"""Items that are tool calls; others stay open between them, such as the list of things to do."""


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:
    kind = event["type"]
    if kind == "thread.started":
        yield Session(event["thread_id"])
    elif kind == "item.started" and event["item"]["type"] in _TOOLS:
        yield ToolStarted(event["item"]["id"])
    elif kind == "item.completed":
        item = event["item"]
        if item["type"] in _TOOLS and "id" in item:
            yield ToolEnded(item["id"])
        if item["type"] == "agent_message":
            yield AgentText(item["text"])
        elif item.get("status") == "declined":
            yield Denied(item["type"], str(item.get("command") or item.get("tool") or "")[:200])
    elif kind == "turn.completed":
        usage = event["usage"]
        yield counter.add(
            input_tokens=usage.get("input_tokens"),
            output_tokens=usage.get("output_tokens"),
            cached_tokens=usage.get("cached_input_tokens"),
        )
    elif kind == "turn.failed":
        yield Failed(str(event["error"]["message"]))


LAUNCH = LaunchAdapter(
    name="codex",
    title="Codex",
    program="codex",
    runtime="codex",
    capabilities=SPEAKS_MCP,
    prepare=_prepare,
    read=_read,
    variables=("OPENAI_*", "CODEX_*", "AZURE_OPENAI_*"),
)
