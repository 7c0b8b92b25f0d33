"""A program called `mission` that serves two tools, and a home of its own in which clients can be connected to it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

SERVER = """#!{python}
import json, sys
if "crew" in sys.argv:
    sys.exit("no crew today")
tools = [{{"name": name, "inputSchema": {{"type": "object"}}}} for name in ("start_mission", "get_context")]
answers = {{
    "initialize": {{"capabilities": {{}}, "serverInfo": {{"name": "mission", "version": "1"}}}},
    "tools/list": {{"tools": tools}},
}}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = answers[message["method"]]
        if message["method"] == "initialize":
            answer["protocolVersion"] = message["params"]["protocolVersion"]
        print(json.dumps({{"jsonrpc": "2.0", "id": message["id"], "result": answer}}), flush=True)
"""
VARIABLES = ("MISSION_", "XDG_", "CLAUDE", "CODEX", "COPILOT")


def write_program(folder: Path, name: str, text: str) -> Path:
    """Write an executable file."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(text)
    program.chmod(0o755)
    return program


def write_server(folder: Path) -> Path:
    """Write a program called `mission` that serves two tools."""
    return write_program(folder, "mission", SERVER.format(python=sys.executable))


def write_client(folder: Path, name: str, *, version: str) -> Path:
    """Write a program that only tells its version."""
    return write_program(folder, name, f"#!/bin/sh\necho '{version} (a client)'\n")


def use_home(monkeypatch: pytest.MonkeyPatch, home: Path, *, program: Path) -> None:
    """Let this process live in that home, with no variables of clients and nothing on PATH but the program's folder."""
    for name in [name for name in os.environ if name.startswith(VARIABLES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "argv", [str(program)])
