"""OpenCode: `opencode.json` of the user or project; its hooks are a small plugin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mission.runtime.adapters.client_events import AgentText, ClientEvent, Denied, Failed, RawEvent, Session, UsageCount
from mission.runtime.adapters.config_adapter import Adapter, Command, ConfigLocation, ConfigScope, OwnFile, Servers
from mission.runtime.adapters.launch_adapter import SPEAKS_MCP, LaunchAdapter, LaunchPlan, Preparation


def _folder(place: ConfigLocation) -> Path:
    return place.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def _files(place: ConfigLocation, scope: ConfigScope) -> list[Path]:
    folder = place.project if scope is ConfigScope.PROJECT else _folder(place)
    return [folder / "opencode.json", folder / "opencode.jsonc"]


def _plugin_file(place: ConfigLocation, scope: ConfigScope) -> Path:
    folder = place.project / ".opencode" if scope is ConfigScope.PROJECT else _folder(place)
    return folder / "plugins" / "mission.js"


def _entry(command: Command) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "local", "command": [command.program, *command.arguments], "enabled": True}
    if command.environment:
        entry["environment"] = dict(command.environment)
    return entry


def _plugin(client: str, command: Command) -> str:
    return _PLUGIN.replace("COMMAND", json.dumps(command.line("hook", client), ensure_ascii=False))


_PLUGIN = """\
// Notifies Mission Control when an OpenCode session starts, works and ends.
// Written by `mission setup opencode --hooks`; remove it with `mission setup --remove opencode`.
import { spawn, spawnSync } from "node:child_process"

const command = COMMAND

const subagents = new Set()
const sessions = new Map()

function notify(event, id, directory, wait) {
  const input = JSON.stringify({ session_id: id, cwd: directory })
  try {
    if (wait) {
      spawnSync(`${command} ${event}`, { shell: true, input, timeout: 4000, stdio: ["pipe", "ignore", "ignore"] })
      return
    }
    const child = spawn(`${command} ${event}`, { shell: true, stdio: ["pipe", "ignore", "ignore"] })
    child.on("error", () => {})
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  } catch {}
}

export const MissionControl = async ({ directory }) => {
  const alive = (id) => {
    if (!id || subagents.has(id)) return
    if (!sessions.has(id)) sessions.set(id, directory)
    notify("tool.execute.after", id, sessions.get(id), false)
  }
  return {
    event: async ({ event }) => {
      const session = event.properties?.info
      if (event.type === "session.created" && session) {
        if (session.parentID) {
          subagents.add(session.id)
          return
        }
        sessions.set(session.id, session.directory ?? directory)
        notify("session.start", session.id, sessions.get(session.id), false)
      } else if (event.type === "session.idle") {
        alive(event.properties?.sessionID)
      } else if (event.type === "session.deleted" && session && sessions.delete(session.id)) {
        notify("session.end", session.id, directory, false)
      }
    },
    "tool.execute.after": async (input) => alive(input.sessionID),
    dispose: async () => {
      for (const [id, where] of sessions) notify("session.end", id, where, true)
      sessions.clear()
    },
  }
}
"""


ADAPTER = Adapter(
    name="opencode",
    title="OpenCode",
    program="opencode",
    servers=Servers(files=_files, table="mcp", entry=_entry, environment_key="environment"),
    hooks=OwnFile(path=_plugin_file, text=_plugin),
)


def _prepare(order: LaunchPlan) -> Preparation:
    servers = {
        each.name: {
            "type": "remote",
            "url": each.url,
            "oauth": False,
            "headers": each.header("{env:V}"),
            "enabled": True,
        }
        for each in order.servers
    }
    session = ["--session", order.resume] if order.resume else []
    # Without a person it rejects what it would ask about. Its agent should read that and continue, not end.
    config = {"mcp": servers, "experimental": {"continue_loop_on_deny": True}}
    if order.interactive:
        argv = [order.program, str(order.directory), *session, *order.arguments, "--prompt", order.prompt]
    else:
        argv = [order.program, "run", "--format", "json", *session, *order.arguments, "--", order.prompt]
    return Preparation(argv=argv, environment={"OPENCODE_CONFIG_CONTENT": json.dumps(config)})


def _read(event: RawEvent, counter: UsageCount) -> Iterator[ClientEvent]:
    part = event.get("part") or {}
    if event["type"] == "step_start":
        yield Session(event["sessionID"])
    elif event["type"] == "text":
        yield AgentText(part["text"])
    elif event["type"] == "step_finish":
        tokens = part["tokens"]
        yield counter.add(
            input_tokens=tokens.get("input"),
            output_tokens=tokens.get("output"),
            cached_tokens=tokens.get("cache", {}).get("read"),
            cost_usd=part.get("cost"),
        )
    elif event["type"] == "tool_use" and part["state"]["status"] == "error":
        reason = str(part["state"].get("error", ""))
        if "permission" in reason.lower() or "rejected" in reason.lower():
            yield Denied(part["tool"], json.dumps(part["state"].get("input") or reason, ensure_ascii=False)[:200])
    elif event["type"] == "error":
        problem = event.get("error") or {}
        yield Failed(str((problem.get("data") or {}).get("message") or problem.get("name") or problem))


LAUNCH = LaunchAdapter(
    name="opencode",
    title="OpenCode",
    program="opencode",
    runtime="opencode",
    capabilities=SPEAKS_MCP,
    prepare=_prepare,
    read=_read,
    variables=("OPENCODE_*", "*_API_KEY", "ANTHROPIC_*", "OPENAI_*", "AWS_*", "GOOGLE_*"),
)
