"""Bring the files of a worktree from one tree to another, without losing what somebody else wrote there.

It is what `git merge --ff-only` does to files, with these differences: ignored files are not overwritten either, no
program that the repository configures runs, and an interrupted update is completed. Then some files have their new
content while the index does not know it; such files are recognized, and others are named.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from mission.git.command import LONG, OURS, GitResult, run
from mission.git.errors import GitFailed
from mission.git.file_names import display_name
from mission.git.integration.commit_changes import differences_between
from mission.git.integration.errors import NotOurFilter, PathsInTheWay
from mission.git.integration.files.filters import FilterKind, Filters
from mission.git.integration.files.index_lock import LockedIndex
from mission.git.integration.own_git_directory import OwnGitDirectory, edited_tree, removal_lines
from mission.git.snapshots.content_hashes import Hasher
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.snapshots.manifest import Difference, ManifestEntry, parse
from mission.git.worktrees.repository_programs import for_network, without_filters

LINK = b"160000"
NAMED_FILES = 200
REFUSED = re.compile(r"error: (?:Entry|Untracked working tree file|Updating) '(.+)'")
"""Git's words for a file that keeps it from updating the worktree."""


@dataclass(kw_only=True, slots=True)
class Obstacles:
    """The state of the paths that an update writes, as far as it is not the expected one."""

    done: dict[bytes, ManifestEntry | None] = field(default_factory=dict)
    """Files that have their new content already, or are gone already, while the index has another entry."""
    settled: dict[bytes, ManifestEntry | None] = field(default_factory=dict)
    """Paths with their new entry in the index."""
    edited: set[bytes] = field(default_factory=set)
    """Tracked files with changes of their own, in the index or on disk."""
    untracked: set[bytes] = field(default_factory=set)
    """Files that git does not track, ignored or not."""

    @property
    def in_the_way(self) -> set[bytes]:
        return self.edited | self.untracked


class WorktreeUpdate:
    """The update of one worktree from the tree `old` to the tree `new`; its index is locked."""

    def __init__(self, own: OwnGitDirectory, index: LockedIndex, *, old: str, new: str) -> None:
        self._own = own
        self._index = index
        self._old = old
        self._new = new
        self._top = own.repository.top
        self._disk = Disk(self._top)
        self._filters = Filters(own)
        self.differences = differences_between(own, old, new)
        self._removed = {each.path for each in self.differences if each.new is None}

    def obstacles(self) -> Obstacles:
        """Look at every path that the update writes, after the times of files have been refreshed in the index."""
        if not self.differences:
            return Obstacles()
        self._git("update-index", "-q", "--refresh", allowed=(0, 1))
        listed = parse(self._git("ls-files", "-v", "-s", "-z").out)
        changed = set(self._git("diff-files", "-z", "--name-only", "--ignore-submodules=all").out.split(b"\0"))
        found = Obstacles()
        suspects = [each for each in self.differences if self._is_suspect(each, listed, changed, found)]
        now = self._on_disk([each.path for each in suspects], listed)
        for each in suspects:
            self._compare(each, now.get(each.path), listed, found)
        return found

    def _compare(
        self, each: Difference, now: ManifestEntry | None, listed: Mapping[bytes, ManifestEntry], found: Obstacles
    ) -> None:
        """Note what a file, which git would not simply replace, means for the update."""
        if now == each.new:
            found.done[each.path] = each.new
        elif each.path not in listed:
            found.untracked |= {name for name in self._files_at(each.path) if name not in listed}
        elif now != each.old or now is None:
            found.edited.add(each.path)

    def check(self, obstacles: Obstacles, *, command: str) -> None:
        """Raise PathsInTheWay, or NotOurFilter for files that only their filter could write."""
        worktree = display_name(os.fsencode(self._top))
        if obstacles.in_the_way:
            raise PathsInTheWay(map(display_name, sorted(obstacles.in_the_way)[:NAMED_FILES]), worktree=worktree)
        written = [each.path for each in self.differences if each.new is not None and not _is_link(each.new)]
        closed = {FilterKind.SILENCED, *((FilterKind.LFS,) if self._filters.is_silenced_lfs else ())}
        silenced = [path for path, kind in self._filters.kinds(written).items() if kind in closed]
        if silenced:
            raise NotOurFilter(map(display_name, silenced), worktree=worktree, command=command)

    def write(self, obstacles: Obstacles) -> None:
        """Write the files and the copy of the index; `obstacles` has nothing that is in the way."""
        if obstacles.done:
            self._git("update-index", "-z", "--index-info", stdin=b"".join(self._lines(obstacles.done)))
            self._git("update-index", "-q", "--refresh", allowed=(0, 1))
        old = self._start({**obstacles.settled, **obstacles.done})
        try:
            self._git("read-tree", "-m", "-u", old, self._new, network=True)
        except GitFailed as failed:
            names = REFUSED.findall(failed.log)
            if not names:
                raise
            raise PathsInTheWay(names, worktree=display_name(os.fsencode(self._top))) from failed

    def _start(self, done: Mapping[bytes, ManifestEntry | None]) -> str:
        """Return the tree that the rest starts from: git fails where a file has already taken the place of a folder."""
        if not done:
            return self._old
        return edited_tree(self._own, self._old, lines=self._lines(done))

    def _lines(self, entries: Mapping[bytes, ManifestEntry | None]) -> list[bytes]:
        """Return the lines that give an index these entries; old ones are removed first, as they may be in the way."""
        id_length = hashlib.new(self._own.repository.object_format).digest_size * 2
        given = [b"%s\t%s\0" % (value[2:], path) for path, value in entries.items() if value]
        return [*removal_lines(entries, id_length=id_length), *given]

    def _is_suspect(
        self, each: Difference, listed: Mapping[bytes, ManifestEntry], changed: Collection[bytes], found: Obstacles
    ) -> bool:
        """Return whether the file must be compared with its new content; note what is in the way without that."""
        there = listed.get(each.path, b"")
        plain = b"H" + there[1:] if there else None
        if there and not there.endswith(b" 0"):
            found.edited.add(each.path)  # unmerged
        elif plain == each.new:
            found.settled[each.path] = each.new  # git leaves the file alone, so an edit of it stays
        elif plain != each.old:
            found.edited.add(each.path)  # staged
        elif each.old is None:
            self._note_blocked_folders(each, found)
            return not self._is_absent(each.path) and not self._is_free_folder(each, listed)
        else:
            hidden = not there.startswith(b"H") and not (there.startswith(b"S") and self._is_absent(each.path))
            return (each.path in changed or hidden) and not _is_link(each.old)
        return False

    def _is_absent(self, path: bytes) -> bool:
        return self._disk.kind(path) is DiskEntryKind.ABSENT

    def _note_blocked_folders(self, each: Difference, found: Obstacles) -> None:
        """Note a file or link that is where the new path needs a folder, unless the update removes it."""
        parts = each.path.split(b"/")
        for count in range(1, len(parts)):
            folder = b"/".join(parts[:count])
            kind = self._disk.kind(folder)
            if kind is DiskEntryKind.ABSENT or folder in self._removed:
                return
            if kind is not DiskEntryKind.FOLDER:
                found.untracked.add(folder)
                return

    def _is_free_folder(self, each: Difference, listed: Mapping[bytes, ManifestEntry]) -> bool:
        """Return whether a folder at a new path has nothing but files that the update removes."""
        if self._disk.kind(each.path) is not DiskEntryKind.FOLDER:
            return False
        return (each.new is not None and _is_link(each.new)) or not any(
            name not in listed for name in self._files_at(each.path)
        )

    def _files_at(self, path: bytes) -> Iterator[bytes]:
        """Yield the file at this path, or the files in the folder at this path."""
        if self._disk.kind(path) is not DiskEntryKind.FOLDER:
            yield path
            return
        for folder, _, names in os.walk(self._disk.full(path)):
            for name in names:
                yield os.path.join(folder, name)[len(self._disk.top) + 1 :]  # noqa: PTH118 (paths are bytes)

    def _on_disk(
        self, paths: Collection[bytes], listed: Mapping[bytes, ManifestEntry]
    ) -> Mapping[bytes, ManifestEntry | None]:
        """Return what git would record for these files, without running a filter or writing an object."""
        files = [path for path in paths if self._disk.kind(path) in (DiskEntryKind.FILE, DiskEntryKind.LINK)]
        if not files:
            return {}
        known = {path: b"H" + value[1:] for path, value in listed.items() if value.endswith(b" 0")}
        hasher = Hasher(
            self._own.shadow, self._disk, lambda wanted: {path: known[path] for path in wanted if path in known}
        )
        pointers = [path for path, kind in self._filters.kinds(files).items() if kind is FilterKind.LFS]
        return {**hasher.entries(files), **{path: self._filters.pointer_entry(path) for path in pointers}}

    def _git(
        self, *arguments: str, stdin: bytes = b"", allowed: tuple[int, ...] = (0,), network: bool = False
    ) -> GitResult:
        """Run git on the user's repository and the copy of the index: the user's own filters work as usual."""
        opened = for_network(self._top) if network else None
        return run(
            *arguments,
            cwd=self._top,
            variables=self._index.variables,
            settings=(*without_filters(self._top), *(opened or ())),
            stdin=stdin,
            allowed=allowed,
            timeout=LONG,
            stuck_after=LONG if network else None,
            umask=OURS,
            network=opened is not None,
            inherited=[self._index.descriptor],
        )


def _is_link(value: ManifestEntry) -> bool:
    return value.split(b" ")[1] == LINK
