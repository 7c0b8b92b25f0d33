"""Find what is at a path of a tree right now, without following links on the way."""

from __future__ import annotations

import hashlib
import os
import stat
from enum import Enum
from pathlib import Path

from mission.git.safe_reading import CHUNK, opened
from mission.git.snapshots.manifest import ManifestEntry, entry


class DiskEntryKind(Enum):
    """The kind of thing at a path."""

    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "other"
    ABSENT = "absent"
    HIDDEN = "hidden"
    """It cannot be checked: a folder on the way is not accessible."""


class Disk:
    """Checks paths below one top folder and remembers which folders on the way are real."""

    def __init__(self, top: Path) -> None:
        self.top = os.fsencode(top)
        self._real: dict[bytes, bool] = {b"": True}

    def kind(self, path: bytes) -> DiskEntryKind:
        """Return what is at this path; anything behind a symbolic link is not part of this tree."""
        if not self._is_real(os.path.dirname(path)):  # noqa: PTH120 (paths are bytes)
            return DiskEntryKind.ABSENT
        try:
            mode = os.lstat(self.full(path)).st_mode
        except PermissionError:
            return DiskEntryKind.HIDDEN
        except OSError:
            return DiskEntryKind.ABSENT
        return _kind(mode)

    def full(self, path: bytes) -> bytes:
        return self.top + b"/" + path

    def touched_ns(self, path: bytes) -> int:
        """Return when the file or its metadata last changed, 0 if it is gone."""
        try:
            status = os.lstat(self.full(path))
        except OSError:
            return 0
        return max(status.st_mtime_ns, status.st_ctime_ns)

    def is_readable(self, path: bytes) -> bool:
        """Return whether the file can be opened; one that no longer exists does not count as unreadable."""
        try:
            descriptor = os.open(self.full(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except PermissionError:
            return False
        except OSError:
            return True
        os.close(descriptor)
        return True

    def entry(self, path: bytes, algorithm: str) -> ManifestEntry | None:
        """Return the entry that git gives this file when nothing is converted; None if it no longer exists."""
        kind = self.kind(path)
        if kind is DiskEntryKind.LINK:
            target = os.readlink(self.full(path))  # noqa: PTH115 (paths are bytes)
            return entry(b"120000", _blob(algorithm, target))
        if kind is not DiskEntryKind.FILE:
            return None
        digest = hashlib.new(algorithm)
        with opened(Path(os.fsdecode(self.top)), path) as (file, status):
            digest.update(b"blob %d\0" % status.st_size)
            left = status.st_size
            while left > 0 and (chunk := file.read(min(CHUNK, left))):
                digest.update(chunk)
                left -= len(chunk)
        return entry(b"100755" if status.st_mode & stat.S_IXUSR else b"100644", digest.hexdigest())

    def guess(self, path: bytes) -> str:
        """Return a substitute for the content id of an unreadable file: it differs when size, time or inode do."""
        try:
            status = os.lstat(self.full(path))
            sign = f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"
        except OSError:
            sign = "hidden"
        return hashlib.sha1(f"unreadable {sign}".encode()).hexdigest()

    def _is_real(self, folder: bytes) -> bool:
        if folder not in self._real:
            self._real[folder] = self._is_real(os.path.dirname(folder)) and self._is_folder(folder)  # noqa: PTH120
        return self._real[folder]

    def _is_folder(self, folder: bytes) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.full(folder)).st_mode)
        except PermissionError:
            return True
        except OSError:
            return False


def _blob(algorithm: str, content: bytes) -> str:
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()


def _kind(mode: int) -> DiskEntryKind:
    if stat.S_ISREG(mode):
        return DiskEntryKind.FILE
    if stat.S_ISLNK(mode):
        return DiskEntryKind.LINK
    return DiskEntryKind.FOLDER if stat.S_ISDIR(mode) else DiskEntryKind.OTHER
