"""Scan the worktree of a repository: use the index where it can be trusted, and check the rest on disk."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from mission.domain.errors import MissionError
from mission.domain.plural import counted
from mission.git.background_threads import side_by_side
from mission.git.command import LONG, GitResult, ProgressCallback
from mission.git.file_names import display_name
from mission.git.repository_guard import check_rules
from mission.git.snapshots.content_hashes import Hasher, Seeds
from mission.git.snapshots.disk_entries import Disk, DiskEntryKind
from mission.git.snapshots.git_attributes import Attributes, filtered_paths, read_attributes
from mission.git.snapshots.index_listing import Listing, recall, renew
from mission.git.snapshots.manifest import (
    Delta,
    Manifest,
    ManifestEntry,
    ManifestText,
    digest_of,
    entry,
    join,
    look_up,
    parse,
    whole,
)
from mission.git.snapshots.plain_folder import scan_folder
from mission.git.snapshots.repository_facts import RepositoryFacts, open_repository
from mission.git.snapshots.shadow_repository import Shadow
from mission.git.snapshots.snapshot_storage import SnapshotFolder

LISTED_FILES = (DiskEntryKind.FILE, DiskEntryKind.LINK)
# Nested repositories below this depth are compared as plain folders.
MAX_DEPTH = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Scan:
    """The content of a tree, and warnings for the reader of the result."""

    manifest: Manifest
    warnings: list[str] = field(default_factory=list)


class Scanner:
    """Scans one worktree. The caller holds the lock of its snapshot folder."""

    def __init__(
        self,
        folder: SnapshotFolder,
        repository: RepositoryFacts,
        *,
        report: ProgressCallback | None = None,
        depth: int = 0,
    ) -> None:
        folder.make()
        self.folder = folder
        self.repository = repository
        self.report = report or (lambda _: None)
        self.depth = depth
        self.shadow = Shadow(folder.path / "git", repository)
        self.shadow.prepare()
        self.disk = Disk(repository.top)
        self.listing: Listing
        self.attributes: Attributes
        self.passed_over = False
        self.looked_at: Delta = {}
        self.staged: Future[list[bytes]] | None = None
        self.seen_to_differ: set[bytes] = set()
        self.warnings: list[str] = []

    def scan(self, *, compare_head: bool = False) -> Scan:
        """Return the manifest of this moment; `compare_head` prepares `not_in_head`, while git checks the files."""
        index = self.shadow.copy_index()
        known = recall(self.folder, index=index)
        if known:
            check_rules(self.repository.top, map(os.fsdecode, known.special.attributes))
        # Listed first, so that its text is processed while git checks the files.
        text = b"" if known else self._list_index()
        with side_by_side() as start:
            changed = start(self._changed)
            others = start(self._others)
            self.staged = start(self._staged_paths) if compare_head else None
            self.listing = known or renew(self.folder, text, index=index)
            untracked = others.result()
            suspects = self._suspects(changed.result(), untracked)
        self.seen_to_differ = {*changed.result(), *untracked}
        self.looked_at = self.look_at(suspects)
        delta = {**self.listing.drift, **self._links(untracked), **self.looked_at}
        return Scan(manifest=Manifest(base=self.listing.base, delta=delta), warnings=self.warnings)

    def look_at(self, paths: Collection[bytes]) -> Delta:
        """Return the entries that these paths have on disk now, None where no file exists."""
        kinds = {path: self.disk.kind(path) for path in paths}
        files = [path for path, kind in kinds.items() if kind in LISTED_FILES]
        if files:
            self.report(f"Reading {counted(len(files), 'changed or new file')}")
        hasher = Hasher(self.shadow, self.disk, self._seeds)
        found = hasher.entries(files)
        hidden = [path for path, kind in kinds.items() if kind is DiskEntryKind.HIDDEN]
        found |= {path: entry(b"100644", self.disk.guess(path)) for path in hidden}
        self.warnings += [f"Could not read: {display_name(path)}" for path in sorted([*hasher.unreadable, *hidden])]
        return {path: found.get(path) for path in paths}

    def not_in_head(self) -> dict[bytes, ManifestEntry]:
        """Return the files whose content HEAD may not have, after a scan: checked one by one, or only in the index."""
        staged = {path: value for path, value in self._staged().items() if path not in self.looked_at}
        self.seen_to_differ |= staged.keys()
        return staged | {path: value for path, value in self.looked_at.items() if value is not None}

    def tracked_among(self, paths: Collection[bytes]) -> set[bytes]:
        """Return those of these paths that the index has, after a scan."""
        special = self.listing.special
        return {*self._indexed(paths), *(set(paths) & {*special.links, *special.sparse, *special.unsure})}

    def not_checked_out(self) -> Delta:
        """Return the entries of the index that are marked to be skipped and have no file, after a scan."""
        absent = [path for path in self.listing.special.sparse if self.disk.kind(path) is DiskEntryKind.ABSENT]
        listed = parse(self._list_index()) if absent else {}
        return {path: listed[path] for path in absent if path in listed}

    def _staged(self) -> dict[bytes, ManifestEntry]:
        if self.repository.head is None:
            return parse(self._tracked())
        return self._indexed(self.staged.result() if self.staged else self._staged_paths())

    def _staged_paths(self) -> list[bytes]:
        if self.repository.head is None:
            return []
        flags = ("--cached", "-z", "--name-only", "--no-renames", "--diff-filter=d", "--ignore-submodules=all")
        result = self.shadow.run("diff-index", *flags, self.repository.head, "--", allowed=(0, 128), timeout=LONG)
        return _names(result)

    def text(self) -> ManifestText:
        """Return the base of the listing."""
        return self.folder.load_base(self.listing.base)

    def _changed(self) -> list[bytes]:
        # Submodules are checked separately: git would run a status in each, with that repository's settings.
        flags = ("--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
        result = self.shadow.run("diff-files", "-z", "--name-only", *flags, timeout=LONG)
        self.passed_over = bool(result.err)
        return _names(result)

    def _others(self) -> list[bytes]:
        result = self.shadow.run("ls-files", "-z", "--others", "--exclude-standard", timeout=LONG)
        closed = [line for line in result.err.splitlines() if line.startswith(b"warning: could not open directory")]
        self.warnings += ["Could not read: " + line.split(b"'")[1].decode(errors="replace") for line in closed]
        own = self._own_folder()
        return [path for path in _names(result) if not (own and path.startswith(own))]

    def _list_index(self) -> ManifestText:
        return self.shadow.run("ls-files", "-v", "-s", "-z").out

    def _suspects(self, changed: list[bytes], untracked: list[bytes]) -> set[bytes]:
        """Return every path whose entry in the index, or lack of one, is wrong for the worktree."""
        special = self.listing.special
        new = [path for path in untracked if not path.endswith(b"/")]
        present = [path for path in special.sparse if self.disk.kind(path) is not DiskEntryKind.ABSENT]
        paths = {*changed, *new, *present, *special.unsure, *self._filtered(new), *self._passed_over()}
        return paths - special.links.keys() | {path for path in special.links if self._is_no_folder(path)}

    def _passed_over(self) -> list[bytes]:
        """Return tracked paths that are gone without git saying so: those behind a closed folder or a circular link."""
        if not self.passed_over:
            return []
        kinds = {path: self.disk.kind(path) for path in parse(self._tracked())}
        hidden = [display_name(path) for path, kind in kinds.items() if kind is DiskEntryKind.HIDDEN]
        self.warnings += [f"Could not read: {name}" for name in sorted(hidden)]
        return [path for path, kind in kinds.items() if kind is DiskEntryKind.ABSENT]

    def _filtered(self, new: list[bytes]) -> list[bytes]:
        fresh = [path for path in new if path.endswith(b".gitattributes")]
        self.attributes = read_attributes(self.shadow, [*self.listing.special.attributes, *fresh])
        return filtered_paths(
            self.folder, self.shadow, self.attributes, index=self.listing.index, tracked=self._tracked
        )

    def _tracked(self) -> ManifestText:
        listed = Manifest(base=self.listing.base, delta=self.listing.drift)
        return join(whole(listed, self.text()))

    @property
    def _seeds(self) -> Seeds | None:
        """Return entries of the index, where the id or mode of a changed file depends on its previous entry."""
        repository = self.repository
        plain_modes = repository.is_on("filemode", default=True) and repository.is_on("symlinks", default=True)
        converts = self.attributes.conversions or repository.is_on("autocrlf", default=False)
        return self._indexed if converts or not plain_modes else None

    def _indexed(self, paths: Collection[bytes]) -> dict[bytes, ManifestEntry]:
        if not paths:
            return {}
        known: Delta = {**look_up(self.text(), paths), **self.listing.drift}
        return {path: value for path in paths if (value := known.get(path)) is not None}

    def _own_folder(self) -> bytes | None:
        """Return our own folder, which is not part of the tree even if it is inside it."""
        root, top = Path(os.path.realpath(self.folder.excluded)), self.repository.top
        return os.fsencode(root.relative_to(top)) + b"/" if root.is_relative_to(top) else None

    def _is_no_folder(self, path: bytes) -> bool:
        return self.disk.kind(path) is not DiskEntryKind.FOLDER

    def _links(self, untracked: list[bytes]) -> Delta:
        """Return the entries of submodules and of other repositories nested in this tree."""
        special = self.listing.special.links
        delta: Delta = {
            path: self._nested(path, unused=commit) for path, commit in special.items() if not self._is_no_folder(path)
        }
        for path in (name.removesuffix(b"/") for name in untracked if name.endswith(b"/")):
            delta[path] = self._nested(path, unused=None)
        return delta

    def _nested(self, path: bytes, *, unused: bytes | None) -> ManifestEntry | None:
        """Return the state of the repository at this path; `unused` means a submodule that is not checked out."""
        top = self.repository.top / os.fsdecode(path)
        if not os.path.lexists(top / ".git"):
            return entry(b"160000", unused) if unused else None
        try:
            repository = open_repository(top)
        except MissionError:
            return self._foreign(path)
        if repository.top != top or self.depth >= MAX_DEPTH:
            return self._foreign(path)
        if unused is None and repository.common_dir == self.repository.common_dir:
            # Another worktree of the same repository is a tree of its own: changes there are not part of this one.
            return None
        scanner = Scanner(self.folder.inner(path), repository, report=self.report, depth=self.depth + 1)
        state = scanner.state()
        self.warnings += [f"{display_name(path)}: {warning}" for warning in scanner.warnings]
        return entry(b"160000", state)

    def state(self) -> str:
        """Return one id for the whole content of this repository: its commit if nothing differs from it."""
        scan = self.scan()
        entries = whole(scan.manifest, self.text())
        if self.repository.head and self._is_clean(entries):
            return self.repository.head
        return hashlib.sha1(f"{self.repository.head} {digest_of(join(entries))}".encode()).hexdigest()

    def _is_clean(self, entries: dict[bytes, ManifestEntry]) -> bool:
        listed = Manifest(base=self.listing.base, delta=self.listing.drift)
        special = self.listing.special
        if (
            special.unsure
            or special.sparse
            or entries
            != whole(listed, self.text()) | {path: entry(b"160000", commit) for path, commit in special.links.items()}
        ):
            return False
        staged = self.shadow.run(
            "diff-index", "--cached", "--quiet", "--ignore-submodules=none", self.repository.head or "", "--",
            allowed=(0, 1, 128),
        )  # fmt: skip
        return staged.code == 0

    def _foreign(self, path: bytes) -> ManifestEntry:
        """Return the state of a nested repository that git refuses, compared like a plain folder."""
        folder = self.folder.inner(path)
        folder.make()
        top = self.repository.top / os.fsdecode(path)
        entries, warnings = scan_folder(folder, top, report=self.report)
        self.warnings += warnings
        return entry(b"160000", hashlib.sha1(join(entries)).hexdigest())


def _names(result: GitResult) -> list[bytes]:
    return result.out.split(b"\0")[:-1]
