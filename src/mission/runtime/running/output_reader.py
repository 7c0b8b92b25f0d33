"""Reads an execution's output: marker signals and the client's own event stream."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from mission.runtime.adapters.client_events import AgentText, ClientEvent, ReadEvent, UsageCount, read_event
from mission.runtime.running.markers import Diagnostic, Marker, MarkerLine, MarkerReader
from mission.runtime.running.runner_process import Chunk

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_ERROR_CHARACTERS = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputFinding:
    """A finding in the output, with a key that is the same when the output is read again."""

    key: str
    what: Marker | Diagnostic | ClientEvent


class LineSplitter:
    """Splits pieces into complete lines; one that is too long is skipped and reported as None."""

    def __init__(self, *, offset: int = 0, at_line_start: bool = True) -> None:
        self._offset = offset
        self._rest = b""
        self._skipping = not at_line_start

    @property
    def consumed(self) -> int:
        """Return the position up to which the stream is processed and not needed again."""
        return self._offset - len(self._rest)

    def feed(self, chunk: bytes) -> list[tuple[int, bytes | None]]:
        """Return the lines that end in this chunk, each with its position in the stream."""
        start = self.consumed
        self._offset += len(chunk)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        found: list[tuple[int, bytes | None]] = []
        for line in lines:
            if not self._skipping:
                found.append((start, line))
            self._skipping = False
            start += len(line) + 1
        if self._skipping:
            self._rest = b""
        elif len(self._rest) > MAX_LINE_BYTES:
            self._rest, self._skipping = b"", True
            found.append((start, None))
        return found

    def end(self) -> list[tuple[int, bytes | None]]:
        return self.feed(b"\n") if self._rest else []


class PlainOutput:
    """A program's plain text, which may contain markers."""

    def __init__(self, execution_id: str, chunk: Chunk) -> None:
        self._reader = MarkerReader(execution_id, offset=chunk.offset, at_line_start=chunk.at_line_start)

    @property
    def consumed(self) -> int:
        return self._reader.consumed

    def feed(self, data: bytes) -> list[OutputFinding]:
        return _marked(self._reader.feed(data))

    def end(self) -> list[OutputFinding]:
        return _marked(self._reader.end())


class EventOutput:
    """A client's stream of JSON events; only the agent's own text is searched for markers."""

    def __init__(self, execution_id: str, chunk: Chunk, read: ReadEvent, *, markers: bool) -> None:
        self._execution_id = execution_id
        self._read = read
        self._markers = markers
        self._usage = UsageCount()
        self._lines = LineSplitter(offset=chunk.offset, at_line_start=chunk.at_line_start)
        self._message: MarkerReader | None = None

    @property
    def consumed(self) -> int:
        return self._lines.consumed

    def feed(self, data: bytes) -> list[OutputFinding]:
        return [found for offset, line in self._lines.feed(data) for found in self._event(offset, line)]

    def end(self) -> list[OutputFinding]:
        found = [each for offset, line in self._lines.end() for each in self._event(offset, line)]
        return [*found, *self._end_message(self.consumed)]

    def _event(self, offset: int, line: bytes | None) -> Iterator[OutputFinding]:
        if line is None:
            skipped = Diagnostic(offset=offset, reason=f"an event longer than {MAX_LINE_BYTES} bytes was skipped")
            yield OutputFinding(key=f"line:{offset}", what=skipped)
            return
        for number, event in enumerate(read_event(self._read, line, self._usage)):
            if not isinstance(event, AgentText):
                yield from self._end_message(offset)
                yield OutputFinding(key=f"event:{offset}:{number}", what=event)
            elif self._markers:
                yield from self._text(event, offset)

    def _text(self, event: AgentText, offset: int) -> Iterator[OutputFinding]:
        if self._message is None:
            self._message = MarkerReader(self._execution_id)
        yield from _marked(self._message.feed(event.text.encode("utf-8", "replace")), base=offset)
        if event.complete:
            yield from self._end_message(offset)

    def _end_message(self, offset: int) -> Iterator[OutputFinding]:
        message, self._message = self._message, None
        if message is not None:
            yield from _marked(message.end(), base=offset)


class OutputReader:
    """Reads the two streams of one execution and tracks how far both are processed."""

    def __init__(self, execution_id: str, *, read: ReadEvent | None, markers: bool) -> None:
        """Treat the output as a client's event stream with `read`, as plain text with `markers`, else ignore it."""
        self._execution_id = execution_id
        self._read = read
        self._markers = markers
        self._source: PlainOutput | EventOutput | None = None
        self._pending: deque[tuple[str, int, int]] = deque()
        self.errors = ""

    def feed(self, chunk: Chunk) -> list[OutputFinding]:
        """Return the findings that this piece of output completes."""
        self._pending.append((chunk.stream, chunk.offset + len(chunk.data), chunk.end))
        if chunk.stream == "err":
            self.errors = (self.errors + chunk.data.decode("utf-8", "replace"))[-MAX_ERROR_CHARACTERS:]
            return []
        if self._source is None:
            self._source = self._source_for(chunk)
        return self._source.feed(chunk.data) if self._source is not None else []

    def end(self) -> list[OutputFinding]:
        """Return the findings in a last line without a line break."""
        return self._source.end() if self._source is not None else []

    def dealt_with(self) -> int | None:
        """Return the end of the last processed piece, or None if there is no new one."""
        end = None
        while self._pending:
            stream, stream_end, both_end = self._pending[0]
            if stream == "out" and self._source is not None and stream_end > self._source.consumed:
                break
            end = both_end
            self._pending.popleft()
        return end

    def _source_for(self, chunk: Chunk) -> PlainOutput | EventOutput | None:
        if self._read is not None:
            return EventOutput(self._execution_id, chunk, self._read, markers=self._markers)
        return PlainOutput(self._execution_id, chunk) if self._markers else None


def _marked(found: list[MarkerLine], *, base: int | None = None) -> list[OutputFinding]:
    place = "" if base is None else f"{base}:"
    return [OutputFinding(key=f"marker:{place}{each.offset}", what=each) for each in found]
