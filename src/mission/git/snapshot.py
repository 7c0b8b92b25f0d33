"""Remember what a tree holds, and tell later what changed since."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from mission.domain.changes import Changes
from mission.git.difference import find_renames, sort_paths
from mission.git.errors import BrokenRepository, NoRepository, RepositoryGone, TreeGone
from mission.git.folder import scan_folder
from mission.git.history import History, Position, history, position
from mission.git.listing import known_base, recall, renew
from mission.git.manifest import Difference, Manifest, compare, digest_of, join
from mission.git.names import original, shown
from mission.git.repository import Repository, open_repository
from mission.git.scan import LISTED_FILES, Scan, Scanner
from mission.git.storage import Room, Storage, make_folder, moments_ago
from mission.git.tree import Tree

Report = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """What is needed to find a stored manifest again. JSON-able: it is kept in a row of its task."""

    key: str
    tree: str
    """The tree's path as `names.shown` spells it."""
    kind: Literal["git", "checksum"]
    base: str
    delta: str
    digest: str
    head: str | None
    reflog: Position | None
    taken_at: str
    warnings: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """HEAD's commit, or the manifest's digest where there is none."""
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
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Snapshot:
        reflog = Position.from_dict(data["reflog"]) if data["reflog"] else None
        return cls(**{**data, "reflog": reflog, "warnings": tuple(data["warnings"])})


class Snapshots:
    """Takes and compares snapshots; everything it keeps lies under `root`. Safe to use from several threads."""

    def __init__(self, root: Path) -> None:
        make_folder(root)
        self._storage = Storage(root)

    def take(self, tree: Tree, *, report: Report | None = None) -> Snapshot:
        """The snapshot of what the tree holds now."""
        room = self._storage.room(os.fsencode(tree.path))
        repository = open_repository(tree.path) if tree.kind == "git" else None
        # Read before the files: a commit made during the scan then counts as made after the start.
        reflog = position(repository.git_dir) if repository else None
        with self._storage.locked(room):
            room.make()
            scan = _scan(room, repository, tree.path, report)
            return _stored(room, scan, tree.path, repository, reflog)

    def changes(self, snapshot: Snapshot, *, report: Report | None = None) -> Changes:
        """What differs in the tree now; raises ChangesUnknown if that cannot be told."""
        if not snapshot.path.is_dir():
            raise TreeGone
        room = self._storage.room(os.fsencode(snapshot.path))
        with self._storage.locked(room):
            delta = room.load_delta(snapshot.key, base=snapshot.base, digest=snapshot.delta)
            old = Manifest(base=snapshot.base, delta=delta)
            if snapshot.kind == "git":
                return _git_changes(room, snapshot, old, report)
            return _folder_changes(room, snapshot, old, report)

    def forget(self, snapshot: Snapshot) -> None:
        """Remove what only this snapshot needs; nothing happens if it is already gone."""
        room = self._storage.room(os.fsencode(snapshot.path))
        if not room.path.is_dir():
            return
        with self._storage.locked(room):
            room.drop_delta(snapshot.key, base=snapshot.base)
            room.drop_bases(keep=known_base(room))

    def prune(self, keep: Collection[Snapshot], *, grace: timedelta = timedelta(hours=1)) -> None:
        """Remove what none of these snapshots needs, except what is so young that it may still be in the making."""
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


def _scan(room: Room, repository: Repository | None, path: Path, report: Report | None) -> Scan:
    if repository:
        return Scanner(room, repository, report=report).scan()
    return _scan_plain(room, path, report)


def _scan_plain(room: Room, path: Path, report: Report | None) -> Scan:
    entries, warnings = scan_folder(room, path, report=report)
    text = join(entries)
    listing = recall(room, index=digest_of(text)) or renew(room, text, index=digest_of(text))
    return Scan(manifest=Manifest(base=listing.base, delta=listing.drift), warnings=warnings)


def _git_changes(room: Room, snapshot: Snapshot, old: Manifest, report: Report | None) -> Changes:
    try:
        repository = open_repository(snapshot.path)
    except (NoRepository, BrokenRepository) as error:
        raise RepositoryGone from error
    if repository.top != snapshot.path:
        raise RepositoryGone
    scanner = Scanner(room, repository, report=report)
    scan = scanner.scan()
    differences = _recheck(compare(old, scan.manifest, room.load_base), scanner)
    since = snapshot.reflog or Position(size=0, last="")
    made = history(scanner.shadow, since=since, start=snapshot.head, now=repository.head)
    return _changes(differences, snapshot, scan.warnings, made)


def _recheck(differences: list[Difference], scanner: Scanner) -> list[Difference]:
    """A path that the snapshot has stays watched: one that git ignores now but that is still there is not deleted."""
    missing = [difference.path for difference in differences if difference.new is None]
    there = {path for path in missing if scanner.disk.kind(path) in LISTED_FILES}
    now = scanner.look_at(there) if there else {}
    seen = (replace(each, new=now.get(each.path, each.new)) for each in differences)
    return [difference for difference in seen if difference.old != difference.new]


def _folder_changes(room: Room, snapshot: Snapshot, old: Manifest, report: Report | None) -> Changes:
    scan = _scan_plain(room, snapshot.path, report)
    differences = compare(old, scan.manifest, room.load_base)
    return _changes(differences, snapshot, scan.warnings, History(commits=[], warnings=[]))


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


def _stored(room: Room, scan: Scan, path: Path, repository: Repository | None, reflog: Position | None) -> Snapshot:
    key = secrets.token_hex(8)
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
