"""The lines that changed in one file, as git shows them."""

from __future__ import annotations

import os
from pathlib import Path

from mission.git.command import Result
from mission.git.names import original
from mission.git.worktree import git

LONGEST = 200_000
"""Characters of a patch that are kept; what is longer is read elsewhere."""
_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames")


def patch_of(tree: Path, path: str, *, base: str, end: str | None) -> tuple[str, bool]:
    """The patch of a file from a commit to another, or to the tree as it is; and whether that is all of it."""
    name = os.fsdecode(original(path))
    said = git(*_DIFF, base, *([end] if end else []), "--", name, cwd=tree)
    if not said.out and end is None:
        said = _last_commit(tree, name) if git("ls-files", "--", name, cwd=tree).out else _whole(tree, name)
    text = said.out.decode("utf-8", "replace")
    return text[:LONGEST], len(text) <= LONGEST


def _last_commit(tree: Path, name: str) -> Result:
    """What the last commit did to the file: work that was committed after its task had ended."""
    return git("log", "-1", "--format=", "-p", *_DIFF[1:], "--", name, cwd=tree)


def _whole(tree: Path, name: str) -> Result:
    """A file that git does not know yet, all of it added."""
    return git(*_DIFF, "--no-index", "--", "/dev/null", name, cwd=tree, allowed=(0, 1))
