"""A keep-alive HTTP client with minimal overhead: prepared bytes out, complete responses in."""

from __future__ import annotations

import re
import selectors
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.protocol import Era

_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int
    token: str = ""

    def request(
        self, method: str, target: str, *, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> bytes:
        """Return a complete request, ready to be sent."""
        fields = {
            "Host": f"{self.host}:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **(headers or {}),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body

    def call(
        self, era: Era, tool: str, arguments: Mapping[str, Any], *, headers: Mapping[str, str] | None = None
    ) -> bytes:
        """Return a tools/call, ready to be sent."""
        fields = {**era.headers("tools/call", tool), **(headers or {})}
        return self.request("POST", "/mcp", body=era.call(tool, arguments), headers=fields)


class Connection:
    """One connection that stays open; responses have a Content-Length."""

    def __init__(self, address: Address) -> None:
        self.socket = socket.create_connection((address.host, address.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def exchange(self, request: bytes) -> bytes:
        self.socket.sendall(request)
        return self.receive()

    def receive(self) -> bytes:
        answer = self._more()
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self._more()
        length = _LENGTH.search(answer, 0, end)
        whole = end + 4 + (int(length[1]) if length else 0)
        while len(answer) < whole:
            answer += self._more()
        return answer

    def close(self) -> None:
        self.socket.close()

    def _more(self) -> bytes:
        part = self.socket.recv(262_144)
        if not part:
            raise ConnectionError("the server closed the connection")
        return part


def exchange_many(connections: Sequence[Connection], requests: Sequence[bytes]) -> tuple[list[float], list[bytes]]:
    """Send the requests over all connections at once; each sends its next one after the response."""
    left = iter(requests)
    times: list[float] = []
    answers: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        in_flight = sum(_send_next(selector, connection, left) for connection in connections)
        while in_flight:
            for key, _ in selector.select():
                connection, sent = key.data
                answers.append(connection.receive())
                times.append(time.perf_counter() - sent)
                selector.unregister(connection.socket)
                in_flight -= not _send_next(selector, connection, left)
    return times, answers


def _send_next(selector: selectors.BaseSelector, connection: Connection, left: Iterator[bytes]) -> bool:
    request = next(left, None)
    if request is None:
        return False
    selector.register(connection.socket, selectors.EVENT_READ, (connection, time.perf_counter()))
    connection.socket.sendall(request)
    return True
