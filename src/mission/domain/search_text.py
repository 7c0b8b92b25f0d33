"""Searching: which words a text is found by, what a reader meant by a query, and the piece of text that fits it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

LONGEST_TEXT = 20_000
"""Characters of a text by which it is found; what stands behind them is not looked at."""
LONGEST_WORD = 40
MOST_TERMS = 32
SNIPPET = 240
_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\u0300-\u036f]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that are written without blanks: a word of theirs may begin anywhere."""


class DocumentKind(StrEnum):
    MISSION = "mission"
    TASK = "task"
    JOURNAL = "journal"
    MESSAGE = "message"


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """Something that can be found, with the text it is found by."""

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
    """The words of a text as they are kept: without case and accents, unspaced scripts in pairs of characters."""
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    for word in _WORD.findall(unicodedata.normalize("NFC", plain)):
        if _UNSPACED.search(word):
            yield from _pieces(word)
        else:
            yield word[:LONGEST_WORD]


def terms_of(query: str) -> list[str]:
    """The beginnings of words that must all occur in what is found; none when the query has no word in it."""
    terms: dict[str, None] = {}
    for word in words_of(query[: LONGEST_WORD * MOST_TERMS]):
        terms[word] = None
    pairs = {term[1] for term in terms if len(term) == 2 and _UNSPACED.match(term)}
    return [term for term in terms if term not in pairs][:MOST_TERMS]  # the last of a run, which its pairs imply


def strings_in(value: Any) -> Iterator[str]:
    """Every text in a structure, whatever its fields are called."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from strings_in(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from strings_in(each)


def snippet(text: str, terms: Sequence[str]) -> str:
    """The piece of a text around the first of the terms that occurs in it."""
    line = " ".join(text.split())
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", line)).casefold()
    if len(plain) != len(line):  # where accents went, places no longer agree: near enough is good enough
        plain = line.casefold()
    places = [place for term in terms if (place := plain.find(term)) >= 0]
    start = max(0, min(places, default=0) - SNIPPET // 3)
    piece = line[start : start + SNIPPET]
    return f"{'…' if start else ''}{piece.strip()}{'…' if start + SNIPPET < len(line) else ''}"


def _pieces(word: str) -> Iterator[str]:
    """Runs of an unspaced script as overlapping pairs and the last character; what stands between them as it is."""
    run = ""
    other = ""
    for character in word:
        if _UNSPACED.match(character):
            if other:
                yield other[:LONGEST_WORD]
                other = ""
            run += character
        else:
            yield from _pairs(run)
            run = ""
            other += character
    yield from _pairs(run)
    if other:
        yield other[:LONGEST_WORD]


def _pairs(run: str) -> Iterator[str]:
    for start in range(len(run)):
        yield run[start : start + 2]
