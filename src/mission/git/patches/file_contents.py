"""Find the content that belongs to an entry of a manifest: kept at a task's start, on disk, or in the repository.

Each content is checked against the entry's id, so it is never different from the one that was recorded.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

from mission.domain.errors import MissionError
from mission.domain.tasks.patch import MAX_PATCH_LENGTH
from mission.git.command import Output, run, stream
from mission.git.errors import GitFailed
from mission.git.file_names import quoted
from mission.git.patches.kept_contents import KeptContents
from mission.git.safe_reading import opened
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.snapshots.manifest import ManifestEntry, content_of
from mission.git.snapshots.shadow_repository import Shadow
from mission.git.snapshots.snapshot_storage import make_folder

MAX_FILE_BYTES = 16_000_000
"""Largest file, in bytes, that is compared line by line: git needs several times as much memory."""
MAX_TOTAL_BYTES = 200_000_000
"""Largest total, in bytes, of the files compared for one patch."""
CHUNK = 1 << 16
# So that git streams large objects.
STREAMED = (("core.bigFileThreshold", "1m"),)


class Fetched(Enum):
    """The part of a content that was found."""

    WHOLE = "whole"
    BEGINNING = "beginning"
    TOO_LARGE = "too large"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """A content to write to the file `target`; if there is no other to compare it with, its beginning is enough."""

    target: Path
    path: bytes
    entry: ManifestEntry
    alone: bool = False

    @property
    def id(self) -> str:
        return content_of(self.entry).decode()


Found = dict[Path, Fetched]


class Contents:
    """Finds contents of one worktree; `scratch` is a folder for temporary files."""

    def __init__(self, shadow: Shadow, disk: Disk, scratch: Path) -> None:
        self._shadow = shadow
        self._disk = disk
        self.scratch = scratch
        self._left = MAX_TOTAL_BYTES

    def at_start(self, wanted: Iterable[Wanted], kept: KeptContents) -> Found:
        """Write the contents that a task's snapshot recorded, from those kept then or still in git."""
        found: Found = {}
        rest = []
        for each in wanted:
            content = kept.content(each.id)
            state = self._store(each, len(content), [content]) if content is not None else None
            if state is None:
                rest.append(each)
            else:
                found[each.target] = state
        return found | self._from_git(rest)

    def on_disk(self, wanted: Iterable[Wanted]) -> Found:
        """Write the contents that a scan just recorded: from disk, as git converts them, or from a commit."""
        wanted = list(wanted)
        found: Found = {}
        for each in wanted:
            state = self._from_disk(each)
            if state is not None:
                found[each.target] = state
        return found | self.as_git_stores_it([each for each in wanted if each.target not in found])

    def in_git(self, wanted: list[Wanted]) -> Found:
        """Write the contents that the repository has."""
        return self._from_git(wanted)

    def as_git_stores_it(self, wanted: list[Wanted]) -> Found:
        """Write contents that a scan recorded and that are not on disk in this form: from a commit, or converted."""
        found = self._from_git(wanted)
        return found | self._converted([each for each in wanted if each.target not in found])

    def _from_disk(self, wanted: Wanted) -> Fetched | None:
        kind, full = self._disk.kind(wanted.path), self._disk.full(wanted.path)
        try:
            if kind is DiskEntryKind.LINK:
                content = os.readlink(full)  # noqa: PTH115 (paths are bytes)
                return self._store(wanted, len(content), [content])
            if kind is not DiskEntryKind.FILE:
                return None
            with opened(self._shadow.repository.top, wanted.path) as (file, status):
                return self._store(wanted, status.st_size, _pieces(file, status.st_size))
        except OSError:
            return None

    def _from_git(self, wanted: list[Wanted], objects: Path | None = None) -> Found:
        """Write the contents that an object store has: the repository's, or one of our own."""
        if not wanted:
            return {}
        variables = self._shadow.apart(objects) if objects else self._shadow.variables
        top, names = self._shadow.repository.top, _listed(wanted)
        checked = run("cat-file", "--batch-check", cwd=top, variables=variables, stdin=names).out.splitlines()
        sizes = {each.id: _size(line) for each, line in zip(wanted, checked, strict=False)}
        there = [each for each in wanted if sizes.get(each.id) is not None]
        found = {each.target: Fetched.TOO_LARGE for each in there if self._is_too_large(each, sizes[each.id] or 0)}
        asked = [each for each in there if each.target not in found]
        if not asked:
            return found
        with suppress(GitFailed), stream(
            "cat-file", "--batch", "--buffer",
            cwd=top, variables=variables, settings=STREAMED, stdin=_listed(asked),
        ) as output:  # fmt: skip
            for each in asked:
                size = _size(output.line(1000))
                if size is None:
                    break
                pieces = _pieces(output, size)
                state = self._store(each, size, pieces)
                deque(pieces, maxlen=0)  # skip the rest, so that the next one follows
                output.read(1)
                if state is not None:
                    found[each.target] = state
        return found

    def _converted(self, wanted: list[Wanted]) -> Found:
        """Write files that git stores in another form (line endings, encodings), as it would store them."""
        files = [
            each
            for each in wanted
            if self._disk.kind(each.path) is DiskEntryKind.FILE and self._bytes_of(each.path) <= MAX_FILE_BYTES
        ]
        if not files:
            return {}
        objects = self.scratch / "objects"
        make_folder(objects)
        names = "".join(quoted(each.path) + "\n" for each in files).encode()
        try:
            run(
                "hash-object", "-w", "--stdin-paths",
                cwd=self._shadow.repository.top, variables=self._shadow.apart(objects),
                settings=self._shadow.repository.settings, stdin=names,
            )  # fmt: skip
        except MissionError:
            return {}  # one of them is gone or cannot be read
        found = self._from_git(files, objects)
        shutil.rmtree(objects, ignore_errors=True)
        return found

    def _bytes_of(self, path: bytes) -> int:
        try:
            return os.lstat(self._disk.full(path)).st_size
        except OSError:
            return 0

    def _is_too_large(self, wanted: Wanted, size: int) -> bool:
        return _stored(size) > self._left or (size > MAX_FILE_BYTES and not wanted.alone)

    def _store(self, wanted: Wanted, size: int, pieces: Iterable[bytes]) -> Fetched | None:
        """Write the content if it is the expected one; None if it is another."""
        if self._is_too_large(wanted, size):
            return Fetched.TOO_LARGE
        space = _stored(size)
        digest = hashlib.new(self._shadow.repository.object_format, b"blob %d\0" % size)
        with wanted.target.open("wb") as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece[:space])
                space = max(space - len(piece), 0)
        if digest.hexdigest() != wanted.id:
            wanted.target.unlink()
            return None
        self._left -= _stored(size)
        return Fetched.WHOLE if size <= MAX_FILE_BYTES else Fetched.BEGINNING


def materialize(target: Path, entry: ManifestEntry) -> None:
    """Turn a stored content into the kind its entry has: a link, an executable, or a plain file."""
    mode = entry.split(b" ")[1]
    if mode == b"120000":
        leads_to = os.fsdecode(target.read_bytes())
        target.unlink()
        target.symlink_to(leads_to)
    elif mode == b"100755":
        target.chmod(0o700)


def _stored(size: int) -> int:
    """Return how much of a content of this size is written."""
    return size if size <= MAX_FILE_BYTES else MAX_PATCH_LENGTH


def _pieces(source: IO[bytes] | Output, size: int) -> Iterator[bytes]:
    while size > 0 and (piece := source.read(min(size, CHUNK))):
        size -= len(piece)
        yield piece


def _listed(wanted: list[Wanted]) -> bytes:
    return "".join(f"{each.id}\n" for each in wanted).encode()


def _size(line: bytes) -> int | None:
    """Return the size of an object according to git; None if it does not exist."""
    with suppress(ValueError):
        _, kind, size = line.split()
        return int(size) if kind == b"blob" else None
    return None
