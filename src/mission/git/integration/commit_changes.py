"""The changes between two commits or trees, and their lines, in the form that a task stores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mission.domain.errors import MissionError
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.patch import Patch
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from mission.git.patches.patch import make_patch_of_objects
from mission.git.snapshots.changed_paths import find_renames, sort_paths
from mission.git.snapshots.manifest import Difference, entry

NO_MODE = b"000000"
SCRATCH = "scratch"
NOT_MADE = "git could not read the lines: the changed files are known, but not the lines"


def changes_between(top: Path, old: str, new: str, *, lines: bool = False) -> Changes:
    """Return what differs between two commits or trees, each path once, with the lines if requested."""
    with own_git_directory(top) as own:
        differences = differences_between(own, old, new)
        added, modified, deleted = sort_paths(differences)
        changes = Changes(added=added, modified=modified, deleted=deleted, renamed=find_renames(differences))
        return replace(changes, patch=_patch(own, differences, changes).stored()) if lines else changes


def patch_between(top: Path, old: str, new: str) -> Patch:
    """Return the lines that differ between two commits or trees."""
    with own_git_directory(top) as own:
        differences = differences_between(own, old, new)
        return _patch(own, differences, Changes(renamed=find_renames(differences)))


def differences_between(own: OwnGitDirectory, old: str, new: str) -> list[Difference]:
    """Return every path whose entry differs between two commits or trees."""
    asked = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-abbrev")
    fields = own.run(*asked, old, new, "--").out.split(b"\0")[:-1]
    return [_difference(facts, path) for facts, path in zip(fields[::2], fields[1::2], strict=True)]


def _difference(facts: bytes, path: bytes) -> Difference:
    old_mode, new_mode, old_id, new_id, _ = facts[1:].split(b" ")
    return Difference(
        path=path,
        old=entry(old_mode, old_id) if old_mode != NO_MODE else None,
        new=entry(new_mode, new_id) if new_mode != NO_MODE else None,
    )


def _patch(own: OwnGitDirectory, differences: list[Difference], changes: Changes) -> Patch:
    scratch = own.path / SCRATCH
    scratch.mkdir()
    try:
        return Patch(files=make_patch_of_objects(own.shadow, differences, changes.renamed, scratch))
    except (MissionError, OSError):
        return Patch(missing=NOT_MADE)
