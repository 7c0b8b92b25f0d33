"""A reader of the YAML that people write in CI files: block mappings, block lists, and scalars of every style.

It needs no library and is safe for untrusted text: it reads line by line, follows no aliases or tags, and takes linear
time. It skips what it does not understand (flow collections, anchors, complex keys), which costs at most a suggestion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MOST_LINES = 20_000
MOST_LEVELS = 100
KEY = re.compile(
    r"(\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s#&*!|>%@`\"'\[\]{},?:-][^#\n:]{0,200}?|-[^\s:#]{1,200})\s*:(?:\s+|$)"
)
BLOCK = re.compile(r"[|>][-+0-9]{0,2}(?:\s+#.*)?$")
UNREADABLE = ("&", "*", "!", "[", "{")

Path = tuple[str, ...]


@dataclass(kw_only=True, slots=True)
class _Level:
    """A mapping or a list that is open at the current line."""

    column: int
    name: str
    is_item: bool = False
    items: int = 0


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    at: int = 0
    levels: list[_Level] = field(default_factory=lambda: [_Level(column=-1, name="")])
    found: list[tuple[Path, str]] = field(default_factory=list)

    def read(self) -> list[tuple[Path, str]]:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line.strip() and not line.lstrip().startswith("#") and "\t" not in line[: _indent(line)]:
                self._line(line.rstrip())
        return self.found

    def _line(self, line: str) -> None:
        column, rest = _indent(line), line.lstrip()
        while rest == "-" or rest.startswith("- "):
            if len(self.levels) > MOST_LEVELS:
                return
            column, rest = self._item(column, rest)
        key = KEY.match(rest)
        if key:
            self._enter(column, _unquoted(key[1]))
            self._value(rest[key.end() :], column)
        elif rest:
            self._value(rest, column - 1)

    def _item(self, column: int, rest: str) -> tuple[int, str]:
        """Enter the next item of a list, which may be at the same depth as the key above it."""
        while self.levels[-1].column > column or (self.levels[-1].column == column and self.levels[-1].is_item):
            self.levels.pop()
        parent = self.levels[-1]
        self.levels.append(_Level(column=column, name=str(parent.items), is_item=True))
        parent.items += 1
        inner = rest[1:].lstrip()
        return column + len(rest) - len(inner), inner

    def _enter(self, column: int, name: str) -> None:
        while self.levels[-1].column >= column:
            self.levels.pop()
        self.levels.append(_Level(column=column, name=name))

    def _value(self, text: str, column: int) -> None:
        if BLOCK.match(text):
            value = self._block(column, folded=text.startswith(">"))
        elif not text or text.startswith(UNREADABLE):
            return
        else:
            value = _scalar(" ".join([text, *self._continued(column, text)]))
        path = tuple(level.name for level in self.levels[1:])
        if value and path:
            self.found.append((path, value))

    def _block(self, column: int, *, folded: bool) -> str:
        taken = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip() and _indent(line) <= max(column, 0):
                break
            taken.append(line)
            self.at += 1
        least = min((_indent(line) for line in taken if line.strip()), default=0)
        return (" " if folded else "\n").join(line[least:].rstrip() for line in taken).strip()

    def _continued(self, column: int, text: str) -> list[str]:
        """Return the lines below that continue a plain or quoted scalar."""
        taken = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if not line.strip() or _indent(line) <= column or line.lstrip().startswith(("- ", "#")):
                break
            if text[0] not in "\"'" and KEY.match(line.lstrip()):
                break
            taken.append(line.strip())
            self.at += 1
        return taken


def read_scalars(text: str) -> list[tuple[Path, str]]:
    """Return every scalar with its path: names of keys, and numbers of list items, from the top."""
    return _Reader(text.splitlines()[:MOST_LINES]).read()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _scalar(text: str) -> str:
    if text[0] in "\"'":
        end = text.find(text[0], 1)
        while end != -1 and text[0] == "'" and text[end + 1 : end + 2] == "'":
            end = text.find("'", end + 2)
        while end != -1 and text[0] == '"' and text[end - 1] == "\\":
            end = text.find('"', end + 1)
        return _unquoted(text[: end + 1]) if end != -1 else ""
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return text
