"""The lines that changed in one file, as git shows them."""

from __future__ import annotations

import os
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.git.command import Result
from mission.git.names import original
from mission.git.worktree import commit_of, git

LONGEST = 200_000
"""Characters of a patch that are kept; what is longer is read elsewhere."""
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames")


def patch_of(tree: Path, path: str, *, base: str, end: str | None) -> tuple[str, bool]:
    """The patch of a file from a commit, which need not exist, to another or to the tree as it is; and whether that is
    all of it."""
    if not (tree / ".git").exists():
        raise InvalidState("the task was done in a plain folder: which files changed is known, but not which lines")
    name = os.fsdecode(original(path))  # from the top of the tree; git is told to take no sign in it for a pattern
    start = commit_of(tree, base) or _nothing(tree)
    said = git(*_DIFF, start, *([end] if end else []), "--", name, cwd=tree)
    if not said.out and end is None:
        new = (tree / name).is_file() and not git("ls-files", "--", name, cwd=tree).out
        said = _whole(tree, name) if new else _last_commit(tree, name)
    text = said.out.decode("utf-8", "replace")
    return text[:LONGEST], len(text) <= LONGEST


def _nothing(tree: Path) -> str:
    """The tree without files: what stands before a repository's first commit."""
    return git("hash-object", "-t", "tree", "/dev/null", cwd=tree).line.decode()


def _last_commit(tree: Path, name: str) -> Result:
    """What the last commit did to the file: work that was committed after its task had ended."""
    return git("log", "-1", "--format=", "-p", *_DIFF[1:], "--", name, cwd=tree, allowed=(0, 128))  # 128: no commit yet


def _whole(tree: Path, name: str) -> Result:
    """A file that git does not know yet, all of it added."""
    return git(*_DIFF, "--no-index", "--", "/dev/null", name, cwd=tree, allowed=(0, 1))
