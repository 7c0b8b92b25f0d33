"""Lines and columns of the keys and values in a TOML text, which the parser of the standard library does not keep."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]
"""Names of keys, and numbers of list items, from the top."""

MAX_DOTS = 50
"""A key with more dots is given up, because each of its parts has a path of its own."""
_BLANK = re.compile(r"[ \t]*+")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'""")
_STRING = re.compile(
    r'''"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'''
    r"""|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"""
    r"""|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'""",
    re.DOTALL,
)
_OTHER = re.compile(r"[^,\]}#\n]++")


@dataclass(frozen=True, slots=True)
class TextPosition:
    """A place in a text; both numbers start at 1."""

    line: int
    column: int


class TomlLines:
    """The places of all keys and list items of a document."""

    def __init__(self, text: str, offsets: Mapping[KeyPath, int]) -> None:
        self._offsets = offsets
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def find(self, path: KeyPath) -> TextPosition:
        """Return the place of a key or list item, or of the nearest one around it; the first line if there is none."""
        while path and path not in self._offsets:
            path = path[:-1]
        return self._position(self._offsets.get(path, 0))

    def last(self) -> TextPosition:
        """Return the place of the last key or list item: where something begins that the text does not end."""
        return self._position(max(self._offsets.values(), default=0))

    def _position(self, offset: int) -> TextPosition:
        line = bisect_right(self._starts, offset)
        return TextPosition(line, offset - self._starts[line - 1] + 1)

    def paths(self) -> set[KeyPath]:
        """Return everything that has a place."""
        return set(self._offsets)


def locate_keys(text: str) -> TomlLines:
    """Return the places in a valid TOML text. In a text that is not valid, they end at the first fault."""
    scanner = _Scanner(text)
    with suppress(_Unexpected, RecursionError):
        scanner.read()
    return TomlLines(text, scanner.offsets)


class _Unexpected(Exception):
    """The text is not valid TOML at this point."""


@dataclass(slots=True)
class _Scanner:
    text: str
    at: int = 0
    offsets: dict[KeyPath, int] = field(default_factory=dict)
    tables: dict[KeyPath, int] = field(default_factory=dict)
    """How many tables each array of tables has so far."""

    def read(self) -> None:
        table: KeyPath = ()
        self._skip(_GAP)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_GAP)

    def _header(self) -> KeyPath:
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 2 if is_array else 1
        path: KeyPath = ()
        names = self._keys()
        for name in names[:-1]:
            path = self._last_of((*path, name), start)
        path = (*path, names[-1])
        if is_array:
            self.offsets.setdefault(path, start)
            number = self.tables.get(path, 0)
            self.tables[path] = number + 1
            path = (*path, number)
        self._expect("]]" if is_array else "]")
        self.offsets[path] = start  # also if a header of a table inside it came first
        return path

    def _last_of(self, path: KeyPath, start: int) -> KeyPath:
        """Return the table that a name in a header means: in an array of tables, the last one."""
        self.offsets.setdefault(path, start)
        return (*path, self.tables[path] - 1) if path in self.tables else path

    def _pair(self, table: KeyPath) -> None:
        start = self.at
        path = table
        for name in self._keys():
            path = (*path, name)
            self.offsets.setdefault(path, start)
        self._expect("=")
        self._value(path)

    def _keys(self) -> list[str]:
        """Read a key with all its dots."""
        names: list[str] = []
        while True:
            self._skip(_BLANK)
            if len(names) >= MAX_DOTS:
                raise _Unexpected
            names.append(_plain(self._take(_KEY)))
            self._skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return names
            self.at += 1

    def _value(self, path: KeyPath) -> None:
        self._skip(_BLANK)
        match self.text[self.at : self.at + 1]:
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._take(_STRING)
            case _:
                self._take(_OTHER)

    def _array(self, path: KeyPath) -> None:
        number = 0
        while not self._closes("]"):
            self.offsets[(*path, number)] = self.at
            self._value((*path, number))
            number += 1

    def _inline_table(self, path: KeyPath) -> None:
        while not self._closes("}"):
            self._pair(path)

    def _closes(self, end: str) -> bool:
        """Step over an opening bracket or a comma; return whether the closing bracket follows, and step over it."""
        self._skip(_GAP)
        if not self.text.startswith(end, self.at):
            self.at += 1
            self._skip(_GAP)
        if self.at >= len(self.text):
            raise _Unexpected
        if not self.text.startswith(end, self.at):
            return False
        self.at += 1
        return True

    def _expect(self, sign: str) -> None:
        if not self.text.startswith(sign, self.at):
            raise _Unexpected
        self.at += len(sign)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise _Unexpected
        self.at = found.end()
        return found[0]


def _plain(key: str) -> str:
    """Return a key without its quotes and escapes."""
    if key[0] not in "\"'":
        return key
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except tomllib.TOMLDecodeError:
        raise _Unexpected from None
