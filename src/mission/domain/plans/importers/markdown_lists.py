"""Checklists in Markdown: each checkbox with its headings, the item it is part of, and the lines below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)$")
_CHECKBOX = re.compile(r"([ \t]*)(?:[-*+]|(\d{1,9})[.)])[ \t]+\[(.)\](?:[ \t]+(.*))?$")
DONE_MARKS = "xX✓✔"
MAX_LEVELS = 50
"""How many items can be inside each other; deeper ones are parts of the last of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkdownHeading:
    """A heading and its level, 1 to 6."""

    level: int
    text: str


@dataclass(kw_only=True, slots=True, eq=False)
class Checkbox:
    """One item of a checklist."""

    line: int
    indent: int
    mark: str
    text: str
    is_numbered: bool
    headings: tuple[MarkdownHeading, ...]
    parent: Checkbox | None = None
    parts: list[Checkbox] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return self.mark in DONE_MARKS

    @property
    def description(self) -> str:
        """Return the text with the lines below it."""
        least = min((len(line) - len(line.lstrip()) for line in self.details if line.strip()), default=0)
        return "\n".join([self.text, *(line[least:].rstrip() for line in self.details)]).strip()

    def steps(self) -> list[str]:
        """Return the items inside this one as lines."""
        return [line for part in self.parts for line in (f"- [{part.mark}] {part.text}", *_indented(part.steps()))]


def read_checkboxes(text: str) -> list[Checkbox]:
    """Return every checkbox outside of code and comments."""
    found: list[Checkbox] = []
    headings: list[MarkdownHeading] = []
    above: list[Checkbox] = []
    """The items that the current line may be a part of, outermost first."""
    for number, line, is_code in _lines(text):
        heading = None if is_code else _heading(line)
        if heading is not None:
            headings = [*(each for each in headings if each.level < heading.level), heading]
            above = []
            continue
        spaced = line.expandtabs(4)
        indent = len(spaced) - len(spaced.lstrip())
        if spaced.strip() and not is_code:
            above = [each for each in above if each.indent < indent][:MAX_LEVELS]
        checkbox = None if is_code else _CHECKBOX.match(line)
        if checkbox:
            item = Checkbox(
                line=number,
                indent=indent,
                mark=checkbox[3],
                text=(checkbox[4] or "").strip(),
                is_numbered=checkbox[2] is not None,
                headings=tuple(headings),
                parent=above[-1] if above else None,
            )
            if item.parent is not None:
                item.parent.parts.append(item)
            above.append(item)
            found.append(item)
        elif above:
            above[-1].details.append(spaced)
    return found


def first_heading(text: str) -> str:
    """Return the text of the first heading; empty if there is none."""
    headings = (_heading(line) for _, line, is_code in _lines(text) if not is_code)
    return next((heading.text for heading in headings if heading), "")


def read_sections(text: str) -> dict[str, str]:
    """Return the text below each heading of level 2, by the heading in lowercase; what is above them is under ''."""
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for _, line, is_code in _lines(text):
        heading = None if is_code else _heading(line)
        if heading is not None and heading.level <= 2:
            name = heading.text.lower()
            sections.setdefault(name, [])
        else:
            sections[name].append(line)
    return {name: "\n".join(lines).strip() for name, lines in sections.items()}


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _heading(line: str) -> MarkdownHeading | None:
    match = _HEADING.match(line)
    return MarkdownHeading(level=len(match[1]), text=match[2].rstrip(" \t#")) if match else None


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield each line with its number and whether it is in a block of code; comments are blank."""
    fence = ""
    for number, line in enumerate(_without_comments(text).split("\n"), start=1):
        mark = _FENCE.match(line)
        if fence:
            yield number, line, True
            fence = "" if mark and mark[1].startswith(fence) else fence
        else:
            fence = mark[1] if mark else ""
            yield number, line, bool(mark)


def _without_comments(text: str) -> str:
    """Return the text with its comments blanked, so that lines keep their numbers."""
    parts = []
    at = 0
    while (start := text.find("<!--", at)) != -1 and (end := text.find("-->", start + 4)) != -1:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join([*parts, text[at:]])
