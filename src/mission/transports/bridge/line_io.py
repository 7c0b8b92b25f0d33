"""Reads and writes complete lines of a process, with limited memory for long ones.

Standard library only, for the bridge.
"""

from __future__ import annotations

import json
import os
import re
import select
import threading

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable

MAX_LINE_BYTES = 10 * 1024 * 1024
EDGE = 65536  # bytes kept of each end of an oversized line

# Patterns for oversized lines, compiled on demand: compiling them at start would cost 10 ms.
_ID = rb'"id"\s*:\s*(-?\d+|"[^"\\]*")'
_PLAIN = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID_AT_HEAD = rb"\s*\{\s*(?:" + _PLAIN + rb"\s*,\s*)*" + _ID + rb"\s*,"
_ID_AT_TAIL = rb",\s*" + _ID + rb"\s*(?:,\s*" + _PLAIN + rb"\s*)*\}\s*$"
_CALLS_TOOL = rb'"method"\s*:\s*"tools/call"'


class Oversized:
    """The two ends of a line that was too long to keep; they contain the id of the message."""

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head = head
        self.tail = tail

    def id(self) -> str | int | None:
        found = re.match(_ID_AT_HEAD, self.head) or re.search(_ID_AT_TAIL, self.tail)
        identifier: str | int | None = json.loads(found[1]) if found else None
        return identifier

    def calls_tool(self) -> bool:
        return bool(re.search(_CALLS_TOOL, self.head) or re.search(_CALLS_TOOL, self.tail))


class LineReader:
    """The lines of a file descriptor; only the ends of a line that is too long are kept in memory."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._buffer = bytearray()
        self._looked_at = 0  # how much of the buffer is known to have no line break
        self._head: bytes | None = None  # set while the rest of an oversized line is skipped
        self._ended = False

    @property
    def more_at_hand(self) -> bool:
        """Return whether the next line is already in memory, or the input has ended."""
        return self._ended or self._buffer.find(b"\n", self._looked_at) >= 0

    def __iter__(self) -> LineReader:
        return self

    def __next__(self) -> bytes | Oversized:
        while (end := self._buffer.find(b"\n", self._looked_at)) < 0:
            self._looked_at = len(self._buffer)
            self._forget_the_middle()
            chunk = b"" if self._ended else _read_some(self._file)
            if not chunk:
                return self._last()
            self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._looked_at = 0
        return self._whole(line)

    def _whole(self, line: bytes) -> bytes | Oversized:
        head, self._head = self._head, None
        if head is None and len(line) <= MAX_LINE_BYTES:
            return line
        return Oversized(head or line[:EDGE], line[-EDGE:])

    def _forget_the_middle(self) -> None:
        if self._head is None and len(self._buffer) > MAX_LINE_BYTES:
            self._head = bytes(self._buffer[:EDGE])
        if self._head is not None and len(self._buffer) > 2 * EDGE:
            del self._buffer[:-EDGE]
            self._looked_at = len(self._buffer)

    def _last(self) -> bytes:
        """Return the text after the last line break; a truncated oversized line is dropped."""
        self._ended = True
        rest = b"" if self._head is not None else bytes(self._buffer)
        self._buffer.clear()
        self._looked_at = 0
        if not rest:
            raise StopIteration
        return rest


def _read_some(file: int) -> bytes:
    while True:
        try:
            return os.read(file, 65536)
        except BlockingIOError:
            select.select([file], [], [])
        except OSError:
            return b""


class LineWriter:
    """Writes messages to a file descriptor, each as one complete line, safely from several threads."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._poll = select.poll()
        self._poll.register(file, select.POLLOUT)

    def write(self, message: bytes, *, before_waiting: Callable[[], None]) -> None:
        """Write a JSON text; `before_waiting` is called if that may block until the reader has read.

        Line breaks in JSON occur only between its elements, where a space is equivalent."""
        line = _whole_line(message)
        if not self._lock.acquire(blocking=False):
            before_waiting()
            self._lock.acquire()
        try:
            if len(line) > select.PIPE_BUF or not self._poll.poll(0):
                before_waiting()
            self._write_rest(line)
        finally:
            self._lock.release()

    def write_some(self, message: bytes) -> Callable[[], None] | None:
        """Write as much of a JSON text as the reader has room for; return the rest of the work, which may block, or
        None if there is none."""
        line = _whole_line(message)
        if not self._lock.acquire(blocking=False):
            return lambda: self.write(message, before_waiting=_wait)
        try:
            while line and self._poll.poll(0):
                line = line[os.write(self._file, line[: select.PIPE_BUF]) :]
        except BlockingIOError:
            pass
        except BaseException:
            self._lock.release()
            raise
        if line:
            return lambda: self._finish(line)
        self._lock.release()
        return None

    def _finish(self, line: memoryview) -> None:
        """Write the rest of a line, from any thread, and let others write."""
        try:
            self._write_rest(line)
        finally:
            self._lock.release()

    def _write_rest(self, line: memoryview) -> None:
        while line:
            try:
                line = line[os.write(self._file, line) :]
            except BlockingIOError:
                select.select([], [self._file], [])


def _whole_line(message: bytes) -> memoryview:
    return memoryview(message.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")


def _wait() -> None:
    """Wait in a thread that may block."""
