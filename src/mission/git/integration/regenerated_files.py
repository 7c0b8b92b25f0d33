"""Trees of a merge whose conflicts are resolved by making files again: first the tip's side, then the new files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mission.git.file_names import original
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from mission.git.integration.trial_merge import Conflicted

OURS = b"2"
SCRATCH = "regenerated-index"


def with_tip_side(top: Path, conflicted: Conflicted) -> str:
    """Return the merged tree in which every conflicting path is as the tip has it."""
    with own_git_directory(top) as own:
        paths = dict.fromkeys(path for *_, path in conflicted.stages)
        kept = [b"%s %s 0\t%s\0" % (mode, id, path) for mode, id, stage, path in conflicted.stages if stage == OURS]
        return _tree(own, conflicted.tree, [*_removals(paths, conflicted.tree), *kept])


def with_files(worktree: Path, *, tree: str, paths: Sequence[str]) -> str:
    """Return the tree with the content that these paths have in the worktree now; those that are gone are removed."""
    with own_git_directory(worktree) as own:
        names = [original(path) for path in paths]
        lines = [line for name in names if (line := _line(own, name)) is not None]
        return _tree(own, tree, [*_removals(names, tree), *lines])


def _line(own: OwnGitDirectory, path: bytes) -> bytes | None:
    """Store a regular file of the worktree and return its line of the index; None if it is not there."""
    file = own.repository.top / os.fsdecode(path)
    if file.is_symlink() or not file.is_file():
        return None
    id = own.run("hash-object", "-w", "--stdin", "-t", "blob", stdin=file.read_bytes()).line
    mode = b"100755" if os.access(file, os.X_OK) else b"100644"
    return b"%s %s 0\t%s\0" % (mode, id, path)


def _tree(own: OwnGitDirectory, tree: str, lines: Iterable[bytes]) -> str:
    scratch = own.path / SCRATCH
    own.run("read-tree", tree, index=scratch)
    own.run("update-index", "-z", "--index-info", index=scratch, stdin=b"".join(lines))
    return own.run("write-tree", index=scratch).line.decode()


def _removals(paths: Iterable[bytes], tree: str) -> list[bytes]:
    return [b"0 %s\t%s\0" % (b"0" * len(tree), path) for path in paths]
