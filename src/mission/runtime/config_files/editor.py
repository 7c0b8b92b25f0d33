"""The interface and errors that the editors of configuration files share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

Path = tuple[str | int, ...]


class BrokenText(Exception):
    """A configuration text that cannot be parsed or does not have the expected structure."""

    def __init__(self, message: str, *, line: int) -> None:
        self.message = message
        self.line = line
        super().__init__(f"line {line}: {message}")


class Editor(Protocol):
    """Reads a configuration text and changes single values without touching any other byte."""

    def parse(self, text: str) -> dict[str, Any]: ...

    def set_value(self, text: str, path: Path, value: Any) -> str: ...

    def remove_value(self, text: str, path: Path) -> str: ...


def look_up(document: Any, path: Path) -> Any:
    """Return the value at the path, or None."""
    for step in path:
        is_there = step in document if isinstance(document, Mapping) else _has_index(document, step)
        if not is_there:
            return None
        document = document[step]
    return document


def _has_index(document: Any, step: str | int) -> bool:
    return isinstance(document, list) and isinstance(step, int) and 0 <= step < len(document)


def merge(text: str, path: Path, value: Mapping[str, Any], *, editor: Editor) -> str:
    """Return the text with each key of the value set at the path; other keys stay."""
    present = look_up(editor.parse(text), path)
    if not isinstance(present, Mapping):
        return editor.set_value(text, path, dict(value))
    for key, wanted in value.items():
        if key not in present or not same(present[key], wanted):
            text = editor.set_value(text, (*path, key), wanted)
    return text


def same(one: Any, other: Any) -> bool:
    """Return whether two configuration values are equal, where true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other or (one != one and other != other))
