"""The lines that a task changed, file by file, as stored when it ends."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

MAX_PATCH_LENGTH = 1_000_000
"""Maximum characters of text that are stored for a task."""


class LineCount(NamedTuple):
    """A number of added and of removed lines."""

    added: int = 0
    removed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Lines:
    """The changes of one file as a unified diff."""

    text: str = ""
    whole: bool = True
    note: str | None = None
    """Why lines are missing, unless the text was merely too long."""

    @property
    def count(self) -> LineCount | None:
        """Return how many lines were added and removed; None if some of them are missing."""
        return count_lines(self.text) if self.whole else None


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredPatch:
    """A patch as it is stored: compressed, with its lines counted so that nobody has to unpack it for that."""

    content: str
    counts: Mapping[str, LineCount | None]
    """The counts by path; None where lines are missing."""

    @property
    def total(self) -> LineCount:
        """Return the sum of all that was counted."""
        return add_up(self.counts.values())


@dataclass(frozen=True, kw_only=True, slots=True)
class Patch:
    """The changed lines by path, or the reason why they are unknown."""

    files: Mapping[str, Lines] = field(default_factory=dict)
    missing: str | None = None

    def packed(self) -> str:
        """Return the patch as compressed text."""
        files = {path: [lines.text, lines.whole, lines.note] for path, lines in self.files.items()}
        content = json.dumps({"files": files, "missing": self.missing}).encode()
        return base64.b64encode(zlib.compress(content)).decode()

    def stored(self) -> StoredPatch:
        """Return the patch in the form in which it is stored."""
        return StoredPatch(content=self.packed(), counts=self.counts)

    @property
    def counts(self) -> dict[str, LineCount | None]:
        return {path: lines.count for path, lines in self.files.items()}

    @classmethod
    def unpacked(cls, text: str) -> Patch | None:
        """Return the patch from text that `packed` created; None if it is damaged."""
        try:
            stored = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
            files = {path: Lines(text=row[0], whole=row[1], note=row[2]) for path, row in stored["files"].items()}
            return cls(files=files, missing=stored["missing"])
        except (binascii.Error, zlib.error, ValueError, KeyError, TypeError, IndexError):
            return None


def count_lines(diff: str) -> LineCount:
    """Count the added and removed lines in the unified diff of one file; its header is not counted."""
    added = removed = 0
    in_hunk = False
    for line in diff.split("\n"):
        in_hunk = in_hunk or line.startswith("@@")
        added += in_hunk and line.startswith("+")
        removed += in_hunk and line.startswith("-")
    return LineCount(added, removed)


def add_up(counts: Iterable[LineCount | None]) -> LineCount:
    """Return the sum of the counts that are known."""
    known = [each for each in counts if each is not None]
    return LineCount(sum(each.added for each in known), sum(each.removed for each in known))


def shortened(files: Mapping[str, Lines], *, budget: int = MAX_PATCH_LENGTH) -> dict[str, Lines]:
    """Return the files within the budget: the longest texts are cut to the same length, at the end of a line."""
    limit = share([len(lines.text) for lines in files.values()], budget)
    return {path: _cut(lines, limit) for path, lines in files.items()}


def share(lengths: list[int], budget: int) -> int:
    """Return the maximum length for each so that all fit."""
    for count, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length > budget // count:
            return budget // count
        budget -= length
    return max(lengths, default=0)


def _cut(lines: Lines, limit: int) -> Lines:
    if len(lines.text) <= limit:
        return lines
    text = lines.text[: lines.text.rfind("\n", 0, limit) + 1]
    return Lines(text=text, whole=False, note=lines.note)
