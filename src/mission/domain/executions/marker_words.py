"""Marker lines as people read them: one line of words instead of JSON. The page uses the same words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mission.domain.executions.signals import MAX_SIGNAL_BYTES, SignalType

OWNERS = ("system", "repository", "mission", "task", "artifact")
PREFIXES = tuple(f"@{owner}::" for owner in OWNERS)
MAX_SHOWN = 300

UNREADABLE = "· unreadable marker"
_STARTS: Mapping[str, tuple[str, str]] = {
    SignalType.PROGRESS: ("◇ ", "summary"),
    SignalType.NEEDS_INPUT: ("? asks: ", "question"),
    SignalType.BLOCKED: ("! blocked: ", "reason"),
    SignalType.READY_FOR_VERIFICATION: ("◆ ready to be checked: ", "summary"),
    SignalType.COMPLETED_CLAIM: ("✓ reports done: ", "summary"),
    SignalType.FAILED_CLAIM: ("✗ reports failure: ", "reason"),
    SignalType.MESSAGE: ("· ", "text"),
}
"""How the line of each signal starts, and the field with its words."""
_WORDY = ("summary", "question", "reason", "text")
"""Fields of unknown signals that may hold words, in this order."""


def is_marker(line: str) -> bool:
    """Return whether a line, without what is before or after it, is meant as a marker."""
    return line.startswith(PREFIXES)


def marker_words(line: str) -> str:
    """Return a marker line as one readable line."""
    try:
        signal = json.loads(line.partition("::")[2])["signal"]
        return signal_words(signal["type"], signal)
    except (ValueError, TypeError, KeyError, RecursionError):
        return UNREADABLE


def signal_words(type: str, payload: Mapping[str, Any]) -> str:
    """Return what a signal says, in one line."""
    start, field = _STARTS.get(type, ("", ""))
    if not start:
        words = next((payload[name] for name in _WORDY if isinstance(payload.get(name), str)), str(type))
        return f"· {_one_line(words)}"
    if not isinstance(payload.get(field), str):
        return UNREADABLE
    return f"{start}{_one_line(payload[field])}{_choices(payload.get('choices'))}"


def _choices(choices: Any) -> str:
    labels = [each.get("label") if isinstance(each, Mapping) else each for each in choices or ()]
    numbered = [f"{number} {_one_line(str(label))}" for number, label in enumerate(labels, start=1)]
    return f" ({' · '.join(numbered)})" if numbered else ""


def _one_line(text: str) -> str:
    words = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return words if len(words) <= MAX_SHOWN else f"{words[: MAX_SHOWN - 1]}…"


class MarkerText:
    """Rewrites the marker lines in a stream of terminal output, however it is split.

    The start of a line is held back only while it can still become a marker.
    """

    def __init__(self) -> None:
        self._held = ""
        self._inside = False  # whether a line was begun that is not a marker

    def feed(self, text: str) -> str:
        """Return what can be shown now."""
        *whole, rest = (self._held + text).split("\n")
        self._held = ""
        shown = [self._line(line) + "\n" for line in whole]
        if self._inside or not _may_be_marker(rest):
            self._inside = self._inside or bool(rest)
            return "".join(shown) + rest
        self._held = rest
        return "".join(shown)

    def end(self) -> str:
        """Return what was held back at the end of the stream."""
        rest, self._held = self._held, ""
        return self._line(rest) if rest else ""

    def _line(self, line: str) -> str:
        inside, self._inside = self._inside, False
        if inside or not is_marker(line):
            return line
        return marker_words(line) + ("\r" if line.endswith("\r") else "")


def _may_be_marker(rest: str) -> bool:
    if len(rest) > MAX_SIGNAL_BYTES:
        return False
    return bool(rest) and any(rest.startswith(prefix[: len(rest)]) for prefix in PREFIXES)


def readable_output(text: str) -> str:
    """Return a piece of terminal output with its markers in words."""
    stream = MarkerText()
    return stream.feed(text) + stream.end()
