"""What a launched client tells in its own output: words, its session, what it used, what went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentText:
    """Words of the agent itself. Pieces of one message are not `whole`."""

    text: str
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Session:
    id: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What the run has used so far; unknown figures are left out."""

    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Denied:
    """Something the client did not let its agent do."""

    tool: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ServerState:
    """Whether the client reached an MCP server."""

    name: str
    status: str
    error: str = ""

    @property
    def failed(self) -> bool:
        return self.status == "failed"


@dataclass(frozen=True, slots=True)
class Failed:
    """The client says that its run failed, whatever its exit code."""

    reason: str


ClientEvent = AgentText | Session | Usage | Denied | ServerState | Failed


class UsageCount:
    """Figures added up over a run, for clients that tell them step by step."""

    def __init__(self) -> None:
        self._figures: dict[str, float] = {}

    def add(self, **figures: float | None) -> Usage:
        for name, value in figures.items():
            if value:
                self._figures[name] = self._figures.get(name, 0) + value
        return Usage(dict(self._figures))


RawEvent = Mapping[str, Any]
ReadEvent = Callable[[RawEvent, UsageCount], Iterator[ClientEvent]]


def read_event(read: ReadEvent, line: bytes, tally: UsageCount) -> list[ClientEvent]:
    """What one line of a client's JSON output says; a line that is no event of the known shape says nothing."""
    if not line.lstrip().startswith(b"{"):
        return []
    try:
        event = json.loads(line)
        return list(read(event, tally))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
