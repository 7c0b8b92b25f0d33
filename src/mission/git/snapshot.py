"""Snapshots: record what a tree holds, so that `changed_files` can report later what has changed since."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from mission.domain.errors import MissionError
from mission.git.command import ProgressCallback
from mission.git.file_names import display_name, original
from mission.git.patches.start_contents import NOTHING_KEPT, keep_contents
from mission.git.snapshots.commits_since import HeadPosition, position
from mission.git.snapshots.index_listing import known_base, recall, renew
from mission.git.snapshots.manifest import Manifest, content_of, digest_of, entries_of, join
from mission.git.snapshots.plain_folder import scan_folder
from mission.git.snapshots.repository_facts import RepositoryFacts, open_repository
from mission.git.snapshots.scanner import Scan, Scanner
from mission.git.snapshots.snapshot_storage import SnapshotFolder, Storage, make_folder, moments_ago
from mission.git.working_tree import Tree

Result = TypeVar("Result")

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """The reference to a stored manifest. It is JSON-compatible: it is stored in a column of its task."""

    key: str
    tree: str
    """The tree's path as `file_names.shown` spells it."""
    kind: Literal["git", "checksum"]
    base: str
    delta: str
    digest: str
    head: str | None
    reflog: HeadPosition | None
    taken_at: str
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """A warning about contents that were not kept."""

    @property
    def id(self) -> str:
        """Return HEAD's commit, or the manifest's digest where there is none."""
        return self.head or self.digest

    @property
    def path(self) -> Path:
        return Path(os.fsdecode(original(self.tree)))

    def as_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "tree": self.tree,
            "kind": self.kind,
            "base": self.base,
            "delta": self.delta,
            "digest": self.digest,
            "head": self.head,
            "reflog": self.reflog.as_dict() if self.reflog else None,
            "taken_at": self.taken_at,
            "warnings": list(self.warnings),
            "left_out": list(self.left_out),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Snapshot:
        reflog = HeadPosition.from_dict(data["reflog"]) if data["reflog"] else None
        left_out = tuple(data.get("left_out", ()))
        return cls(**{**data, "reflog": reflog, "warnings": tuple(data["warnings"]), "left_out": left_out})


class Snapshots:
    """Takes and stores snapshots; all of its files are below `root`. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        make_folder(root)
        self.root = root
        self._storage = Storage(root)

    def take(
        self, tree: Tree, *, ignore: Mapping[str, str] | None = None, report: ProgressCallback | None = None
    ) -> Snapshot:
        """Take a snapshot of the tree's current content; see `scanned` for `ignore`."""
        folder = self._storage.folder(os.fsencode(tree.path))
        repository = open_repository(tree.path) if tree.kind == "git" else None
        # Read before the files: a commit made during the scan then counts as made after the start.
        reflog = position(repository.git_dir) if repository else None
        with self._storage.locked(folder):
            folder.make()
            key = secrets.token_hex(8)
            now = scan_tree(folder, tree.path, repository, ignore=ignore, report=report, compare_head=True)
            stored = _stored(folder, key, now.scan, tree.path, repository, reflog)
            if (scanner := now.scanner) is None:
                return stored
            not_in_head = _unless_it_fails(scanner.not_in_head)
        if not_in_head is None:
            return replace(stored, left_out=(NOTHING_KEPT,))
        warnings = _unless_it_fails(
            lambda: keep_contents(scanner, key, not_in_head, lambda: self._storage.locked(folder))
        )
        return replace(stored, left_out=(NOTHING_KEPT,) if warnings is None else tuple(warnings))

    @contextmanager
    def scanned(
        self, tree: Tree, *, ignore: Mapping[str, str] | None = None, report: ProgressCallback | None = None
    ) -> Iterator[ScannedTree]:
        """Yield the tree as it is now, while its snapshot folder is locked.

        `ignore` names untracked files that do not count as long as they have the given content ids.
        """
        folder = self._storage.folder(os.fsencode(tree.path))
        repository = open_repository(tree.path) if tree.kind == "git" else None
        with self._storage.locked(folder):
            folder.make()
            yield scan_tree(folder, tree.path, repository, ignore=ignore, report=report)

    @contextmanager
    def recorded(self, snapshot: Snapshot) -> Iterator[tuple[SnapshotFolder, Manifest]]:
        """Yield what a snapshot recorded, with its snapshot folder, which is locked."""
        folder = self._storage.folder(os.fsencode(snapshot.path))
        with self._storage.locked(folder):
            delta = folder.load_delta(snapshot.key, base=snapshot.base, digest=snapshot.delta)
            yield folder, Manifest(base=snapshot.base, delta=delta)

    def forget(self, snapshot: Snapshot) -> None:
        """Remove the files that only this snapshot needs, if they still exist."""
        folder = self._storage.folder(os.fsencode(snapshot.path))
        if not folder.path.is_dir():
            return
        with self._storage.locked(folder):
            folder.drop_delta(snapshot.key, base=snapshot.base)
            folder.drop_bases(keep=known_base(folder))

    def prune(self, keep: Collection[Snapshot], *, grace: timedelta = timedelta(hours=1)) -> None:
        """Remove the files that none of these snapshots needs, except recent ones that may still be in the making."""
        keys = {snapshot.key for snapshot in keep}
        before = moments_ago(grace.total_seconds())
        for folder in self._storage.folders():
            with self._storage.locked(folder, wait=False) as held:
                if held:
                    folder.drop_unfinished()
                    folder.drop_deltas(keep=keys, before=before)
                    folder.drop_bases(keep=known_base(folder))
                    if folder.is_idle(before=before):
                        folder.remove()


def _unless_it_fails(function: Callable[[], Result]) -> Result | None:
    """Return the function's result; None when it fails: a task can start even if no contents are kept for its lines."""
    try:
        return function()
    except (MissionError, OSError):
        log.warning("the contents at a task's start could not be kept", exc_info=True)
        return None


def _scan_plain(folder: SnapshotFolder, path: Path, report: ProgressCallback | None) -> Scan:
    entries, warnings = scan_folder(folder, path, report=report)
    text = join(entries)
    listing = recall(folder, index=digest_of(text)) or renew(folder, text, index=digest_of(text))
    return Scan(manifest=Manifest(base=listing.base, delta=listing.drift), warnings=warnings)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScannedTree:
    """A tree as it is now, and how it was read; `scanner` is None for a plain folder."""

    folder: SnapshotFolder
    scan: Scan
    scanner: Scanner | None
    left_out: frozenset[bytes] = frozenset()

    def store(self, path: Path) -> Snapshot:
        """Store the manifest alone, without contents; it can be compared and forgotten like any snapshot."""
        repository = self.scanner.repository if self.scanner else None
        reflog = position(repository.git_dir) if repository else None
        return _stored(self.folder, secrets.token_hex(8), self.scan, path, repository, reflog)


def scan_tree(
    folder: SnapshotFolder,
    path: Path,
    repository: RepositoryFacts | None,
    *,
    ignore: Mapping[str, str] | None,
    report: ProgressCallback | None,
    compare_head: bool = False,
) -> ScannedTree:
    """Return the tree as it is now; its snapshot folder must be locked. See `Snapshots.scanned` for `ignore`."""
    if repository is None:
        return _without(ignore or {}, folder, _scan_plain(folder, path, report), None)
    scanner = Scanner(folder, repository, report=report)
    return _without(ignore or {}, folder, scanner.scan(compare_head=compare_head), scanner)


def _without(ignore: Mapping[str, str], folder: SnapshotFolder, scan: Scan, scanner: Scanner | None) -> ScannedTree:
    """Return the scan without those untracked files that still have the content id given for them."""
    ids = {original(path): content.encode() for path, content in ignore.items()}
    now = entries_of(scan.manifest, ids, folder.load_base)
    same = {path for path, value in now.items() if value is not None and content_of(value) == ids.get(path)}
    absent = same - (scanner.tracked_among(same) if scanner and same else set())
    manifest = replace(scan.manifest, delta={**scan.manifest.delta, **dict.fromkeys(absent)})
    return ScannedTree(
        folder=folder, scan=replace(scan, manifest=manifest), scanner=scanner, left_out=frozenset(absent)
    )


def _stored(
    folder: SnapshotFolder,
    key: str,
    scan: Scan,
    path: Path,
    repository: RepositoryFacts | None = None,
    reflog: HeadPosition | None = None,
) -> Snapshot:
    manifest = scan.manifest
    return Snapshot(
        key=key,
        tree=display_name(os.fsencode(path)),
        kind="git" if repository else "checksum",
        base=manifest.base,
        delta=folder.save_delta(key, base=manifest.base, delta=manifest.delta),
        digest=manifest.digest,
        head=repository.head if repository else None,
        reflog=reflog,
        taken_at=datetime.now(UTC).isoformat(),
        warnings=tuple(scan.warnings),
    )
