"""What an audit entry may hold: no secrets, nothing a database cannot keep, no more than helps a reader."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "***"
LONGEST = 2_000
WHOLE = 1_000_000
"""Longer than any text that a call takes: nothing is cut."""
MOST_ITEMS = 50
SHORTEST_SECRET = 8
DEEPEST = 32
_NAMES = "token|secret|password|passwd|passphrase|api_?key|access_?key|private_?key|authorization|credential|cookie"
_WORDS = ("token", "secret", "password", "passwd", "passphrase", "authorization", "credential", "cookie", "key")
_KEYS = ("api", "access", "private")
"""What stands before 'key' where that is a secret."""
_MARKS = (
    *("sk-", "sk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA", "AIza"),
    *("npm_", "pypi-", "mca_", "eyJ", "earer ", "EARER ", "asic ", "PRIVATE KEY", "://"),
)
"""What every shape of a secret has in it."""

_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\b(?:sk[-_][A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|A(?:KIA|SIA)[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}"
    r"|mca_[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|\b(?i:bearer|basic) +[A-Za-z0-9._~+/-]{8,}=*"
    r"|(?<=://)[^\s/:@]*:[^\s/@]+(?=@)",
    re.DOTALL,
)
_VALUE = r"(\"[^\"]{3,}\"|'[^']{3,}'|[^\s\"'&,;<>]{3,})"
_ASSIGNED = re.compile(rf"[\w-]*[\"']?\s*[=:]\s*{_VALUE}")
_OPTION = re.compile(rf"[\w-]*\s+{_VALUE}")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class Masker:
    """Replaces secrets and cuts what is long or deep, its size noted."""

    def __init__(self, *, names: str = "", pattern: str = "", longest: int = LONGEST) -> None:
        """`names` are more words that make a field secret, separated by commas; `pattern` is one more shape."""
        more = [word.strip().lower() for word in names.split(",") if word.strip()]
        self._secret_name = re.compile("|".join([_NAMES, *map(re.escape, more)]), re.IGNORECASE)
        self._more = re.compile(pattern) if pattern else None
        self._words = (*more, *_WORDS)
        self._longest = longest
        self._known: dict[str, bool] = {}

    def value(self, value: Any, *, longest: int | None = None, depth: int = 0, secret: bool = False) -> Any:
        """The value as it may be kept; inside of something `secret` no text is."""
        kind = type(value)
        if kind is str:
            return HIDDEN if secret else self._cut(value, self._longest if longest is None else longest)
        if kind is int or kind is bool or value is None:
            return value
        if kind is float:
            return value if math.isfinite(value) else str(value)
        if not isinstance(value, dict | list | tuple):
            return value
        if depth == DEEPEST:
            return "…"
        if isinstance(value, dict):
            return self._fields(value, longest=longest, depth=depth, secret=secret)
        items = [self.value(each, longest=longest, depth=depth + 1, secret=secret) for each in value[:MOST_ITEMS]]
        return items if len(value) <= MOST_ITEMS else [*items, f"… {len(value) - MOST_ITEMS:,} more"]

    def outline(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """A result without its lists and objects: their sizes stand for them."""
        flat = {name: _sized(value) if isinstance(value, list | dict) else value for name, value in result.items()}
        return self._fields(flat, longest=None, depth=0, secret=False)

    def text(self, text: str) -> str:
        """The whole text, with anything that looks like a secret replaced."""
        text = plain(text)
        if len(text) < SHORTEST_SECRET:
            return text
        if self._more is not None:
            text = self._more.sub(HIDDEN, text)
        if any(mark in text for mark in _MARKS):
            text = _SHAPES.sub(HIDDEN, text)
        kept, done = "", 0
        for start, end in sorted(self._assigned(text)):
            if start >= done:
                kept, done = f"{kept}{text[done:start]}{HIDDEN}", end
        return kept + text[done:]

    def _assigned(self, text: str) -> Iterator[tuple[int, int]]:
        """Where values stand that the text gives to names of secrets. Looking for the words and then at what follows
        them is many times faster than one pattern for both."""
        lowered = text.lower() if text.isascii() else text.translate(_LOWER)
        for word in self._words:
            at = lowered.find(word)
            while at != -1:
                found = _value_after(text, lowered, at, word)
                if found is not None:
                    yield found
                at = lowered.find(word, at + len(word))

    def _fields(self, value: Mapping[Any, Any], *, longest: int | None, depth: int, secret: bool) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for count, (key, each) in enumerate(value.items()):
            if count == MOST_ITEMS:
                kept["…"] = f"{len(value) - MOST_ITEMS:,} more"
                break
            name = key if type(key) is str else str(key)
            hides = secret or self._is_secret(name)
            if hides and type(each) in (int, float) and not _counts(name):
                kept[plain(name)] = HIDDEN
            else:
                kept[plain(name)] = self.value(each, longest=longest, depth=depth + 1, secret=hides)
        return kept

    def _is_secret(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = self._secret_name.search(name) is not None
            if len(self._known) < 1_000:
                self._known[name] = known
        return known

    def _cut(self, text: str, longest: int) -> str:
        if len(text) > longest:
            text = f"{text[:longest]}… ({len(text):,} characters in all)"
        return self.text(text)


def plain(text: str) -> str:
    """The text with what no database keeps (NUL, half a surrogate pair) written out, such as \\x00."""
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\x00", "\\x00") if "\x00" in text else text


def _counts(name: str) -> bool:
    """Whether a number under this name is how many tokens a model used, and no secret."""
    return "token" in name.lower()


def _value_after(text: str, lowered: str, at: int, word: str) -> tuple[int, int] | None:
    """Where the value stands of the name that has the word at this place, if it is given one."""
    if word == "key" and not lowered[max(0, at - 8) : at].rstrip("_- ").endswith(_KEYS):
        return None
    behind = at + len(word)
    found = _ASSIGNED.match(text, behind) or (_OPTION.match(text, behind) if _is_option(text, at) else None)
    if found is None:
        return None
    value = found[1]
    if value.startswith(HIDDEN) or (value.isdigit() and word == "token"):
        return None
    quoted = value[0] in "\"'"
    return found.start(1) + quoted, found.end(1) - quoted


def _is_option(text: str, at: int) -> bool:
    """Whether the word at this place belongs to an option of a command, such as --password."""
    start = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    return text.startswith("--", start)


def _sized(value: list[Any] | dict[str, Any]) -> str:
    return f"{len(value)} {'items' if isinstance(value, list) else 'fields'}"
