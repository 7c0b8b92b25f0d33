"""Text for search: the indexed words of a text, the terms of a query, how well a name fits, and matching snippets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

MAX_TEXT_LENGTH = 20_000
"""Indexed characters of a text; anything after them is ignored."""
MAX_WORD_LENGTH = 40
MAX_TERMS = 32
SNIPPET = 240
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that are written without spaces: a word may start anywhere."""


class DocumentKind(StrEnum):
    MISSION = "mission"
    TASK = "task"
    JOURNAL = "journal"
    MESSAGE = "message"


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """A searchable object with its indexed text."""

    id: str
    kind: DocumentKind
    title: str
    text: str
    at: datetime
    type: str | None = None
    mission_id: str | None = None
    task_id: str | None = None
    author: str | None = None
    recipient_id: str | None = None


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text as indexed: without case and accents, unspaced scripts in pairs of characters."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    for word in _WORD.findall(unicodedata.normalize("NFC", plain)):
        if _UNSPACED.search(word):
            yield from _pieces(word)
        else:
            yield word[:MAX_WORD_LENGTH]


def terms_of(query: str) -> list[str]:
    """Return the word prefixes that must all match; an empty list if the query has no words."""
    terms: dict[str, None] = {}
    for word in words_of(query[: MAX_WORD_LENGTH * MAX_TERMS]):
        terms[word] = None
    pairs = {term[1] for term in terms if len(term) == 2 and _UNSPACED.match(term)}
    return [term for term in terms if term not in pairs][:MAX_TERMS]  # a run's last character: its pairs imply it


def strings_in(value: Any) -> Iterator[str]:
    """Yield every text in a structure, in any field."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings_in(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from strings_in(each)


def snippet(text: str, terms: Sequence[str]) -> str:
    """Return the part of a text around the first matching term."""
    line = " ".join(text.split())
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", line)).casefold()
    if len(plain) != len(line):  # without accents the positions differ: use an approximation
        plain = line.casefold()
    positions = [position for term in terms if (position := plain.find(term)) >= 0]
    start = max(0, min(positions, default=0) - SNIPPET // 3)
    piece = line[start : start + SNIPPET]
    return f"{'…' if start else ''}{piece.strip()}{'…' if start + SNIPPET < len(line) else ''}"


def _pieces(word: str) -> Iterator[str]:
    """Yield runs of an unspaced script as overlapping pairs and the last character; other text unchanged."""
    run = ""
    other = ""
    for character in word:
        if _UNSPACED.match(character):
            if other:
                yield other[:MAX_WORD_LENGTH]
                other = ""
            run += character
        else:
            yield from _pairs(run)
            run = ""
            other += character
    yield from _pairs(run)
    if other:
        yield other[:MAX_WORD_LENGTH]


def _pairs(run: str) -> Iterator[str]:
    for start in range(len(run)):
        yield run[start : start + 2]


class NameMatch(IntEnum):
    """Kinds of a match, the best first."""

    EXACT = 0
    PREFIX = 1
    WORDS = 2
    ELSEWHERE = 3
    """Only other texts have the words, such as a description."""


def match_name(name: str, *, query: str) -> NameMatch:
    """Return how well the name fits; case and accents do not matter."""
    words, typed = list(words_of(name)), list(words_of(query))
    if words == typed:
        return NameMatch.EXACT
    if " ".join(words).startswith(" ".join(typed)):
        return NameMatch.PREFIX
    if all(any(word.startswith(term) for word in words) for term in typed):
        return NameMatch.WORDS
    return NameMatch.ELSEWHERE
