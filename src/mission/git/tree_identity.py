"""Identify the content of a tree, so that the outcome of a check belongs to exactly that content.

An identity is the tree's id and a stored manifest. The manifest shows later, also after a restart, what a check did to
the tree; it is dropped with `Snapshots.forget` or `prune`, like any snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mission.domain.tasks.changes import Changes
from mission.git.background_threads import side_by_side
from mission.git.changed_files import compared
from mission.git.command import ProgressCallback
from mission.git.file_names import display_name
from mission.git.snapshot import ScannedTree, Snapshot, Snapshots
from mission.git.snapshots.manifest import ManifestEntry, content_of
from mission.git.snapshots.tree_id import folder_id, git_tree_id
from mission.git.working_tree import Tree

LeftBehind = Mapping[str, str]
"""Untracked files that a check left behind: path, as `file_names.display_name` spells it → content id."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeIdentity:
    """The content of a tree at one moment. It is JSON-compatible, like its snapshot."""

    id: str
    """The git tree id, or `sha256:` and the digest of a plain folder's manifest."""
    snapshot: Snapshot
    """The stored manifest; it has no contents."""

    @property
    def kind(self) -> Literal["git", "checksum"]:
        return self.snapshot.kind

    def as_dict(self) -> dict[str, Any]:
        return {"id": self.id, "snapshot": self.snapshot.as_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TreeIdentity:
        return cls(id=data["id"], snapshot=Snapshot.from_dict(data["snapshot"]))


@dataclass(frozen=True, kw_only=True, slots=True)
class Examined:
    """The changes of a task and the identity of the tree with these changes, from one scan."""

    changes: Changes
    tree: TreeIdentity


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeDrift:
    """The differences of a tree since it was identified."""

    modified: list[str] = field(default_factory=list)
    """Paths of the identified tree, or tracked by git, whose content, mode or existence differs."""
    untracked: LeftBehind = field(default_factory=dict)
    """Those of them that git does not track and that still exist, with their content now."""
    left: LeftBehind = field(default_factory=dict)
    """Other paths that exist now and that git neither tracks nor ignores."""


def identify(
    snapshots: Snapshots, tree: Tree, *, ignore: LeftBehind | None = None, report: ProgressCallback | None = None
) -> TreeIdentity:
    """Return the identity of the tree's current content: tracked and untracked files, without ignored ones.

    A path in `ignore` does not count while it is untracked and has the content id given there.
    """
    with snapshots.scanned(tree, ignore=ignore, report=report) as now:
        return _identity(now, tree.path)


def examine(
    snapshots: Snapshots,
    snapshot: Snapshot,
    *,
    lines: bool = False,
    ignore: LeftBehind | None = None,
    report: ProgressCallback | None = None,
) -> Examined:
    """Return what differs from the snapshot, with the lines if requested, and the identity of the same content."""
    with compared(snapshots, snapshot, ignore=ignore, report=report) as comparison, side_by_side() as start:
        identity = start(_identity, comparison.now, snapshot.path)  # it waits for the disk, the lines wait for git
        changes = comparison.changes_with_lines() if lines else comparison.changes
        return Examined(changes=changes, tree=identity.result())


def drift(snapshots: Snapshots, identity: TreeIdentity, *, report: ProgressCallback | None = None) -> TreeDrift:
    """Return what has changed since the tree was identified; raise ChangesUnknown if that is no longer known.

    Files that were left out of the identity are in `left`, if they still exist.
    """
    with compared(snapshots, identity.snapshot, report=report) as comparison:
        new = {each.path: each.new for each in comparison.differences if each.old is None and each.new is not None}
        different = {each.path: each.new for each in comparison.differences}
        tracked = comparison.scanner.tracked_among(different) if comparison.scanner and different else set()
        modified = {path: value for path, value in different.items() if path not in new or path in tracked}
        return TreeDrift(
            modified=sorted(map(display_name, modified)),
            untracked=_contents({path: value for path, value in modified.items() if path not in tracked}),
            left=_contents({path: value for path, value in new.items() if path not in tracked}),
        )


def _contents(entries: Mapping[bytes, ManifestEntry | None]) -> dict[str, str]:
    """Return the content ids of those that exist, by name."""
    found = {display_name(path): content_of(value).decode() for path, value in entries.items() if value is not None}
    return dict(sorted(found.items()))


def _identity(now: ScannedTree, path: Path) -> TreeIdentity:
    if now.scanner is None:
        id = folder_id(now.scan.manifest, now.folder.load_base)
    else:
        id = git_tree_id(
            now.folder,
            now.scan.manifest,
            algorithm=now.scanner.repository.object_format,
            extra=now.scanner.not_checked_out(),
        )
    return TreeIdentity(id=id, snapshot=now.store(path))
