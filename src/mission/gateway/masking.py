"""What an audit entry may hold: no secrets, nothing a database cannot keep, no more than helps a reader."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

LONGEST = 2_000
WHOLE = 1_000_000
"""Longer than any text that a call takes: nothing is cut."""
MOST_ITEMS = 50
SHORTEST_SECRET = 16
DEEPEST = 32
_SECRET_NAME = re.compile(r"token|secret|password|passwd|api_?key|authorization|credential|private_?key", re.IGNORECASE)
_COUNTS = re.compile(r"^(max_)?tokens(_|$)|^token_(estimate|count)", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|xox[abp]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}"
    r"|Bearer\s+[A-Za-z0-9._~+/-]{16,}=*|-----BEGIN [A-Z ]*PRIVATE KEY-----)"
)


def masked(value: Any, *, depth: int = 0, longest: int = LONGEST) -> Any:
    """The value with secrets replaced and what is long or deep cut, its size noted."""
    if isinstance(value, str):
        return _text(value, longest)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if not isinstance(value, dict | list | tuple):
        return value
    if depth == DEEPEST:
        return "…"
    if isinstance(value, dict):
        rows = list(value.items())
        kept = {
            plain(str(name)): "***"
            if isinstance(each, str) and _is_secret(str(name))
            else masked(each, depth=depth + 1, longest=longest)
            for name, each in rows[:MOST_ITEMS]
        }
        return kept if len(rows) <= MOST_ITEMS else {**kept, "…": f"{len(rows) - MOST_ITEMS} more"}
    items = [masked(each, depth=depth + 1, longest=longest) for each in value[:MOST_ITEMS]]
    return items if len(value) <= MOST_ITEMS else [*items, f"… {len(value) - MOST_ITEMS} more"]


def outline(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without its lists and objects: their sizes stand for them."""
    return {name: _sized(value) if isinstance(value, list | dict) else masked(value) for name, value in result.items()}


def _sized(value: list[Any] | dict[str, Any]) -> str:
    return f"{len(value)} {'items' if isinstance(value, list) else 'fields'}"


def plain(text: str) -> str:
    """The text with what no database keeps (NUL, half a surrogate pair) written out, such as \\x00."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\x00", "\\x00")


def without_secrets(text: str) -> str:
    """The whole text, with anything that looks like a secret replaced."""
    text = plain(text)
    return _SECRET_VALUE.sub("***", text) if len(text) >= SHORTEST_SECRET else text


@lru_cache(maxsize=1_000)
def _is_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) and not _COUNTS.search(name)


def _text(text: str, longest: int) -> str:
    if len(text) > longest:
        text = f"{text[:longest]}… ({len(text):,} characters in all)"
    return without_secrets(text)
