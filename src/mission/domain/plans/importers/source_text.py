"""Text of other tools: decoded, cleaned and cut so that a plan can hold it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from mission.domain.errors import InvalidInput, MissionError, TooLarge
from mission.domain.plans.field_values import MAX_NAME, MAX_TEXT

MAX_SOURCE = 20_000_000
"""Maximum size of everything that is imported at once, in bytes."""
MAX_TITLE = 80
MAX_FILES = 100
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_MARKUP = re.compile(r"\*\*|__|`|!?\[([^\]\[]*)\]\([^()\s]*\)")
_URL = re.compile(r"(?<!\w)\w++://\S+")
_PATH = re.compile(r"(?<![\w/.@+~-])(?:\./)?((?:[\w@+-][\w.@+-]*/)+(?:[\w.@+-]*\.\w{1,8}\b|(?![\w.@+/-])))")
_QUOTED_FILE = re.compile(r"`([\w@+-][\w@+-]*\.\w{1,8})`")


def decode_source(data: bytes, *, source: str) -> str:
    """Return UTF-8 bytes as text; raise an error that names the line if they are something else."""
    if len(data) > MAX_SOURCE:
        raise TooLarge(f"{source} has {len(data):,} bytes (limit {MAX_SOURCE:,})", hint="Import only part of it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(
            f"{source}:{line}: byte 0x{data[error.start]:02x} is not UTF-8 text",
            hint="Save the file as UTF-8, then import it again.",
        ) from None


def clean(text: object) -> str:
    """Return text without characters that cannot be stored; empty if it is not text."""
    if not isinstance(text, str):
        return ""
    return _UNSEEN.sub("", text.replace("\r\n", "\n")).strip()


def cut(text: str, *, limit: int = MAX_TEXT) -> str:
    """Return as much of the text as a plan takes."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def plain_title(text: str, *, limit: int = MAX_TITLE) -> str:
    """Return text as a name: one line without markup, cut between words."""
    flat = " ".join(_MARKUP.sub(lambda match: match[1] or "", text).split())
    line = "".join(character for character in flat if character.isprintable()).strip()
    if len(line) <= limit:
        return line
    return f"{line[: limit - 1].rsplit(' ', 1)[0].rstrip(' ,;:.')}…"


def unique_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number behind it if it is taken."""
    number, found = 2, name[:MAX_NAME]
    while found in taken:
        found = f"{name[: MAX_NAME - 8]} ({number})"
        number += 1
    return found


def mentioned_files(text: str) -> tuple[str, ...]:
    """Return the paths that a text mentions: those with a slash, and file names in backticks."""
    plain = _URL.sub(" ", text)
    found = _PATH.findall(plain) + _QUOTED_FILE.findall(plain)
    return tuple(dict.fromkeys(path for path in found if ".." not in path))[:MAX_FILES]


def listed(names: Iterable[str], *, limit: int = 5) -> str:
    """Return names for a sentence; many are cut and counted."""
    every = list(names)
    shown = ", ".join(f"'{name}'" for name in every[:limit])
    return shown + (f" and {len(every) - limit} more" if len(every) > limit else "")


def unreadable(source: str, what: str, *, hint: str, line: int | None = None) -> MissionError:
    """Return an error about a source that cannot be imported."""
    return InvalidInput(f"{source}{f':{line}' if line else ''}: {what}", hint=hint)
