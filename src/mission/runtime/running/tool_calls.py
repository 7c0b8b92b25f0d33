"""Tool calls that a client has open, as far as its own output tells: an agent may be silent inside one."""

from __future__ import annotations

from datetime import datetime

from mission.runtime.adapters.client_events import ReadEvent, ToolEnded, ToolStarted, UsageCount, read_event


class ToolCalls:
    """The open tool calls of one client."""

    def __init__(self) -> None:
        self._open: dict[str, datetime] = {}

    @property
    def since(self) -> datetime | None:
        """Return when the newest open call began: each may take its own time, also inside another one."""
        return max(self._open.values(), default=None)

    def note(self, event: ToolStarted | ToolEnded, *, at: datetime) -> None:
        """Note that a call has begun or ended."""
        if isinstance(event, ToolStarted):
            self._open.setdefault(event.call_id, at)
        else:
            self._open.pop(event.call_id, None)


def calls_shown(text: str, read: ReadEvent, *, at: datetime) -> ToolCalls:
    """Return the calls that are open at the end of earlier output; when each began is not known better than `at`."""
    calls, counter = ToolCalls(), UsageCount()
    for line in text.split("\n"):
        for event in read_event(read, line.encode("utf-8", "replace"), counter):
            if isinstance(event, ToolStarted | ToolEnded):
                calls.note(event, at=at)
    return calls
