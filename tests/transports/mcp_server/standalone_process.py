"""A standalone server as a process, and its client, who writes lines and reads lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Json = dict[str, Any]
MODERN = "2026-07-28"
HELLO: Json = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Standalone:
    """One session; `ask` waits for the answer of its own request and keeps the others."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.others: list[Json] = []
        self._last = 0

    def tell(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def read(self) -> Json:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        found: Json = json.loads(line)
        return found

    def ask(self, method: str, params: Json | None = None, *, modern: bool = False, **more: Any) -> Json:
        self._last += 1
        given = {**(params or {}), **({"_meta": MODERN_META} if modern else {})}
        self.tell({"jsonrpc": "2.0", "id": self._last, "method": method, "params": given, **more})
        while (answer := self.read()).get("id") != self._last:
            self.others.append(answer)
        return answer

    def call(self, tool: str, arguments: Json | None = None, **options: Any) -> Json:
        result: Json = self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, **options)["result"]
        return result

    def greet(self) -> Json:
        self.tell(HELLO)
        answer = self.read()
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def listed(self) -> set[str]:
        return {tool["name"] for tool in self.ask("tools/list")["result"]["tools"]}

    def end(self) -> tuple[str, str]:
        """Close the input, and return the rest of what the server wrote."""
        return self.process.communicate(timeout=60)


@contextmanager
def standalone(
    home: Path, *arguments: str, program: Sequence[str] = ("-m", "mission", "mcp", "--standalone"), **variables: str
) -> Iterator[Standalone]:
    process = subprocess.Popen(
        [sys.executable, *program, *arguments],
        env={**os.environ, "MISSION_HOME": str(home), **variables},
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Standalone(process)
    finally:
        process.kill()
        process.communicate()
