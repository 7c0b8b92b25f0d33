"""Trees of a merge whose conflicts are resolved by making files again: first the tip's side, then the new files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from mission.git.file_names import original
from mission.git.integration.own_git_directory import OwnGitDirectory, edited_tree, own_git_directory, removal_lines
from mission.git.integration.trial_merge import Conflicted

OURS = b"2"


def with_tip_side(top: Path, conflicted: Conflicted) -> str:
    """Return the merged tree in which every conflicting path is as the tip has it."""
    with own_git_directory(top) as own:
        paths = dict.fromkeys(path for *_, path in conflicted.stages)
        kept = [b"%s %s 0\t%s\0" % (mode, id, path) for mode, id, stage, path in conflicted.stages if stage == OURS]
        gone = removal_lines(paths, id_length=len(conflicted.tree))
        return edited_tree(own, conflicted.tree, lines=[*gone, *kept])


def with_files(worktree: Path, *, tree: str, paths: Sequence[str]) -> str:
    """Return the tree with the content that these paths have in the worktree now; those that are gone are removed."""
    with own_git_directory(worktree) as own:
        names = [original(path) for path in paths]
        lines = [line for name in names if (line := _line(own, name)) is not None]
        return edited_tree(own, tree, lines=[*removal_lines(names, id_length=len(tree)), *lines])


def _line(own: OwnGitDirectory, path: bytes) -> bytes | None:
    """Store a regular file of the worktree and return its line of the index; None if it is not there."""
    file = own.repository.top / os.fsdecode(path)
    if file.is_symlink() or not file.is_file():
        return None
    id = own.run("hash-object", "-w", "--stdin", "-t", "blob", stdin=file.read_bytes()).line
    mode = b"100755" if os.access(file, os.X_OK) else b"100644"
    return b"%s %s 0\t%s\0" % (mode, id, path)
