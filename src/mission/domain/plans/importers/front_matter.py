"""The YAML between two lines `---` at the top of a Markdown file, as far as task lists use it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mission.domain.checks.proposals.yaml_lines import read_scalars

MAX_LINES = 2_000
_BLOCK = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FLOW_LIST = re.compile(r"^([ ]*)([\w-]+):[ ]*\[([^\[\]{}]*)\][ ]*(?:#.*)?$", re.MULTILINE)
_FLOW_ITEM = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'|[^,\s][^,\n]*""")


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """The values above a Markdown text, by their path, and the text below them."""

    values: Mapping[tuple[str, ...], str]
    body: str

    def has(self, name: str) -> bool:
        """Return whether there is such a key at the top, with a value or with keys below it."""
        return any(path[0] == name for path in self.values)

    def text(self, *path: str) -> str:
        """Return one value; empty if it is missing."""
        return self.values.get(path, "")

    def number(self, *path: str) -> int | None:
        """Return one value as a whole number; None if it is not one."""
        text = self.text(*path).replace("_", "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the items of a list, or the only value."""
        return tuple(value for path, value in self.values.items() if path[0] == name and len(path) <= 2)


def read_front_matter(text: str) -> FrontMatter | None:
    """Return the front matter of a text; None if it has none."""
    block = _BLOCK.match(text)
    if block is None or (block[1] or "").count("\n") > MAX_LINES:
        return None
    return FrontMatter(values=dict(read_scalars(_FLOW_LIST.sub(_as_block, block[1] or ""))), body=text[block.end() :])


def _as_block(match: re.Match[str]) -> str:
    """Return a list in brackets as one with a line for each item."""
    indent, name, inside = match[1], match[2], match[3]
    items = "".join(f"\n{indent}  - {item.strip()}" for item in _FLOW_ITEM.findall(inside))
    return f"{indent}{name}:{items}"
