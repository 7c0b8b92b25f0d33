"""What an execution's output says: signals by marker, and what a client's own event stream tells."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from mission.runtime.adapters.client_events import AgentText, ClientEvent, ReadEvent, UsageCount, read_event
from mission.runtime.running.markers import Diagnostic, Marker, MarkerLine, MarkerReader
from mission.runtime.running.runner_process import Chunk

LONGEST_LINE = 4 * 1024 * 1024
KEPT_ERRORS = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class OutputFinding:
    """Something the output says, and a key that is the same whenever the same output is read again."""

    key: str
    what: Marker | Diagnostic | ClientEvent


class LineSplitter:
    """Whole lines out of pieces; one that is too long is left out and told of as None."""

    def __init__(self, *, offset: int = 0, at_line_start: bool = True) -> None:
        self._offset = offset
        self._rest = b""
        self._skipping = not at_line_start

    @property
    def consumed(self) -> int:
        """How far the stream is dealt with: nothing before this is needed again."""
        return self._offset - len(self._rest)

    def feed(self, chunk: bytes) -> list[tuple[int, bytes | None]]:
        """The lines that end in this chunk, each with its place in the stream."""
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
        elif len(self._rest) > LONGEST_LINE:
            self._rest, self._skipping = b"", True
            found.append((start, None))
        return found

    def end(self) -> list[tuple[int, bytes | None]]:
        return self.feed(b"\n") if self._rest else []


class PlainOutput:
    """A program's own text, in which markers stand as they are."""

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
    """A client's stream of JSON events; markers are looked for in the agent's own words only."""

    def __init__(self, execution_id: str, chunk: Chunk, read: ReadEvent, *, markers: bool) -> None:
        self._execution_id = execution_id
        self._read = read
        self._markers = markers
        self._tally = UsageCount()
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
            told = Diagnostic(offset=offset, reason=f"an event is longer than {LONGEST_LINE} bytes and was left out")
            yield OutputFinding(key=f"line:{offset}", what=told)
            return
        for number, said in enumerate(read_event(self._read, line, self._tally)):
            if not isinstance(said, AgentText):
                yield from self._end_message(offset)
                yield OutputFinding(key=f"event:{offset}:{number}", what=said)
            elif self._markers:
                yield from self._words(said, offset)

    def _words(self, said: AgentText, offset: int) -> Iterator[OutputFinding]:
        if self._message is None:
            self._message = MarkerReader(self._execution_id)
        yield from _marked(self._message.feed(said.text.encode("utf-8", "replace")), base=offset)
        if said.whole:
            yield from self._end_message(offset)

    def _end_message(self, offset: int) -> Iterator[OutputFinding]:
        message, self._message = self._message, None
        if message is not None:
            yield from _marked(message.end(), base=offset)


class OutputReader:
    """Reads the two streams of one execution, and knows how far both are dealt with."""

    def __init__(self, execution_id: str, *, read: ReadEvent | None, markers: bool) -> None:
        """With `read` the output is a client's event stream; without it, and without `markers`, nothing is read."""
        self._execution_id = execution_id
        self._read = read
        self._markers = markers
        self._source: PlainOutput | EventOutput | None = None
        self._pending: deque[tuple[str, int, int]] = deque()
        self.errors = ""

    def feed(self, chunk: Chunk) -> list[OutputFinding]:
        """What a piece of output completes."""
        self._pending.append((chunk.stream, chunk.offset + len(chunk.data), chunk.end))
        if chunk.stream == "err":
            self.errors = (self.errors + chunk.data.decode("utf-8", "replace"))[-KEPT_ERRORS:]
            return []
        if self._source is None:
            self._source = self._source_for(chunk)
        return self._source.feed(chunk.data) if self._source is not None else []

    def end(self) -> list[OutputFinding]:
        """What a last line without an end says."""
        return self._source.end() if self._source is not None else []

    def dealt_with(self) -> int | None:
        """The end of the last piece that is not needed again, if there is a new one."""
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
