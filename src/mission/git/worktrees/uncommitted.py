"""Save uncommitted work as a commit on a branch of its own, without touching the user's index and HEAD."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.domain.plural import counted
from mission.git.command import LONG, OURS, run
from mission.git.file_names import original
from mission.git.worktrees.merge_check import KEPT_PREFIX
from mission.git.worktrees.worktree import HEADS, commit_of, git, named, open_index, uncommitted

AUTHOR = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "Mission Control"), ("EMAIL", "mission-control@localhost"))
}


def save_uncommitted(path: Path, *, name: str, copied: Mapping[str, str]) -> str | None:
    """Return the branch that now has all unsaved work, None when there is none; the worktree stays unchanged."""
    files = uncommitted(path, copied=copied)
    if not files and is_reachable(path):
        return None
    branch = KEPT_PREFIX + name
    tree = _tree(path, files)
    if tree != _tree_on(path, branch):
        _commit(path, tree, branch=branch, count=len(files))
    return branch


def is_saved(path: Path, *, branch: str | None, copied: Mapping[str, str]) -> bool:
    """Return whether nothing is uncommitted, or the branch has it all in its current state."""
    files = uncommitted(path, copied=copied)
    return not files or (branch is not None and _tree(path, files) == _tree_on(path, branch))


def is_reachable(path: Path) -> bool:
    """Return whether a branch or a tag contains the commit that is checked out."""
    asked = ("rev-list", "-n", "1", "HEAD", "--not", "--branches", "--remotes", "--tags", "--")
    return not run(*asked, cwd=path, timeout=LONG).out


def _tree(path: Path, files: Sequence[str]) -> str:
    """Return the tree that a commit of everything here would have."""
    nested = [file for file in files if file.endswith("/")]
    if nested:
        raise InvalidState(
            f"repositories inside the worktree cannot be saved with it: {named(nested)}",
            hint="Move them elsewhere, or commit and push them, then try again.",
            files=nested,
        )
    with open_index(path) as index:
        listed = b"".join(original(file) + b"\0" for file in files)
        git("update-index", "-z", "--add", "--remove", "--replace", "--stdin", cwd=path, index=index, stdin=listed)
        return git("write-tree", cwd=path, index=index).line.decode()


def _tree_on(path: Path, branch: str) -> str | None:
    found = run("rev-parse", "--quiet", "--verify", f"{HEADS}{branch}^{{tree}}", cwd=path, allowed=(0, 1, 128))
    return found.line.decode() if found.code == 0 else None


def _commit(path: Path, tree: str, *, branch: str, count: int) -> None:
    """Commit the tree to the branch; earlier saves stay in its history."""
    before = commit_of(path, f"{HEADS}{branch}")
    parents = [parent for parent in (commit_of(path, "HEAD"), before) if parent is not None]
    chosen = [word for parent in parents for word in ("-p", parent)]
    message = f"Save {counted(count, 'uncommitted file')} of a workspace"
    made = run("commit-tree", tree, *chosen, "-m", message, cwd=path, variables=AUTHOR, umask=OURS)
    run("update-ref", f"{HEADS}{branch}", made.line.decode(), before or "0" * len(made.line), cwd=path, umask=OURS)
