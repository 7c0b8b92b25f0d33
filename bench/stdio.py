"""A server on stdin and stdout as a client sees it: a process that answers line by line."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from bench.protocol import Era
from bench.server import environment

MISSION = str(Path(sys.executable).with_name("mission"))
EMPTY = (sys.executable, "-m", "bench.empty", "--stdio")


class StdioServer:
    """A process that serves MCP, ready for calls; as a context manager it ends the process."""

    def __init__(self, command: Sequence[str], home: Path, era: Era) -> None:
        begun = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd="/",  # outside any tree: this measures the bridge, not a snapshot
            env=environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self.greeting = b"" if era.stateless else self.exchange(era.initialize() + b"\n")
        self.seconds_to_greeting = time.perf_counter() - begun
        if not era.stateless:
            self._input.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def exchange(self, request: bytes) -> bytes:
        self._input.write(request)
        answer = b""
        while not answer.endswith(b"\n"):
            part = self._output.read(262_144)
            if not part:
                raise ConnectionError("the server ended")
            answer += part
        return answer

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def resident_bytes(self) -> int:
        return resident_bytes(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._input.close()
        self._process.wait(timeout=10)
        self._output.close()


class Bridge(StdioServer):
    """A bridge to the daemon of that home."""

    def __init__(self, home: Path, era: Era) -> None:
        super().__init__([MISSION, "mcp"], home, era)


class Standalone(StdioServer):
    """A standalone server on the store of that home."""

    def __init__(self, home: Path, era: Era) -> None:
        super().__init__([MISSION, "mcp", "--standalone"], home, era)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process, in bytes."""
    listed = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(listed.stdout) * 1024
