"""Events that launched clients report in their output: text, session, usage, tool calls and failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AgentText:
    """Text written by the agent. A fragment of a message is not `complete`."""

    text: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Session:
    id: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of the run so far; unknown figures are omitted."""

    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Denied:
    """An action that the client denied its agent."""

    tool: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ServerState:
    """The client's connection state for one MCP server."""

    name: str
    status: str
    error: str = ""

    @property
    def failed(self) -> bool:
        return self.status == "failed"


@dataclass(frozen=True, slots=True)
class Failed:
    """A failed run, as reported by the client regardless of its exit code."""

    reason: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call that the client has begun."""

    call_id: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    call_id: str


ClientEvent = AgentText | Session | Usage | Denied | ServerState | Failed | ToolStarted | ToolEnded


class UsageCount:
    """Running totals for clients that report usage step by step, and their tool calls under way."""

    def __init__(self) -> None:
        self._figures: dict[str, float] = {}
        self.tools: dict[str, tuple[str, str]] = {}
        """The tool and the arguments of each call, for clients that give only its id when it ends."""

    def add(self, **figures: float | None) -> Usage:
        for name, value in figures.items():
            if value:
                self._figures[name] = self._figures.get(name, 0) + value
        return Usage(dict(self._figures))


RawEvent = Mapping[str, Any]
ReadEvent = Callable[[RawEvent, UsageCount], Iterator[ClientEvent]]


def read_event(read: ReadEvent, line: bytes, counter: UsageCount) -> list[ClientEvent]:
    """Return the events in one line of a client's JSON output; none if the line has an unknown format."""
    if not line.lstrip().startswith(b"{"):
        return []
    try:
        event = json.loads(line)
        return list(read(event, counter))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
