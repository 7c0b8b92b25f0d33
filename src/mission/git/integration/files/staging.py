"""Put the present content of a worktree into a copy of its index: tracked and new files, without ignored ones.

Git runs from a directory of our own, so no program of the repository runs. Filters are handled one by one
(`filters.py`).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from mission.git.command import LONG, OURS, run
from mission.git.errors import GitFailed
from mission.git.file_names import display_name, original
from mission.git.integration.errors import Filtered, NotCommittable
from mission.git.integration.files.filters import FilterKind, Filters
from mission.git.integration.files.index_lock import LockedIndex
from mission.git.integration.own_git_directory import OwnGitDirectory
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.worktrees.repository_programs import without_filters

IGNORED = b"Ignoring path "
"""Git's words for a name that it does not store."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """The paths of a worktree whose content may differ from the index."""

    changed: frozenset[bytes]
    unmerged: frozenset[bytes]
    nested: frozenset[bytes]
    """Repositories that git does not track."""


class Staging:
    """The content of one worktree, on its way into the copy of its index."""

    def __init__(self, own: OwnGitDirectory, index: LockedIndex, *, copied: Collection[str] = ()) -> None:
        self._own = own
        self._index = index
        self._copied = {original(name) for name in copied}
        self.disk = Disk(own.repository.top)
        self.filters = Filters(own)

    @cached_property
    def content(self) -> Content:
        """Compare the worktree with the index; files that were copied into it are not part of it."""
        copied = self._copied - self._in_head(self._copied)
        rows = [record.partition(b"\t") for record in self._git("ls-files", "-v", "-s", "-z")]
        self._clear_marks(path for facts, _, path in rows if facts[:1].islower() or facts[:1] == b"S")
        self._remove(copied & {path for _, _, path in rows})
        flags = ("-z", "--name-only", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv")
        changed = {*self._git("diff-files", *flags)}
        others = {*self._git("ls-files", "-z", "--others", "--exclude-standard")}
        return Content(
            changed=frozenset((changed | {path for path in others if not path.endswith(b"/")}) - copied),
            unmerged=frozenset(path for facts, _, path in rows if not facts.endswith(b" 0")),
            nested=frozenset(path for path in others if path.endswith(b"/")),
        )

    def kinds(self, paths: Collection[bytes]) -> dict[bytes, FilterKind]:
        """Return the filters of those paths that are regular files."""
        return self.filters.kinds([path for path in paths if self.disk.kind(path) is DiskEntryKind.FILE])

    def add(self, paths: Collection[bytes]) -> None:
        """Put these files into the index as they are now; files that are gone are removed from it.

        Raise Filtered for files whose filter does not run here, and NotCommittable for those that git refuses.
        """
        kinds = self.kinds(paths)
        silenced = [path for path, kind in kinds.items() if kind is FilterKind.SILENCED]
        if silenced:
            raise Filtered(map(display_name, silenced))
        self._add_plainly([path for path in paths if path not in kinds])
        self._add_pointers([path for path, kind in kinds.items() if kind is FilterKind.LFS])
        self._add_filtered([path for path, kind in kinds.items() if kind is FilterKind.USERS])

    def tree(self) -> str:
        """Write the tree of the index and return its id."""
        return self._own.run_locked(self._index, "write-tree").line.decode()

    def reset(self, commit: str) -> None:
        """Give the index the content of the commit; what it knows about unchanged files stays."""
        self._own.run_locked(self._index, "read-tree", "--reset", commit)
        self._own.run_locked(self._index, "update-index", "-q", "--refresh", allowed=(0, 1))

    def _add_plainly(self, paths: Collection[bytes]) -> None:
        flags = ("-z", "--add", "--remove", "--replace", "--stdin")
        if not paths:
            return
        try:
            done = self._own.run_locked(self._index, "update-index", *flags, stdin=_listed(paths))
        except GitFailed as failed:
            closed = [path for path in paths if not self.disk.is_readable(path)]
            if not closed:
                raise
            raise NotCommittable(map(display_name, closed)) from failed
        refused = [line.removeprefix(IGNORED) for line in done.err.splitlines() if line.startswith(IGNORED)]
        if refused:
            raise NotCommittable(map(display_name, refused))

    def _add_pointers(self, paths: Collection[bytes]) -> None:
        """Add files of LFS by their pointers; files that are pointers already are added as they are."""
        lines = {path: line for path in paths if (line := self._pointer_line(path)) is not None}
        self._add_plainly([path for path in paths if path not in lines])
        if lines:
            self._own.run_locked(self._index, "update-index", "-z", "--index-info", stdin=b"".join(lines.values()))

    def _pointer_line(self, path: bytes) -> bytes | None:
        """Store the content of a file for LFS and return its line of the index; None if it is a pointer already."""
        try:
            pointer = self.filters.store(path)
            entry = self.filters.pointer_entry(path)
        except OSError as error:
            raise NotCommittable([display_name(path)]) from error
        if pointer is None or entry is None:
            return None
        self._own.run("hash-object", "-w", "--stdin", "-t", "blob", stdin=pointer.text)
        return b"%s\t%s\0" % (entry[2:], path)

    def _add_filtered(self, paths: Collection[bytes]) -> None:
        """Add files through a filter of the user's own; filters of the repository are silenced."""
        if paths:
            top = self._own.repository.top
            run(
                "update-index", "-z", "--add", "--remove", "--replace", "--stdin",
                cwd=top, variables=self._index.variables, settings=without_filters(top),
                stdin=_listed(paths), timeout=LONG, umask=OURS, inherited=[self._index.descriptor],
            )  # fmt: skip

    def _clear_marks(self, marked: Iterable[bytes]) -> None:
        """Let git look at files that are marked to be skipped, where they exist."""
        there = [path for path in marked if self.disk.kind(path) is not DiskEntryKind.ABSENT]
        for bit in ("--no-assume-unchanged", "--no-skip-worktree") if there else ():
            self._own.run_locked(self._index, "update-index", bit, "-z", "--stdin", stdin=_listed(there))

    def _in_head(self, paths: Collection[bytes]) -> set[bytes]:
        head = self._own.repository.head
        if not paths or head is None:
            return set()
        names = [os.fsdecode(path) for path in sorted(paths)]
        return {*self._git("ls-tree", "-r", "-z", "--name-only", "--full-tree", head, "--", *names)}

    def _remove(self, paths: Collection[bytes]) -> None:
        """Take files out of the index that somebody added in spite of what they are."""
        if paths:
            flags = ("-z", "--force-remove", "--stdin")
            self._own.run_locked(self._index, "update-index", *flags, stdin=_listed(paths))

    def _git(self, *arguments: str) -> list[bytes]:
        return self._own.run_locked(self._index, *arguments).out.split(b"\0")[:-1]


def _listed(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)
