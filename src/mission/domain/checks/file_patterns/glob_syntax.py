"""The syntax of globs: parses text into steps, or says what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mission.domain.errors import InvalidInput

LONGEST = 500
MOST_ALTERNATIVES = 100
HINT = "Write paths from the top of the tree: 'src/*.py' matches files in one folder, 'src/**' everything below it."


class Wildcard(Enum):
    """A step that matches characters without naming them."""

    CHARACTER = "?"
    NAME = "*"
    ANYTHING = "**"
    FOLDERS = "**/"


@dataclass(frozen=True, kw_only=True, slots=True)
class CharacterClass:
    """A step that matches one character, never a slash: `[a-z]`, or `[!a-z]` for all others."""

    ranges: tuple[tuple[str, str], ...]
    excluded: bool

    def takes(self, character: str) -> bool:
        found = any(first <= character <= last for first, last in self.ranges)
        return character != "/" and found != self.excluded


Step = str | Wildcard | CharacterClass
Steps = tuple[Step, ...]


def parse_glob(text: str, *, field: str = "glob") -> list[Steps]:
    """Return the steps of each alternative; raise InvalidInput naming the glob if it is not valid."""
    try:
        _check_text(text)
        return [_finished(steps) for steps in _alternatives(text.removeprefix("./"))]
    except _Invalid as error:
        raise InvalidInput(f"{field}: {text[:200]!r} {error}", hint=HINT, field=field) from None


class _Invalid(Exception):
    """The reason why text is not a glob, as the end of a sentence."""


def _check_text(text: str) -> None:
    if not text.removeprefix("./"):
        raise _Invalid("is empty")
    if len(text) > LONGEST:
        raise _Invalid(f"has more than {LONGEST} characters")
    if "\0" in text:
        raise _Invalid("contains a NUL character")
    if "\\" in text:
        raise _Invalid("contains a backslash; write '/' between folders and '[*]' for a plain '*'")
    if text.startswith("!"):
        raise _Invalid("starts with '!'; a glob cannot exclude")


def _alternatives(text: str) -> list[Steps]:
    """Return the text with its braces written out."""
    outer: list[tuple[list[Steps], list[Steps]]] = []  # what precedes an open brace, and its finished alternatives
    current: list[Steps] = [()]
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == "{":
            outer.append((current, []))
            current = [()]
        elif character == "," and outer:
            outer[-1][1].extend(current)
            current = [()]
        elif character == "}":
            current = _closed(outer, current)
        else:
            step, at = _step(text, at)
            current = [(*steps, step) for steps in current]
    if outer:
        raise _Invalid("has an unmatched '{'")
    return current


def _closed(outer: list[tuple[list[Steps], list[Steps]]], last: list[Steps]) -> list[Steps]:
    if not outer:
        raise _Invalid("has an unmatched '}'")
    before, done = outer.pop()
    if not done:
        raise _Invalid("has a '{…}' without a comma; write '[{]' for a plain '{'")
    if len(before) * (len(done) + len(last)) > MOST_ALTERNATIVES:
        raise _Invalid(f"has more than {MOST_ALTERNATIVES} alternatives")
    return [first + second for first in before for second in (*done, *last)]


def _step(text: str, after: int) -> tuple[Step, int]:
    match text[after - 1]:
        case "*":
            return Wildcard.NAME, after
        case "?":
            return Wildcard.CHARACTER, after
        case "[":
            return _character_class(text, after)
        case "]":
            raise _Invalid("has an unmatched ']'")
        case character:
            return character, after


def _character_class(text: str, start: int) -> tuple[CharacterClass, int]:
    excluded = text[start : start + 1] in ("!", "^")
    start += excluded
    end = text.find("]", start + 1)  # a ']' that comes first is a member
    if end == -1:
        raise _Invalid("has an unmatched '['")
    members = text[start:end]
    if "/" in members:
        raise _Invalid("contains a '/' between '[' and ']'")
    return CharacterClass(ranges=tuple(_ranges(members)), excluded=excluded), end + 1


def _ranges(members: str) -> list[tuple[str, str]]:
    found = []
    while members:
        if members[1:2] == "-" and len(members) > 2:
            first, last, members = members[0], members[2], members[3:]
        else:
            first, last, members = members[0], members[0], members[1:]
        if first > last:
            raise _Invalid(f"has the range '{first}-{last}', which is empty")
        found.append((first, last))
    return found


def _finished(steps: Steps) -> Steps:
    """Return the steps with joined stars; a slash at the end means everything below."""
    if steps[-1:] == ("/",):
        steps = (*steps, Wildcard.NAME, Wildcard.NAME)
    _check_folders(steps)
    joined: list[Step] = []
    for step in steps:
        before = joined[-1] if joined else "/"
        if step is Wildcard.NAME and before in (Wildcard.NAME, Wildcard.ANYTHING):
            joined[-1] = Wildcard.ANYTHING
        elif (
            step == "/" and before is Wildcard.ANYTHING and (len(joined) == 1 or joined[-2] in ("/", Wildcard.FOLDERS))
        ):
            joined[-1] = Wildcard.FOLDERS
        else:
            joined.append(step)
    return tuple(joined)


def _check_folders(steps: Steps) -> None:
    name: list[Step] = []
    for at, step in enumerate((*steps, "/")):
        if step != "/":
            name.append(step)
        elif not name:
            raise _Invalid("starts with '/'" if at == 0 and steps else "contains an empty path segment")
        elif name in (["."], [".", "."]):
            raise _Invalid(f"contains the path segment '{'.' * len(name)}'")
        else:
            name = []
