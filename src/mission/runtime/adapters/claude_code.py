"""Claude Code: `.claude.json` of the user or `.mcp.json` of the project, hooks in its settings."""

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
    ServerState,
    Session,
    ToolEnded,
    ToolStarted,
    Usage,
    UsageCount,
)
from mission.runtime.adapters.config_adapter import (
    Adapter,
    Command,
    ConfigLocation,
    ConfigScope,
    ListedHooks,
    Servers,
    stdio_entry,
)
from mission.runtime.adapters.launch_adapter import SPEAKS_MCP, LaunchAdapter, LaunchPlan, Preparation, http_entries


def _servers(place: ConfigLocation, scope: ConfigScope) -> list[Path]:
    if scope is ConfigScope.PROJECT:
        return [place.project / ".mcp.json"]
    return [place.folder("CLAUDE_CONFIG_DIR") / ".claude.json"]


def _settings(place: ConfigLocation, scope: ConfigScope) -> Path:
    if scope is ConfigScope.PROJECT:
        # The local file: a hook contains a path of this machine, which would fail on another one.
        return place.project / ".claude" / "settings.local.json"
    return place.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"


def _entry(command: Command) -> dict[str, Any]:
    return {"type": "stdio", **stdio_entry(command), "alwaysLoad": True}


ADAPTER = Adapter(
    name="claude-code",
    title="Claude Code",
    program="claude",
    servers=Servers(files=_servers, table="mcpServers", entry=_entry),
    # Stop fires after every turn of a live session: a heartbeat, not the end.
    hooks=ListedHooks(path=_settings, events=("SessionStart", "PostToolUse", "Stop", "SessionEnd")),
    next_steps={"project": "Claude Code asks once whether it may use this project's servers."},
)


def _prepare(order: LaunchPlan) -> Preparation:
    config = {"mcpServers": http_entries(order.servers, form="${V}", alwaysLoad=True)}
    session = ["--resume", order.resume] if order.resume else ["--session-id", order.session_id]
    headless = [] if order.interactive else ["-p", "--output-format", "stream-json", "--verbose"]
    argv = [order.program, *headless, *session, "--permission-mode", "acceptEdits"]
    argv += ["--mcp-config", str(order.folder / "mcp.json"), "--strict-mcp-config"]
    for server in order.servers:
        argv += ["--allowedTools", f"mcp__{server.name}"]
    return Preparation(argv=[*argv, *order.arguments, "--", order.prompt], files={"mcp.json": json.dumps(config)})


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:  # noqa: ARG001
    if event["type"] == "system" and event.get("subtype") == "init":
        yield Session(event["session_id"])
        for server in event.get("mcp_servers", []):
            yield ServerState(server["name"], server["status"], server.get("error") or "")
    elif event["type"] == "assistant":
        for block in event["message"]["content"]:
            if block["type"] == "text" and event.get("parent_tool_use_id") is None:
                yield AgentText(block["text"])
            elif block["type"] == "tool_use" and "id" in block:
                yield ToolStarted(block["id"])
    elif event["type"] == "user" and isinstance(content := event["message"]["content"], list):
        yield from (ToolEnded(block["tool_use_id"]) for block in content if block.get("type") == "tool_result")
    elif event["type"] == "result":
        usage = event.get("usage") or {}
        yield Usage(
            {
                "input_tokens": usage.get("input_tokens", 0),
                "output_tokens": usage.get("output_tokens", 0),
                "cached_tokens": usage.get("cache_read_input_tokens", 0),
                "cost_usd": event.get("total_cost_usd") or 0,
            }
        )
        for denial in event.get("permission_denials", []):
            yield Denied(denial["tool_name"], json.dumps(denial.get("tool_input"), ensure_ascii=False)[:200])
        if event.get("is_error"):
            yield Failed(str(event.get("result") or event.get("subtype")))


LAUNCH = LaunchAdapter(
    name="claude-code",
    title="Claude Code",
    program="claude",
    runtime="claude_code",
    capabilities=SPEAKS_MCP,
    prepare=_prepare,
    read=_read,
    variables=(
        "ANTHROPIC_*",
        "CLAUDE_CODE_*",
        "CLAUDE_CONFIG_DIR",
        "DISABLE_*",
        "AWS_*",
        "GOOGLE_*",
        "CLOUD_ML_REGION",
    ),
)
