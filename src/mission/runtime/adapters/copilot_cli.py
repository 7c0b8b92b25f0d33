"""GitHub Copilot CLI: `mcp-config.json` of the user or `.github/mcp.json` of the project, hooks in a file of ours."""

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
    UsageCount,
)
from mission.runtime.adapters.config_adapter import (
    HOOK_SECONDS,
    Adapter,
    Command,
    ConfigLocation,
    ConfigScope,
    OwnFile,
    Servers,
    stdio_entry,
)
from mission.runtime.adapters.launch_adapter import SPEAKS_MCP, LaunchAdapter, LaunchPlan, Preparation, http_entries

_EVENTS = ("sessionStart", "postToolUse", "agentStop", "sessionEnd")


def _servers(place: ConfigLocation, scope: ConfigScope) -> list[Path]:
    if scope is ConfigScope.PROJECT:
        # It also reads `.mcp.json`, but that file is Claude Code's, which rejects this client's entries.
        return [place.project / ".github" / "mcp.json"]
    return [place.folder("COPILOT_HOME", ".copilot") / "mcp-config.json"]


def _hooks_file(place: ConfigLocation, scope: ConfigScope) -> Path:
    folder = place.project / ".github" if scope is ConfigScope.PROJECT else place.folder("COPILOT_HOME", ".copilot")
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


def _prepare(order: LaunchPlan) -> Preparation:
    config = {"mcpServers": http_entries(order.servers, form="${V}", tools=["*"])}
    session = [f"--resume={order.resume}"] if order.resume else ["--session-id", order.session_id]
    argv = [order.program, *session, "--no-auto-update", "--allow-tool=write"]
    argv += ["--additional-mcp-config", f"@{order.folder / 'mcp.json'}"]
    argv += [f"--allow-tool={server.name}" for server in order.servers]
    prompt = ["-i", order.prompt] if order.interactive else ["--output-format", "json", "-p", order.prompt]
    return Preparation(argv=[*argv, *order.arguments, *prompt], files={"mcp.json": json.dumps(config)})


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:
    data = event.get("data") or {}
    if event["type"] == "assistant.message" and data.get("content") and not data.get("parentToolCallId"):
        yield AgentText(data["content"])
    elif event["type"] == "session.mcp_server_status_changed":
        yield ServerState(data["serverName"], data["status"], str(data.get("error") or ""))
    elif event["type"] == "assistant.usage":
        yield counter.add(
            input_tokens=data.get("inputTokens"),
            output_tokens=data.get("outputTokens"),
            cached_tokens=data.get("cacheReadTokens"),
        )
    elif event["type"] == "tool.execution_start":
        counter.tools[data["toolCallId"]] = (data["toolName"], json.dumps(data.get("arguments"), ensure_ascii=False))
        yield ToolStarted(data["toolCallId"])
    elif event["type"] == "tool.execution_complete":
        yield ToolEnded(data["toolCallId"])
        error = data.get("error") or {}
        tool, detail = counter.tools.pop(data["toolCallId"], (data["toolCallId"], str(error.get("message"))))
        if error.get("code") == "denied":
            yield Denied(tool, detail[:200])
    elif event["type"] == "session.error":
        yield Failed(str(data.get("message")))
    elif event["type"] == "result":
        yield Session(event["sessionId"])


LAUNCH = LaunchAdapter(
    name="copilot-cli",
    title="GitHub Copilot CLI",
    program="copilot",
    runtime="copilot_cli",
    capabilities=SPEAKS_MCP,
    prepare=_prepare,
    read=_read,
    variables=("COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "GH_HOST"),
)
