"""Look at what a candidate would commit: conflict markers are refused, large files and likely secrets ask."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from mission.git.file_names import display_name
from mission.git.integration.candidates.secret_shapes import is_secret_name, secrets_in
from mission.git.integration.own_git_directory import OwnGitDirectory, read_blobs
from mission.git.safe_reading import CHUNK, opened
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.snapshots.manifest import Difference, ManifestEntry, content_of

MAX_FILE_BYTES = 10_000_000
"""Larger files are asked about; this much of a file is searched."""
TEXT_BYTES = 8_000
"""Like git, we take a file for text if its beginning has no NUL."""
BATCH_BYTES = 64_000_000
MARKER_SIZE = 7
REGULAR = (b"100644", b"100755")


@dataclass(frozen=True, kw_only=True, slots=True)
class CandidateFinding:
    """Something that a person has to allow before it is committed; `key` names exactly this content of this file."""

    kind: Literal["large", "secret"]
    path: str
    detail: str
    key: str


@dataclass(frozen=True, kw_only=True, slots=True)
class _File:
    """The beginning of a file, its whole size, and a digest of all of it."""

    path: bytes
    content: bytes
    size: int
    digest: str

    @property
    def is_text(self) -> bool:
        return b"\0" not in self.content[:TEXT_BYTES]

    def finding(self, kind: Literal["large", "secret"], detail: str) -> CandidateFinding:
        name = display_name(self.path)
        key = hashlib.sha256(f"{kind}\0{name}\0{detail}\0{self.digest}".encode()).hexdigest()[:32]
        return CandidateFinding(kind=kind, path=name, detail=detail, key=key)


class Inspection:
    """Inspects files before they are committed; what the commit `base` had already does not count."""

    def __init__(self, own: OwnGitDirectory, *, base: str) -> None:
        self._own = own
        self._base = base
        self.marked: set[str] = set()
        """Files with conflict markers."""
        self.findings: list[CandidateFinding] = []

    def look_at_disk(self, paths: Iterable[bytes], *, stored_elsewhere: Collection[bytes]) -> None:
        """Inspect files of the worktree; those stored elsewhere (by LFS) may be large and are not searched."""
        disk = Disk(self._own.repository.top)
        for path in sorted(paths):
            if disk.kind(path) is DiskEntryKind.FILE and path not in stored_elsewhere:
                self._inspect(_on_disk(self._own, path))

    def look_at_objects(self, differences: Iterable[Difference]) -> None:
        """Inspect files that are in the repository already, because an agent committed them."""
        wanted = {each.path: content_of(each.new) for each in differences if each.new and _is_file(each.new)}
        sizes = self._sizes(set(wanted.values()))
        for batch in _batches({path: sizes.get(id, 0) for path, id in wanted.items()}):
            small = {wanted[path] for path in batch if sizes.get(wanted[path], 0) <= MAX_FILE_BYTES}
            contents = read_blobs(self._own, small) if small else {}
            for path in batch:
                id = wanted[path]
                self._inspect(
                    _File(path=path, content=contents.get(id, b""), size=sizes.get(id, 0), digest=id.decode())
                )

    def _inspect(self, file: _File) -> None:
        if file.size > MAX_FILE_BYTES:
            self.findings.append(file.finding("large", f"{file.size / 1_000_000:.1f} MB"))
        if is_secret_name(file.path) and self._before(file.path) is None:
            self.findings.append(file.finding("secret", "its name suggests that it contains secrets"))
        if file.is_text:
            self._search(file)

    def _search(self, file: _File) -> None:
        found = {secret: what for what, secret in secrets_in(file.content)}
        has_markers = b"<" * MARKER_SIZE in file.content
        if not found and not has_markers:
            return
        before = self._before(file.path) or b""
        for what in sorted({what for secret, what in found.items() if secret not in before}):
            self.findings.append(file.finding("secret", f"it seems to contain {what}"))
        if has_markers:
            size = self._marker_size(file.path)
            if conflicts_in(file.content, size) > conflicts_in(before, size):
                self.marked.add(display_name(file.path))

    def _before(self, path: bytes) -> bytes | None:
        """Return the content of the file in the base, None if it is not there."""
        listed = self._own.run("ls-tree", "-z", "--full-tree", self._base, "--", path).out
        facts, _, name = listed.rstrip(b"\0").partition(b"\t")
        if name != path or not facts.startswith(REGULAR):
            return None
        id = facts.split(b" ")[2]
        return read_blobs(self._own, [id]).get(id)

    def _marker_size(self, path: bytes) -> int:
        fields = self._own.run("check-attr", "-z", "conflict-marker-size", "--", path).out.split(b"\0")
        return int(fields[2]) if len(fields) > 2 and fields[2].isdigit() else MARKER_SIZE

    def _sizes(self, ids: Collection[bytes]) -> dict[bytes, int]:
        if not ids:
            return {}
        asked = b"".join(id + b"\n" for id in ids)
        rows = (line.split(b" ") for line in self._own.run("cat-file", "--batch-check", stdin=asked).out.splitlines())
        return {row[0]: int(row[2]) for row in rows if len(row) == 3}


def conflicts_in(content: bytes, size: int) -> int:
    """Return the number of complete conflicts: three marker lines of this size in their order."""
    lines = rb"^<{%d}(?: .*)?$|^={%d}\r?$|^>{%d}(?: .*)?$" % (size, size, size)
    count, expected = 0, 0
    for found in re.finditer(lines, content, re.MULTILINE):
        kind = b"<=>".index(found[0][:1])
        if kind == expected:
            expected = (expected + 1) % 3
            count += expected == 0
        elif kind == 0:
            expected = 1
    return count


def _on_disk(own: OwnGitDirectory, path: bytes) -> _File:
    digest = hashlib.sha256()
    content = b""
    try:
        with opened(own.repository.top, path) as (file, status):
            size = status.st_size
            while piece := file.read(CHUNK):
                digest.update(piece)
                content += piece if len(content) < MAX_FILE_BYTES else b""
    except OSError:
        return _File(path=path, content=b"", size=0, digest="")  # git refuses it later, by name
    return _File(path=path, content=content, size=size, digest=digest.hexdigest())


def _batches(sizes: Mapping[bytes, int]) -> Iterator[list[bytes]]:
    """Yield the paths in groups whose contents fit into memory."""
    batch: list[bytes] = []
    total = 0
    for path, size in sorted(sizes.items()):
        if batch and total + size > BATCH_BYTES:
            yield batch
            batch, total = [], 0
        batch.append(path)
        total += min(size, MAX_FILE_BYTES)
    if batch:
        yield batch


def _is_file(entry: ManifestEntry) -> bool:
    return entry.split(b" ")[1] in REGULAR
