"""A stand-in for `claude` in the tutorial: finds its MCP server where the real one does, and plays the model itself."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.journeys.tutorial_model import Done, ToolCall, WriteFile, next_step

HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "scripted", "version": "1"}}


def over_http(server: dict[str, Any]) -> Callable[[str, dict[str, Any]], str]:
    """Return a function that calls a tool of a server given by --mcp-config."""
    filled = {
        name: re.sub(r"\$\{(\w+)\}", lambda v: os.environ[v[1]], text) for name, text in server["headers"].items()
    }
    headers = {**filled, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    def call(tool: str, arguments: dict[str, Any]) -> str:
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        sent = urllib.request.Request(server["url"], json.dumps(request).encode(), headers)
        with urllib.request.urlopen(sent, timeout=120) as answer:
            return str(answer.read().decode())

    return call


def over_stdio(server: dict[str, Any]) -> Callable[[str, dict[str, Any]], str]:
    """Return a function that calls a tool of the server that `mission setup` wrote into the configuration."""
    process = subprocess.Popen(
        [server["command"], *server["args"]],
        env={**os.environ, **server.get("env", {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def send(method: str, params: dict[str, Any]) -> str:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        return process.stdout.readline()

    send("initialize", HANDSHAKE)
    return lambda tool, arguments: send("tools/call", {"name": tool, "arguments": arguments})


def main(arguments: list[str]) -> None:
    if "--mcp-config" in arguments:
        config = json.loads(Path(arguments[arguments.index("--mcp-config") + 1]).read_text())
        call = over_http(config["mcpServers"]["mission"])
    else:
        config = json.loads((Path.home() / ".claude.json").read_text())
        call = over_stdio(config["mcpServers"]["mission"])
    seen, turn = arguments[-1], 0
    while not isinstance(step := next_step(seen, turn), Done):
        if isinstance(step, ToolCall):
            seen += call(step.tool, step.arguments)
        elif isinstance(step, WriteFile):
            Path(step.name).write_text(step.text)
        turn += 1
    session = arguments[arguments.index("--session-id") + 1] if "--session-id" in arguments else "none"
    events: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": session, "mcp_servers": _connected(config)},
        {"type": "result", "usage": {"input_tokens": 1200, "output_tokens": 300}, "total_cost_usd": 0.02},
    ]
    sys.stdout.write("".join(f"{json.dumps(event)}\n" for event in events))


def _connected(config: dict[str, Any]) -> list[dict[str, str]]:
    return [{"name": name, "status": "connected"} for name in config["mcpServers"]]


if __name__ == "__main__":
    main(sys.argv[1:])
