"""Content ids of files, made by git itself in an index of our own, without writing an object anywhere.

The overlay index holds only files that differ from the user's index, and it is kept between calls: a file whose stat
data did not change since then is not read again. Most builds of git compare times by the second, so a file that was
touched only moments ago goes through a temporary index: it could change again without its times showing it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from mission.git.command import LONG
from mission.git.errors import GitFailed
from mission.git.snapshots.disk_entries import Disk
from mission.git.snapshots.manifest import ManifestEntry, entry, parse
from mission.git.snapshots.shadow_repository import Shadow

# When the overlay holds this many times the requested entries, it is rebuilt.
SLACK = 4
YOUNG_NS = 2_000_000_000

Seeds = Callable[[Collection[bytes]], dict[bytes, ManifestEntry]]


class Hasher:
    """Makes entries for files of one worktree; `unreadable` collects those that could not be read.

    With `seeds` the entries of the user's index are added first: they determine whether line endings are converted,
    and which mode a file has where the file system does not keep one.
    """

    def __init__(self, shadow: Shadow, disk: Disk, seeds: Seeds | None) -> None:
        self.shadow = shadow
        self.disk = disk
        self.seeds = seeds
        self.unreadable: list[bytes] = []

    def entries(self, paths: Collection[bytes]) -> dict[bytes, ManifestEntry]:
        """Return path → entry for each of these files that still exists."""
        since = time.time_ns() - YOUNG_NS
        young = [path for path in paths if self.disk.touched_ns(path) >= since]
        settled = set(paths).difference(young)
        self.shadow.passing.unlink(missing_ok=True)
        found = {**self._safely(self.shadow.overlay, list(settled)), **self._safely(self.shadow.passing, young)}
        # Git skips names that it refuses ('.GIT/x') without failing.
        for path in (path for path in paths if path not in found):
            found |= self._without_git(path)
        return {path: found[path] for path in paths if path in found}

    def _safely(self, index: Path, paths: list[bytes]) -> dict[bytes, ManifestEntry]:
        try:
            return self._hash(index, paths)
        except GitFailed:
            # Our index is damaged, or a file cannot be read; git stops at the first one.
            index.unlink(missing_ok=True)
            closed = [path for path in paths if not self.disk.is_readable(path)]
            return self._set_aside(closed) | self._halving(index, list(set(paths).difference(closed)))

    def _halving(self, index: Path, paths: list[bytes]) -> dict[bytes, ManifestEntry]:
        """Narrow a failure down to the files that make git fail, and hash those without it."""
        try:
            return self._hash(index, paths)
        except GitFailed:
            if len(paths) == 1:
                return self._without_git(paths[0])
            middle = len(paths) // 2
            return self._halving(index, paths[:middle]) | self._halving(index, paths[middle:])

    def _hash(self, index: Path, paths: list[bytes]) -> dict[bytes, ManifestEntry]:
        if not paths:
            return {}
        if self.seeds:
            self._seed(index, self.seeds(paths))
        names = b"".join(path + b"\0" for path in paths)
        flags = ("-z", "--add", "--remove", "--replace", "--info-only", "--stdin")
        self.shadow.run("update-index", *flags, index=index, stdin=names, timeout=LONG)
        found = parse(self.shadow.run("ls-files", "-v", "-s", "-z", index=index, timeout=LONG).out)
        if len(found) > SLACK * len(paths) + 1000:
            index.unlink(missing_ok=True)
        return found

    def _seed(self, index: Path, entries: dict[bytes, ManifestEntry]) -> None:
        # 'H 100644 <id> 0' without its tag is what --index-info reads.
        lines = b"".join(b"%s\t%s\0" % (value[2:], path) for path, value in entries.items())
        if lines:
            self.shadow.run("update-index", "-z", "--replace", "--index-info", index=index, stdin=lines, timeout=LONG)

    def _without_git(self, path: bytes) -> dict[bytes, ManifestEntry]:
        try:
            value = self.disk.entry(path, self.shadow.repository.object_format)
        except OSError:
            return self._set_aside([path])
        return {path: value} if value else {}

    def _set_aside(self, paths: list[bytes]) -> dict[bytes, ManifestEntry]:
        self.unreadable += paths
        return {path: entry(b"100644", self.disk.guess(path)) for path in paths}
