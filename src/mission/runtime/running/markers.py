"""Signals that an agent prints: finds marker lines in a stream of text, however it is split."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mission.domain.executions.marker_words import OWNERS

MAX_MARKER_BYTES = 16 * 1024
EXCERPT = 200
_MARKED = re.compile(rb"^@(" + "|".join(OWNERS).encode() + rb")::(.*)$", re.MULTILINE)
_PREFIXES = tuple(f"@{owner}::".encode() for owner in OWNERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Marker:
    """A well-formed marker of this execution; its signal is not validated yet."""

    offset: int
    event_id: str
    signal: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnostic:
    """A line that looks like a marker but has no effect, and the reason."""

    offset: int
    reason: str
    excerpt: str = ""


MarkerLine = Marker | Diagnostic


class Malformed(Exception):
    """The line is not a valid marker; the message says why."""


class MarkerReader:
    """Reads one stream. Only the unfinished last line is kept, and only while it may become a marker."""

    def __init__(self, execution_id: str, *, owner: str = "task", offset: int = 0, at_line_start: bool = True) -> None:
        self._execution_id = execution_id
        self._owner = owner
        self._offset = offset
        self._line = b""
        self._skipping = not at_line_start

    @property
    def consumed(self) -> int:
        """Return the position up to which the stream is processed and not needed again."""
        return self._offset - len(self._line)

    def feed(self, chunk: bytes) -> list[MarkerLine]:
        """Return the markers whose lines end in this chunk, and diagnostics for invalid ones."""
        start = self.consumed
        data = self._line + chunk
        self._offset += len(chunk)
        begin = 0
        if self._skipping:
            begin = data.find(b"\n") + 1
            if not begin:
                self._line = b""
                return []
            self._skipping = False
        end = data.rfind(b"\n") + 1
        found = list(self._lines(data, begin, end, start)) if end > begin else []
        return [*found, *self._keep(data[max(begin, end) :])]

    def end(self) -> list[MarkerLine]:
        """Return the marker in a last line without a line break."""
        return self.feed(b"\n") if self._line else []

    def _lines(self, data: bytes, begin: int, end: int, start: int) -> Iterator[MarkerLine]:
        for match in _MARKED.finditer(data, begin, end - 1):
            yield self._read(match[0], owner=match[1], body=match[2], offset=start + match.start())

    def _keep(self, rest: bytes) -> list[MarkerLine]:
        """Keep the start of a line, unless it cannot be a marker or is too long for one."""
        self._line = rest if any(rest.startswith(mark[: len(rest)]) for mark in _PREFIXES) else b""
        self._skipping = bool(rest) and not self._line
        if len(rest) > MAX_MARKER_BYTES and self._line:
            self._line, self._skipping = b"", True
            return [_oversized(self._offset - len(rest), rest)]
        return []

    def _read(self, line: bytes, *, owner: bytes, body: bytes, offset: int) -> MarkerLine:
        if len(line) > MAX_MARKER_BYTES:
            return _oversized(offset, line)
        try:
            event_id, signal = _parse(owner.decode(), body, execution_id=self._execution_id, wanted=self._owner)
        except Malformed as problem:
            return Diagnostic(offset=offset, reason=str(problem), excerpt=_excerpt(line))
        return Marker(offset=offset, event_id=event_id, signal=signal)


def _parse(owner: str, body: bytes, *, execution_id: str, wanted: str) -> tuple[str, dict[str, Any]]:
    if owner != wanted:
        raise Malformed(f"the prefix is @{owner}::, but this execution belongs to a {wanted}: use @{wanted}::")
    try:
        envelope = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise Malformed("the line is not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise Malformed("the text after the prefix is not one JSON object on one line") from None
    if not isinstance(envelope, dict):
        raise Malformed("the text after the prefix is not a JSON object")
    if type(envelope.get("version")) is not int or envelope["version"] != 1:
        raise Malformed("version must be 1")
    if envelope.get("agentExecutionId") != execution_id:
        raise Malformed("agentExecutionId is not the id of this execution")
    event_id, signal = envelope.get("eventId"), envelope.get("signal")
    if not isinstance(event_id, str) or not event_id:
        raise Malformed("eventId must be a non-empty string")
    if not isinstance(signal, dict) or not isinstance(signal.get("type"), str):
        raise Malformed("signal must be an object with a type")
    return event_id, signal


def _oversized(offset: int, text: bytes) -> Diagnostic:
    return Diagnostic(
        offset=offset, reason=f"the marker is longer than {MAX_MARKER_BYTES} bytes", excerpt=_excerpt(text)
    )


def _excerpt(text: bytes) -> str:
    return text[:EXCERPT].decode("utf-8", "replace").rstrip("\r")
