"""Lines in and out of a process: whole lines only, and no more memory for a long one than it deserves.

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
    from collections.abc import Iterator

LARGEST_LINE = 10 * 1024 * 1024
EDGE = 65536  # how much of each end of an oversized line is kept

# Patterns for oversized lines, compiled when one comes: compiling them at start would cost 10 ms.
_ID = rb'"id"\s*:\s*(-?\d+|"[^"\\]*")'
_PLAIN = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"'
_ID_AT_HEAD = rb"\s*\{\s*(?:" + _PLAIN + rb"\s*,\s*)*" + _ID + rb"\s*,"
_ID_AT_TAIL = rb",\s*" + _ID + rb"\s*(?:,\s*" + _PLAIN + rb"\s*)*\}\s*$"
_CALLS_TOOL = rb'"method"\s*:\s*"tools/call"'


class Oversized:
    """A line that was too long to keep: its two ends, where the id of a message stands."""

    def __init__(self, head: bytes, tail: bytes) -> None:
        self.head = head
        self.tail = tail

    def id(self) -> str | int | None:
        found = re.match(_ID_AT_HEAD, self.head) or re.search(_ID_AT_TAIL, self.tail)
        identifier: str | int | None = json.loads(found[1]) if found else None
        return identifier

    def calls_tool(self) -> bool:
        return bool(re.search(_CALLS_TOOL, self.head) or re.search(_CALLS_TOOL, self.tail))


def read_lines(file: int) -> Iterator[bytes | Oversized]:
    """The lines of a file descriptor; of one that is too long only the ends are kept in memory."""
    buffer = bytearray()
    head: bytes | None = None  # set while the rest of an oversized line is skipped
    while chunk := _read_some(file):
        start = len(buffer)
        buffer += chunk
        while (end := buffer.find(b"\n", start)) >= 0:
            line = bytes(buffer[:end])
            del buffer[: end + 1]
            start = 0
            if head is None and len(line) <= LARGEST_LINE:
                yield line
            else:
                yield Oversized(head or line[:EDGE], line[-EDGE:])
            head = None
        if head is None and len(buffer) > LARGEST_LINE:
            head = bytes(buffer[:EDGE])
        if head is not None and len(buffer) > 2 * EDGE:
            del buffer[:-EDGE]
    if buffer and head is None:
        yield bytes(buffer)


def _read_some(file: int) -> bytes:
    while True:
        try:
            return os.read(file, 65536)
        except BlockingIOError:
            select.select([file], [], [])
        except OSError:
            return b""


class Output:
    """Writes messages to a file descriptor, each as one whole line, whoever else writes at the same time."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._lock = threading.Lock()

    def write(self, message: bytes) -> None:
        """Write a JSON text. Its line breaks stand between tokens only, where a space does as well."""
        line = memoryview(message.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n")
        with self._lock:
            while line:
                try:
                    line = line[os.write(self._file, line) :]
                except BlockingIOError:
                    select.select([], [self._file], [])
