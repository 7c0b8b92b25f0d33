"""The client of a standalone server, on standard input and output.

A thread reads its messages. It answers those that need no application by itself, so that a client is greeted while the
rest of the program is still being imported; the others wait for the server. Standard library only.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mission.transports.bridge.line_io import LineReader, LineWriter, Oversized
from mission.transports.mcp_server import protocol
from mission.transports.mcp_server.fixed_answers import fixed_result, initialized, list_result

ToolList = Callable[[], list[Any] | None]


@dataclass(frozen=True, slots=True)
class Incoming:
    """One line from the client."""

    line: bytes | Oversized
    message: dict[str, Any] | None
    """The message in it, if it is an ordinary request of the version that the client speaks."""
    modern: bool


Deliver = Callable[[Incoming | None], None]


class StandaloneClient:
    """Reads the client's messages and writes the answers, each as one line."""

    def __init__(self, *, tool_list: ToolList) -> None:
        """Create the client; `tool_list` returns the stored list of tools, or None if the server must make it."""
        self._lines = LineReader(_take_over(0, os.open(os.devnull, os.O_RDONLY)))
        self.output = LineWriter(_take_over(1, os.dup(2)))
        self.opening: bytes | None = None
        """A request that shows the SDK which version the client speaks; None if it gets the client's own first one."""
        self._modern: bool | None = None
        self._left_to_sdk = False
        self._tool_list = tool_list
        self._lock = threading.Lock()
        self._waiting: list[Incoming | None] = []
        self._deliver: Deliver = self._waiting.append

    def start(self) -> None:
        threading.Thread(target=self._read, name="client", daemon=True).start()

    def attach(self, deliver: Deliver) -> None:
        """Deliver all messages from now on, in their order, from the reading thread; None marks the end."""
        with self._lock:
            for each in self._waiting:
                deliver(each)
            self._deliver = deliver

    def _read(self) -> None:
        try:
            for line in self._lines:
                if isinstance(line, Oversized) or line.strip():
                    self._accept(line)
        except OSError:
            pass  # the client no longer reads its answers
        self._pass_on(None)

    def _accept(self, line: bytes | Oversized) -> None:
        message = None if isinstance(line, Oversized) or b"\\ud" in line.lower() else protocol.decoded(line)
        if message is not None and not self._is_ordinary(message, line):
            message = None
        result = self._fixed_result(message) if message is not None else None
        if message is None or result is None:
            self._pass_on(Incoming(line, message, bool(self._modern)))
        else:
            self.output.write(answer_line(message["id"], result), before_waiting=_nothing)

    def _pass_on(self, item: Incoming | None) -> None:
        with self._lock:
            self._deliver(item)

    def _is_ordinary(self, message: Mapping[str, Any], line: bytes | Oversized) -> bool:
        """Return whether we understand a message in the version that the client speaks; its first request decides."""
        if protocol.is_notification(message):
            return True
        if self._left_to_sdk or not protocol.is_request(message):
            return False
        if self._modern is None:
            self._open(message, line)
        elif message["method"] == "initialize":
            return False
        meta = protocol.meta_of(message)
        return protocol.is_modern(meta) if self._modern else not (self._left_to_sdk or protocol.claims_modern(meta))

    def _open(self, message: Mapping[str, Any], line: bytes | Oversized) -> None:
        """Note the version of the first request. The SDK gets everything from a client whose first one is unusual."""
        if protocol.is_initialize(message) and isinstance(line, bytes):
            self._modern, self.opening = False, line
        elif protocol.is_modern(meta := protocol.meta_of(message)) and message["method"] != "initialize":
            discover = {"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": meta}}
            self._modern, self.opening = True, json.dumps(discover).encode()
        else:
            self._left_to_sdk = True

    def _fixed_result(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        if "id" not in message:
            return None
        if message["method"] == "initialize":
            return initialized(message["params"])
        if not protocol.is_bare(message):
            return None
        modern = bool(self._modern)
        if message["method"] == "tools/list" and (tools := self._tool_list()) is not None:
            return list_result({"tools": tools}, modern=modern)
        return fixed_result(message["method"], modern=modern)


def answer_line(identifier: str | int, result: Mapping[str, Any]) -> bytes:
    answer = {"jsonrpc": "2.0", "id": identifier, "result": result}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def _take_over(descriptor: int, instead: int) -> int:
    """Return a standard stream under a new descriptor; programs that we start, and stray prints, get the other one."""
    ours = os.dup(descriptor)
    os.dup2(instead, descriptor)
    os.close(instead)
    return ours


def _nothing() -> None:
    """Wait for the client to read: this thread has nothing else to do."""
