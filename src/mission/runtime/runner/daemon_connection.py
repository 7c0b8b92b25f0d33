"""The connection between a runner and the daemon: JSON objects over a socket, with output kept until it is taken."""

from __future__ import annotations

import base64
import json
import os
import socket
from collections import deque
from contextlib import suppress
from typing import Any

WINDOW_BYTES = 16 * 1024 * 1024
"""Limit on output that the daemon has not taken; beyond it the program has to wait."""
MAX_FRAME_BYTES = 4 * 1024 * 1024


class ProgramOutput:
    """Output that the daemon has not taken yet, in order."""

    def __init__(self) -> None:
        self.total = 0
        self._taken = 0
        self._waiting: deque[dict[str, Any]] = deque()
        self._positions = {"out": 0, "err": 0}
        self._at_line_start = {"out": True, "err": True}

    @property
    def is_full(self) -> bool:
        return self.total - self._taken >= WINDOW_BYTES

    @property
    def is_taken(self) -> bool:
        return not self._waiting

    def add(self, data: bytes, *, stream: str) -> dict[str, Any]:
        """Return a frame with the data and its position in its stream and in both streams together."""
        self.total += len(data)
        frame = {
            "stream": stream,
            "offset": self._positions[stream],
            "line_start": self._at_line_start[stream],
            "end": self.total,
            "data": base64.b64encode(data).decode(),
        }
        self._positions[stream] += len(data)
        self._at_line_start[stream] = data.endswith(b"\n")
        self._waiting.append({"output": frame})
        return self._waiting[-1]

    def take(self, end: int) -> None:
        """Drop output that the daemon has processed."""
        while self._waiting and self._waiting[0]["output"]["end"] <= end:
            self._taken = self._waiting.popleft()["output"]["end"]

    def waiting(self) -> list[dict[str, Any]]:
        return list(self._waiting)


class DaemonConnection:
    """The socket file and its peer: one daemon at a time, the latest."""

    def __init__(self, path: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        previous = os.umask(0o177)
        try:
            self.listener.bind(path)
        finally:
            os.umask(previous)
        self.listener.listen(4)
        self.listener.setblocking(False)
        self.peer: socket.socket | None = None
        self._path = path
        self._unsent = bytearray()
        self._unread = b""

    @property
    def wants_to_write(self) -> bool:
        return bool(self._unsent)

    def accept(self) -> socket.socket | None:
        """Accept a new peer in place of the previous one, and return it."""
        try:
            peer, _ = self.listener.accept()
        except OSError:
            return None
        self.hang_up()
        peer.setblocking(False)
        self.peer = peer
        return peer

    def hang_up(self) -> None:
        if self.peer is not None:
            self.peer.close()
        self.peer, self._unread = None, b""
        self._unsent.clear()

    def send(self, frame: dict[str, Any]) -> None:
        if self.peer is not None:
            self._unsent += json.dumps(frame).encode() + b"\n"

    def flush(self) -> bool:
        """Send what the peer accepts now, and return whether it is still connected."""
        if self.peer is None:
            return False
        try:
            while self._unsent:
                del self._unsent[: self.peer.send(self._unsent[: 256 * 1024])]
        except BlockingIOError:
            return True
        except OSError:
            return False
        return True

    def receive(self) -> list[dict[str, Any]] | None:
        """Return the frames from the peer, or None if it has left or sends invalid data."""
        assert self.peer is not None
        try:
            data = self.peer.recv(256 * 1024)
        except BlockingIOError:
            return []
        except OSError:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        if not data or len(self._unread) > MAX_FRAME_BYTES:
            return None
        try:
            return [frame for frame in map(json.loads, lines) if isinstance(frame, dict)]
        except ValueError:
            return None

    def close(self) -> None:
        self.hang_up()
        self.listener.close()
        with suppress(FileNotFoundError):
            os.unlink(self._path)
