"""Masking of audit entries: no secrets, nothing a database cannot store, nothing too long."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from mission.gateway.audit.named_secrets import HIDDEN, WORDS, is_not_password
from mission.gateway.audit.secret_patterns import masked

MAX_TEXT_LENGTH = 2_000
UNLIMITED = 1_000_000
"""Longer than any text in a call: nothing is cut."""
MAX_ITEMS = 50
MAX_DEPTH = 32
_NAMES = (
    "token|secret|password|passwd|passphrase|passcode|api_?key|access_?key|private_?key|authorization|credential|cookie"
)
_SECRET = "secret"
_WEAK = re.compile(r"(?:^|[^A-Za-z]|(?<=[a-z])(?=P))([Pp]ass|PASS|[Pp]wd|PWD)$")
"""Names that indicate a secret unless their value shows otherwise."""


class Masker:
    """Replaces secrets and cuts long or deeply nested values, with a note of their size."""

    def __init__(self, *, names: str = "", pattern: str = "", max_length: int = MAX_TEXT_LENGTH) -> None:
        """Create the masker; `names` are more words for secret fields, comma-separated; `pattern` is one more shape."""
        more = [word.strip().lower() for word in names.split(",") if word.strip()]
        self._secret_name = re.compile("|".join([_NAMES, *map(re.escape, more)]), re.IGNORECASE)
        self._more = re.compile(pattern) if pattern else None
        self._words = (*more, *WORDS)
        self._max_length = max_length
        self._known: dict[str, str] = {}

    def value(self, value: Any, *, max_length: int | None = None, depth: int = 0, secret: bool = False) -> Any:
        """Return the value as it may be stored; with `secret` all of its texts are hidden."""
        kind = type(value)
        if kind is str:
            return HIDDEN if secret else self._cut(value, self._max_length if max_length is None else max_length)
        if kind is int or kind is bool or value is None:
            return value
        if kind is float:
            return value if math.isfinite(value) else str(value)
        if not isinstance(value, dict | list | tuple):
            return value
        if depth == MAX_DEPTH:
            return "…"
        if isinstance(value, dict):
            return self._fields(value, max_length=max_length, depth=depth, secret=secret)
        items = [self.value(each, max_length=max_length, depth=depth + 1, secret=secret) for each in value[:MAX_ITEMS]]
        return items if len(value) <= MAX_ITEMS else [*items, f"… {len(value) - MAX_ITEMS:,} more"]

    def outline(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return a result with the sizes of its lists and objects instead of their content."""
        flat = {name: _sized(value) if isinstance(value, list | dict) else value for name, value in result.items()}
        return self._fields(flat, max_length=None, depth=0, secret=False)

    def text(self, text: str) -> str:
        """Return the text with everything that looks like a secret replaced."""
        text = plain(text)
        if self._more is not None:
            text = self._more.sub(HIDDEN, text)
        return masked(text, self._words)

    def _fields(self, value: Mapping[Any, Any], *, max_length: int | None, depth: int, secret: bool) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for count, (key, each) in enumerate(value.items()):
            if count == MAX_ITEMS:
                kept["…"] = f"{len(value) - MAX_ITEMS:,} more"
                break
            name = key if type(key) is str else str(key)
            hides = secret or self._hides(name, each)
            if hides and type(each) in (int, float) and not _counts(name):
                kept[plain(name)] = HIDDEN
            else:
                kept[plain(name)] = self.value(each, max_length=max_length, depth=depth + 1, secret=hides)
        return kept

    def _hides(self, name: str, value: Any) -> bool:
        """Return whether a field with this name hides its value."""
        kind = self._known.get(name)
        if kind is None:
            kind = self._kind(name)
            if len(self._known) < 1_000:
                self._known[name] = kind
        if kind in ("pass", "pwd"):
            return type(value) in (str, int, float) and not is_not_password(kind, str(value))
        return kind == _SECRET

    def _kind(self, name: str) -> str:
        if self._secret_name.search(name) is not None:
            return _SECRET
        return found[1].lower() if (found := _WEAK.search(name)) is not None else ""

    def _cut(self, text: str, max_length: int) -> str:
        if len(text) > max_length:
            text = f"{text[:max_length]}… ({len(text):,} characters in all)"
        return self.text(text)


def plain(text: str) -> str:
    """Return the text with characters no database stores (NUL, unpaired surrogates) escaped, such as \\x00."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\x00", "\\x00") if "\x00" in text else text


def _counts(name: str) -> bool:
    """Return whether a number with this name is a token count, not a secret."""
    return "token" in name.lower()


def _sized(value: list[Any] | dict[str, Any]) -> str:
    return f"{len(value)} {'items' if isinstance(value, list) else 'fields'}"
