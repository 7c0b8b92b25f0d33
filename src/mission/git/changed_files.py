"""The files that a task changed: a tree as it is now, compared with its snapshot."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from mission.domain.errors import MissionError
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.patch import Patch
from mission.git.command import ProgressCallback
from mission.git.errors import BrokenRepository, NoRepository, RepositoryGone, TreeGone
from mission.git.file_names import display_name
from mission.git.patches.kept_contents import KeptContents
from mission.git.patches.patch import make_patch
from mission.git.patches.start_contents import FAILED, NOTHING_KEPT
from mission.git.snapshot import ScannedTree, Snapshot, Snapshots, scan_tree
from mission.git.snapshots.changed_paths import find_renames, sort_paths
from mission.git.snapshots.commits_since import HeadPosition, History, history
from mission.git.snapshots.manifest import Difference, Manifest, compare
from mission.git.snapshots.repository_facts import open_repository
from mission.git.snapshots.scanner import LISTED_FILES, Scanner
from mission.git.snapshots.snapshot_storage import SnapshotFolder

PLAIN_FOLDER = "the task was done in a plain folder: the changed files are known, but not the changed lines"
NOT_MADE = "git could not read the lines when the task ended: the changed files are known, but not the lines"


def find_changes(
    snapshots: Snapshots,
    snapshot: Snapshot,
    *,
    lines: bool = False,
    max_files: int | None = None,
    ignore: Mapping[str, str] | None = None,
    report: ProgressCallback | None = None,
) -> Changes:
    """Return what differs in the tree now, with the lines if requested and at most `max_files` differ; raise
    ChangesUnknown if that cannot be determined."""
    with compared(snapshots, snapshot, ignore=ignore, report=report) as comparison:
        few = max_files is None or len(comparison.changes.paths) <= max_files
        return comparison.changes_with_lines() if lines and few else comparison.changes


def find_lines(
    snapshots: Snapshots, snapshot: Snapshot, path: str, *, ignore: Mapping[str, str] | None = None
) -> Patch | None:
    """Return the lines of one path that differ in the tree now; None if it does not differ."""
    with compared(snapshots, snapshot, ignore=ignore) as comparison:
        return comparison.patch(path) if path in comparison.changes.paths else None


@contextmanager
def compared(
    snapshots: Snapshots,
    snapshot: Snapshot,
    *,
    ignore: Mapping[str, str] | None = None,
    report: ProgressCallback | None = None,
) -> Iterator[Comparison]:
    """Yield the tree as it is now, next to its snapshot, while its snapshot folder is locked.

    `ignore` names untracked files that do not count as long as they have the given content ids.
    """
    if not snapshot.path.is_dir():
        raise TreeGone
    with snapshots.recorded(snapshot) as (folder, old):
        if snapshot.kind == "git":
            yield _compare_repository(folder, snapshot, old, ignore, report)
        else:
            yield _compare_folder(folder, snapshot, old, ignore, report)


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """A tree as it is now, next to its snapshot."""

    now: ScannedTree
    changes: Changes
    differences: Sequence[Difference]
    snapshot: Snapshot

    @property
    def scanner(self) -> Scanner | None:
        return self.now.scanner

    def changes_with_lines(self) -> Changes:
        return replace(self.changes, patch=self.patch().stored())

    def patch(self, path: str | None = None) -> Patch:
        """Return the lines that differ, in all files or in one; the changes are known even when these are not."""
        if self.scanner is None:
            return Patch(missing=PLAIN_FOLDER)
        renames = [each for each in self.changes.renamed if path in (None, each.source, each.target)]
        wanted = {name for each in renames for name in (each.source, each.target)} | {path}
        differences = [each for each in self.differences if path is None or display_name(each.path) in wanted]
        failure = FAILED if NOTHING_KEPT in self.snapshot.left_out else None
        kept = KeptContents(self.scanner.folder.kept_file(self.snapshot.key), failure=failure)
        try:
            return Patch(files=make_patch(self.scanner, differences, renames, kept))
        except (MissionError, OSError):
            return Patch(missing=NOT_MADE)
        finally:
            kept.close()


def _compare_repository(
    folder: SnapshotFolder,
    snapshot: Snapshot,
    old: Manifest,
    ignore: Mapping[str, str] | None,
    report: ProgressCallback | None,
) -> Comparison:
    try:
        repository = open_repository(snapshot.path)
    except (NoRepository, BrokenRepository) as error:
        raise RepositoryGone from error
    if repository.top != snapshot.path:
        raise RepositoryGone
    now = scan_tree(folder, snapshot.path, repository, ignore=ignore, report=report)
    scanner = now.scanner
    assert scanner is not None
    differences = _recheck(compare(old, now.scan.manifest, folder.load_base), scanner, now.left_out)
    since = snapshot.reflog or HeadPosition(size=0, last="")
    made = history(scanner.shadow, since=since, start=snapshot.head, now=repository.head)
    changes = _changes(differences, snapshot, now.scan.warnings, made)
    return Comparison(now=now, changes=changes, differences=differences, snapshot=snapshot)


def _recheck(differences: list[Difference], scanner: Scanner, left_out: Collection[bytes]) -> list[Difference]:
    """Return the differences after another look at paths that git now ignores: one that still exists is not deleted."""
    missing = [difference.path for difference in differences if difference.new is None]
    there = {path for path in missing if path not in left_out and scanner.disk.kind(path) in LISTED_FILES}
    now = scanner.look_at(there) if there else {}
    seen = (replace(each, new=now.get(each.path, each.new)) for each in differences)
    return [difference for difference in seen if difference.old != difference.new]


def _compare_folder(
    folder: SnapshotFolder,
    snapshot: Snapshot,
    old: Manifest,
    ignore: Mapping[str, str] | None,
    report: ProgressCallback | None,
) -> Comparison:
    now = scan_tree(folder, snapshot.path, None, ignore=ignore, report=report)
    differences = compare(old, now.scan.manifest, folder.load_base)
    changes = _changes(differences, snapshot, now.scan.warnings, History(commits=[], warnings=[]))
    return Comparison(now=now, changes=changes, differences=differences, snapshot=snapshot)


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
