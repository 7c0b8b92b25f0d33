"""Record what a tree holds, and report later what has changed since."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

from mission.domain.errors import MissionError
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.patch import Patch
from mission.git.errors import BrokenRepository, NoRepository, RepositoryGone, TreeGone
from mission.git.file_names import original, shown
from mission.git.patches.kept_contents import Kept
from mission.git.patches.patch import make_patch
from mission.git.patches.start_contents import FAILED, NOTHING_KEPT, keep
from mission.git.snapshots.changed_paths import find_renames, sort_paths
from mission.git.snapshots.commits_since import HeadPosition, History, history, position
from mission.git.snapshots.index_listing import known_base, recall, renew
from mission.git.snapshots.manifest import Difference, Manifest, compare, digest_of, join
from mission.git.snapshots.plain_folder import scan_folder
from mission.git.snapshots.repository_facts import RepositoryFacts, open_repository
from mission.git.snapshots.scanner import LISTED_FILES, Scan, Scanner
from mission.git.snapshots.snapshot_storage import SnapshotFolder, Storage, make_folder, moments_ago
from mission.git.working_tree import Tree

Result = TypeVar("Result")
Report = Callable[[str], None]
PLAIN_FOLDER = "the task was done in a plain folder: the changed files are known, but not the changed lines"
NOT_MADE = "git could not show the lines when they were to be kept: the changed files are known, but not the lines"

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
    """Takes and compares snapshots; all of its files are below `root`. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        make_folder(root)
        self._storage = Storage(root)

    def take(self, tree: Tree, *, report: Report | None = None) -> Snapshot:
        """Take a snapshot of the tree's current content."""
        room = self._storage.room(os.fsencode(tree.path))
        repository = open_repository(tree.path) if tree.kind == "git" else None
        # Read before the files: a commit made during the scan then counts as made after the start.
        reflog = position(repository.git_dir) if repository else None
        with self._storage.locked(room):
            room.make()
            key = secrets.token_hex(8)
            if repository is None:
                return _stored(room, key, _scan_plain(room, tree.path, report), tree.path)
            scanner = Scanner(room, repository, report=report)
            scan = scanner.scan()
            stored = _stored(room, key, scan, tree.path, repository, reflog)
            not_in_head = _unless_it_fails(scanner.not_in_head)
        if not_in_head is None:
            return replace(stored, left_out=(NOTHING_KEPT,))
        warnings = _unless_it_fails(lambda: keep(scanner, key, not_in_head, lambda: self._storage.locked(room)))
        return replace(stored, left_out=(NOTHING_KEPT,) if warnings is None else tuple(warnings))

    def changes(self, snapshot: Snapshot, *, lines: bool = False, report: Report | None = None) -> Changes:
        """Return what differs in the tree now, with the lines if requested; raise ChangesUnknown if that cannot be
        determined."""
        with self._compared(snapshot, report) as compared:
            return replace(compared.changes, patch=compared.patch().packed()) if lines else compared.changes

    def lines(self, snapshot: Snapshot, path: str) -> Patch | None:
        """Return the lines of one path that differ in the tree now; None if it does not differ."""
        with self._compared(snapshot, None) as compared:
            return compared.patch(path) if path in compared.changes.paths else None

    @contextmanager
    def _compared(self, snapshot: Snapshot, report: Report | None) -> Iterator[_Comparison]:
        if not snapshot.path.is_dir():
            raise TreeGone
        room = self._storage.room(os.fsencode(snapshot.path))
        with self._storage.locked(room):
            delta = room.load_delta(snapshot.key, base=snapshot.base, digest=snapshot.delta)
            old = Manifest(base=snapshot.base, delta=delta)
            if snapshot.kind == "git":
                yield _compare_repository(room, snapshot, old, report)
            else:
                yield _compare_folder(room, snapshot, old, report)

    def forget(self, snapshot: Snapshot) -> None:
        """Remove the files that only this snapshot needs, if they still exist."""
        room = self._storage.room(os.fsencode(snapshot.path))
        if not room.path.is_dir():
            return
        with self._storage.locked(room):
            room.drop_delta(snapshot.key, base=snapshot.base)
            room.drop_bases(keep=known_base(room))

    def prune(self, keep: Collection[Snapshot], *, grace: timedelta = timedelta(hours=1)) -> None:
        """Remove the files that none of these snapshots needs, except recent ones that may still be in the making."""
        keys = {snapshot.key for snapshot in keep}
        before = moments_ago(grace.total_seconds())
        for room in self._storage.rooms():
            with self._storage.locked(room, wait=False) as held:
                if held:
                    room.drop_unfinished()
                    room.drop_deltas(keep=keys, before=before)
                    room.drop_bases(keep=known_base(room))
                    if room.is_idle(before=before):
                        room.remove()


def _unless_it_fails(function: Callable[[], Result]) -> Result | None:
    """Return the function's result; None when it fails: a task can start even if no contents are kept for its lines."""
    try:
        return function()
    except (MissionError, OSError):
        log.warning("the contents at a task's start could not be kept", exc_info=True)
        return None


def _scan_plain(room: SnapshotFolder, path: Path, report: Report | None) -> Scan:
    entries, warnings = scan_folder(room, path, report=report)
    text = join(entries)
    listing = recall(room, index=digest_of(text)) or renew(room, text, index=digest_of(text))
    return Scan(manifest=Manifest(base=listing.base, delta=listing.drift), warnings=warnings)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Comparison:
    """A tree as it is now, next to its snapshot."""

    changes: Changes
    differences: Sequence[Difference]
    snapshot: Snapshot
    scanner: Scanner | None = None

    def patch(self, path: str | None = None) -> Patch:
        """Return the lines that differ, in all files or in one; the changes are known even when these are not."""
        if self.scanner is None:
            return Patch(missing=PLAIN_FOLDER)
        renames = [each for each in self.changes.renamed if path in (None, each.source, each.target)]
        wanted = {name for each in renames for name in (each.source, each.target)} | {path}
        differences = [each for each in self.differences if path is None or shown(each.path) in wanted]
        failure = FAILED if NOTHING_KEPT in self.snapshot.left_out else None
        kept = Kept(self.scanner.room.kept(self.snapshot.key), failure=failure)
        try:
            return Patch(files=make_patch(self.scanner, differences, renames, kept))
        except (MissionError, OSError):
            return Patch(missing=NOT_MADE)
        finally:
            kept.close()


def _compare_repository(room: SnapshotFolder, snapshot: Snapshot, old: Manifest, report: Report | None) -> _Comparison:
    try:
        repository = open_repository(snapshot.path)
    except (NoRepository, BrokenRepository) as error:
        raise RepositoryGone from error
    if repository.top != snapshot.path:
        raise RepositoryGone
    scanner = Scanner(room, repository, report=report)
    scan = scanner.scan()
    differences = _recheck(compare(old, scan.manifest, room.load_base), scanner)
    since = snapshot.reflog or HeadPosition(size=0, last="")
    made = history(scanner.shadow, since=since, start=snapshot.head, now=repository.head)
    changes = _changes(differences, snapshot, scan.warnings, made)
    return _Comparison(changes=changes, differences=differences, snapshot=snapshot, scanner=scanner)


def _recheck(differences: list[Difference], scanner: Scanner) -> list[Difference]:
    """Return the differences after another look at paths that git now ignores: one that still exists is not deleted."""
    missing = [difference.path for difference in differences if difference.new is None]
    there = {path for path in missing if scanner.disk.kind(path) in LISTED_FILES}
    now = scanner.look_at(there) if there else {}
    seen = (replace(each, new=now.get(each.path, each.new)) for each in differences)
    return [difference for difference in seen if difference.old != difference.new]


def _compare_folder(room: SnapshotFolder, snapshot: Snapshot, old: Manifest, report: Report | None) -> _Comparison:
    scan = _scan_plain(room, snapshot.path, report)
    differences = compare(old, scan.manifest, room.load_base)
    changes = _changes(differences, snapshot, scan.warnings, History(commits=[], warnings=[]))
    return _Comparison(changes=changes, differences=differences, snapshot=snapshot)


def _changes(differences: list[Difference], snapshot: Snapshot, warnings: list[str], made: History) -> Changes:
    added, modified, deleted = sort_paths(differences)
    return Changes(
        added=added,
        modified=modified,
        deleted=deleted,
        renamed=find_renames(differences),
        commits=made.commits,
        warnings=list(dict.fromkeys([*snapshot.warnings, *warnings, *made.warnings])),
    )


def _stored(
    room: SnapshotFolder,
    key: str,
    scan: Scan,
    path: Path,
    repository: RepositoryFacts | None = None,
    reflog: HeadPosition | None = None,
) -> Snapshot:
    manifest = scan.manifest
    return Snapshot(
        key=key,
        tree=shown(os.fsencode(path)),
        kind="git" if repository else "checksum",
        base=manifest.base,
        delta=room.save_delta(key, base=manifest.base, delta=manifest.delta),
        digest=manifest.digest,
        head=repository.head if repository else None,
        reflog=reflog,
        taken_at=datetime.now(UTC).isoformat(),
        warnings=tuple(scan.warnings),
    )
