"""Scan a folder without git: a checksum of every file and link, reading only those that may have changed."""

from __future__ import annotations

import hashlib
import os
import stat
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from mission.domain.errors import TransientError
from mission.git.command import ProgressCallback
from mission.git.errors import TooManyFiles
from mission.git.file_names import display_name
from mission.git.snapshots.manifest import ManifestEntry, entry, records
from mission.git.snapshots.snapshot_storage import SnapshotFolder, write

LIMIT = 200_000
MAX_TOTAL_BYTES = 50_000_000_000
"""Bytes of all files together: more would take minutes, and a kernel shows its memory as an endless file."""
SKIPPED = frozenset(
    name.encode()
    for name in (
        ".git", ".hg", ".svn", "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".gradle", ".terraform", ".next", ".nuxt",
        ".parcel-cache", ".turbo", ".cache", ".DS_Store",
    )
)  # fmt: skip
# A file touched this recently before it was read may change again without its times showing it.
RACY_NS = 2_000_000_000
CHUNK = 1 << 20

Sign = tuple[int, int, int, int]
Known = dict[bytes, tuple[Sign, ManifestEntry]]


def scan_folder(
    folder: SnapshotFolder, top: Path, *, report: ProgressCallback | None = None
) -> tuple[dict[bytes, ManifestEntry], list[str]]:
    """Return path → entry for every regular file and symbolic link, and warnings about those that could not be read."""
    walk = Walk(top, excluded=folder.excluded, known=_load(folder), report=report or (lambda _: None))
    _running.add(walk)
    try:
        entries = dict(walk.entries())
    finally:
        _running.discard(walk)
    _save(folder, walk.fresh)
    return entries, walk.warnings


def end_walks() -> None:
    """End every running scan; its result is no longer needed."""
    for walk in list(_running):
        walk.ended = True


class Walk:
    """One pass over a folder."""

    def __init__(self, top: Path, *, excluded: Path, known: Known, report: ProgressCallback) -> None:
        self.top = top
        self.excluded = _identity(excluded)
        self.known = known
        self.report = report
        self.started = time.time_ns()
        self.fresh: Known = {}
        self.warnings: list[str] = []
        self.ended = False

    def entries(self) -> Iterator[tuple[bytes, ManifestEntry]]:
        for count, (path, status) in enumerate(self._within_limits(), 1):
            if count % 10_000 == 0:
                self.report(f"Checked {count} files")
            value = self._entry(path, status)
            if value:
                yield path, value

    def _within_limits(self) -> list[tuple[bytes, os.stat_result]]:
        """Return all files before the first is read, so that a folder that is too large is refused early."""
        found: list[tuple[bytes, os.stat_result]] = []
        size = 0
        for path, status in self._files():
            found.append((path, status))
            size += status.st_size
            if len(found) > LIMIT:
                raise TooManyFiles(display_name(os.fsencode(self.top)), limit=f"{LIMIT:,} files")
            if size > MAX_TOTAL_BYTES:
                raise TooManyFiles(display_name(os.fsencode(self.top)), limit=f"{MAX_TOTAL_BYTES:,} bytes")
        return found

    def _files(self) -> Iterator[tuple[bytes, os.stat_result]]:
        top = os.fsencode(self.top)
        folders = [b""]
        while folders:
            self.check()
            folder = folders.pop()
            for name, status in self._listed(top + b"/" + folder, folder):
                if stat.S_ISDIR(status.st_mode):
                    if (status.st_dev, status.st_ino) != self.excluded:
                        folders.append(folder + name + b"/")
                elif stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                    yield folder + name, status

    def _listed(self, full: bytes, folder: bytes) -> list[tuple[bytes, os.stat_result]]:
        found = []
        try:
            with os.scandir(full) as listing:
                for item in listing:
                    if item.name not in SKIPPED and (status := _status(item)):
                        found.append((item.name, status))
        except FileNotFoundError:
            return []
        except OSError:
            self.warnings.append(f"Could not read: {display_name(folder) or '.'}")
        return found

    def _entry(self, path: bytes, status: os.stat_result) -> ManifestEntry | None:
        sign = (status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)
        mode = _mode(status.st_mode)
        known = self.known.get(path)
        if known and known[0] == sign and known[1].startswith(b"H " + mode):
            value = known[1]
        else:
            content = self._content(path, status)
            if content is None:
                return None
            value = entry(mode, content)
        if max(status.st_mtime_ns, status.st_ctime_ns) < self.started - RACY_NS:
            self.fresh[path] = (sign, value)
        return value

    def _content(self, path: bytes, status: os.stat_result) -> str | None:
        full = os.fsencode(self.top) + b"/" + path
        try:
            if stat.S_ISLNK(status.st_mode):
                return hashlib.sha256(os.readlink(full)).hexdigest()  # noqa: PTH115 (paths are bytes)
            return _checksum(full, size=status.st_size, each=self.check)
        except FileNotFoundError:
            return None
        except OSError:
            self.warnings.append(f"Could not read: {display_name(path)}")
            sign = f"unreadable {status.st_size} {status.st_mtime_ns} {status.st_ino}"
            return hashlib.sha256(sign.encode()).hexdigest()

    def check(self) -> None:
        if self.ended:
            raise TransientError("Mission Control is stopping")


_running: set[Walk] = set()


def _checksum(full: bytes, *, size: int, each: Callable[[], None]) -> str:
    """Return a checksum of at most one chunk beyond the file's size: a file shown as empty may be endless."""
    digest = hashlib.sha256()
    left = size + CHUNK
    # Without O_NONBLOCK a fifo that replaced the file would block us forever.
    with os.fdopen(
        os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0
    ) as file:
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
            each()
    return digest.hexdigest()


def _mode(mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return b"120000"
    return b"100755" if mode & stat.S_IXUSR else b"100644"


def _status(item: os.DirEntry[bytes]) -> os.stat_result | None:
    try:
        return item.stat(follow_symlinks=False)
    except OSError:
        return None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _load(folder: SnapshotFolder) -> Known:
    try:
        text = zlib.decompress((folder.path / "checksums").read_bytes())
        return dict(_parsed(record) for record in records(text))
    except (OSError, zlib.error, ValueError):
        return {}


def _parsed(record: bytes) -> tuple[bytes, tuple[Sign, ManifestEntry]]:
    sign, value, path = record.split(b"\t", 2)
    size, mtime, inode, ctime = map(int, sign.split(b" "))
    return path, ((size, mtime, inode, ctime), value)


def _save(folder: SnapshotFolder, known: Known) -> None:
    rows = (b"%d %d %d %d\t%s\t%s\0" % (*sign, value, path) for path, (sign, value) in known.items())
    write(folder.path / "checksums", zlib.compress(b"".join(rows), 1))
