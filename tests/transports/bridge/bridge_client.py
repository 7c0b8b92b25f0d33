"""Talking to a bridge: a process of its own, in a home where some server stands in for the daemon."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from mission import __version__

SERVER = Path(__file__).with_name("sdk_server.py")
STANDIN = Path(__file__).parents[1] / "fake_daemon.py"
BRIDGE = [sys.executable, "-m", "mission", "mcp"]
MODERN = "2026-07-28"
PATIENCE = 60.0
Json = dict[str, Any]


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
    return value


def environment(home: Path, **more: str) -> dict[str, str]:
    ours = ("MISSION_", "CLAUDE_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "MISSION_HOME": str(home), "MISSION_PORT": "0", **more}


def make_home(path: Path, program: Path) -> Path:
    """A MISSION_HOME in which `mission up` runs that program."""
    (path / "mission").mkdir(parents=True)
    (path / "mission" / "__init__.py").write_text(f"__version__ = {__version__!r}\n")
    run = f"import runpy\nrunpy.run_path({str(program)!r}, run_name='__main__')\n"
    (path / "mission" / "__main__.py").write_text(run)
    return path


def start_daemon(home: Path) -> subprocess.Popen[bytes]:
    daemon = subprocess.Popen([sys.executable, "-m", "mission", "up"], cwd=home, env=environment(home))
    until(lambda: described(home).get("pid") == daemon.pid)
    return daemon


def described(home: Path) -> Json:
    try:
        return cast(Json, json.loads((home / "daemon.json").read_text()))
    except (OSError, ValueError):
        return {}


def end_daemon(home: Path) -> None:
    """End the daemon that the home describes, also one that a bridge started."""
    pid = described(home).get("pid", os.getpid())
    if pid != os.getpid():  # tests may describe themselves
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def requests(home: Path) -> list[Json]:
    path = home / "requests.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Talk:
    """A bridge and the lines it has written."""

    def __init__(self, home: Path, *arguments: str, cwd: Path | None = None, **more: str) -> None:
        self.process = subprocess.Popen(
            [*BRIDGE, *arguments],
            env=environment(home, **more),
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin
        assert self.process.stdout
        self._input = self.process.stdin
        self._output = self.process.stdout
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._output:
            self._lines.put(line)

    def send(self, message: Json | bytes) -> None:
        self._input.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self._input.flush()

    def next(self, seconds: float = PATIENCE) -> Json:
        return cast(Json, json.loads(self._lines.get(timeout=seconds)))

    def ask(self, message: Json | bytes) -> Json:
        self.send(message)
        return self.next()

    def end_input(self) -> int:
        self._input.close()
        return self.process.wait(PATIENCE)

    def errors(self) -> str:
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def silent(self) -> bool:
        return self._lines.empty()


def initialize(identifier: int | str = 0, version: str = "2025-06-18") -> Json:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "initialize", "params": params}


def call(identifier: int | str, name: str, /, *, meta: Json | None = None, **arguments: Any) -> Json:
    """A tools/call of the stateless era."""
    era = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": {**era, **(meta or {})}}
    return {"jsonrpc": "2.0", "id": identifier, "method": "tools/call", "params": params}


def text_of(answer: Json) -> str:
    return cast(str, answer["result"]["content"][0]["text"])


def error_of(answer: Json) -> Json:
    assert answer["result"]["isError"] is True
    return cast(Json, json.loads(text_of(answer))["error"])


def client(home: Path, *arguments: str, mode: Any = "auto") -> Client:
    command, *rest = [*BRIDGE, *arguments]
    return Client(StdioServerParameters(command=command, args=rest, env=environment(home)), mode=mode)
