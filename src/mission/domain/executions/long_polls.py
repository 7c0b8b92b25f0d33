"""Calls that are meant to wait or to be repeated: an agent that makes them again does not go in circles."""

from __future__ import annotations

from collections.abc import Iterable

WORDS = ("wait", "heartbeat", "poll")
"""One of these words is in the name of such a tool, or of one of its arguments."""
TOOLS = frozenset({"task_checks"})
"""Tools that wait unless they are told not to."""


def is_long_poll(tool: str, arguments: Iterable[str]) -> bool:
    """Return whether a call of this tool with these names of arguments is meant to wait or to be repeated."""
    return tool in TOOLS or any(word in name for name in (tool, *arguments) for word in WORDS)
