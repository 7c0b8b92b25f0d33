"""An MCP server on standard input and output, as a client sees it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.stdio import resident_bytes

PROTOCOL = "2025-06-18"


class CallFailed(Exception):
    """The server refused a call that should be measured."""


class Connection:
    """A started server, ready for calls; as a context manager it ends the process."""

    def __init__(self, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> None:
        begun = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._id = 0
        client = {"name": "bench", "version": "1"}
        self._ask("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._ask("tools/list", {})
        self.seconds_to_first_list = time.perf_counter() - begun

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[float, str]:
        """Call a tool; return the seconds that it took, and the text of the answer."""
        begun = time.perf_counter()
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        seconds = time.perf_counter() - begun
        result = answer.get("result") or {}
        text = "".join(part.get("text", "") for part in result.get("content", []))
        if "error" in answer or result.get("isError"):
            raise CallFailed(f"{tool}: {text or answer.get('error')}"[:300])
        return seconds, text

    @property
    def resident_bytes(self) -> int:
        return resident_bytes(self._process.pid)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        self._process.wait(timeout=10)

    def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:  # some servers ask for the client's folders first
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": []}})
            elif message.get("id") == self._id:
                return message

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            try:
                return dict(json.loads(line))
            except ValueError:
                continue  # a line that is not part of the protocol, such as a greeting
        raise ConnectionError("the server ended")
