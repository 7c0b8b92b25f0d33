"""Values written as TOML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
"""A list that would be longer than this gets a line for each item."""
_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_CONTROL = re.compile(r'[\x00-\x1f\x7f"\\]')
_CONTROL_IN_LINES = re.compile(r'[\x00-\x08\x0b-\x1f\x7f\\]|"(?="")|"\Z')


def format_key(name: str) -> str:
    """Return a key, in quotes if it needs them."""
    return name if _BARE.match(name) else format_line(name)


def format_value(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, str):
        return format_line(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        pairs = [f"{format_key(name)} = {format_value(each)}" for name, each in value.items()]
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(format_value, value))}]"
    return repr(value)


def format_pair(name: str, value: Any) -> str:
    """Return a key with its value: text of several lines as such, and a long list with a line for each item."""
    if isinstance(value, str) and "\n" in value:
        return f'{format_key(name)} = """\n{_CONTROL_IN_LINES.sub(_escape, value)}"""'
    line = f"{format_key(name)} = {format_value(value)}"
    if len(line) <= WIDTH or isinstance(value, str) or not isinstance(value, Sequence) or len(value) < 2:
        return line
    items = "".join(f"    {format_value(each)},\n" for each in value)
    return f"{format_key(name)} = [\n{items}]"


def format_line(text: str) -> str:
    """Return text in quotes on one line."""
    return f'"{_CONTROL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"
