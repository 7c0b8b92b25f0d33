"""Takes worktrees away without losing work: what is not committed or not merged stops it, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.git.keeping import is_reachable, is_saved, save_uncommitted
from mission.git.merge import branch_files, check_merged, keepers, merge_commit
from mission.git.worktree import (
    commit_of,
    delete_branch,
    digest_at,
    file_path,
    named,
    remove,
    tip_of,
    uncommitted,
    worktree_at,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Yard:
    """A recorded worktree: where it lies, what it is on, and what was brought along when it was made."""

    top: Path
    path: Path
    branch: str
    copied: Mapping[str, str]

    @property
    def stands(self) -> bool:
        return (self.path / ".git").exists()


def verify_merge(yard: Yard, given: str) -> str:
    """The whole id of the merge, once it is sure that it holds everything and that it is kept elsewhere."""
    commit = merge_commit(yard.top, given)
    files = uncommitted(yard.path, copied=yard.copied) if yard.stands else []
    if files:
        raise InvalidState(
            f"the worktree has {len(files)} file(s) that no commit holds, so they are not merged: {named(files)}",
            hint="Commit and merge them, or take them away, then try again.",
            files=files,
        )
    tips = [
        tip for tip in (tip_of(yard.top, yard.branch), commit_of(yard.path, "HEAD") if yard.stands else None) if tip
    ]
    if not tips:
        raise InvalidState(
            f"the branch '{yard.branch}' and its worktree are gone, so nothing proves that they were merged",
            hint="Mark the workspace 'abandoned' instead.",
        )
    check_merged(yard.top, branch=yard.branch, commit=commit, tips=tips)
    return commit


def keep(yard: Yard, *, name: str) -> str | None:
    """The branch on which uncommitted work was saved, if there was any."""
    return save_uncommitted(yard.path, name=name, copied=yard.copied) if yard.stands else None


def take_away(yard: Yard, *, kept: str | None, with_branch: bool) -> None:
    """Remove the worktree, and the branch if asked, unless something would be lost."""
    tip = tip_of(yard.top, yard.branch) if with_branch else None
    if tip is not None and not keepers(yard.top, tip, branch=yard.branch):
        files = branch_files(yard.top, yard.branch)
        raise InvalidState(
            f"the branch '{yard.branch}' has work that nothing else holds: {named(files)}",
            hint="Merge it first, or remove the workspace without its branch.",
            files=files,
        )
    if yard.stands:
        _remove_tree(yard, kept=kept)
    elif worktree_at(yard.top, yard.path) is not None:
        remove(yard.top, yard.path, force=True)  # the folder is gone: only git's note of it is left
    if tip is not None:
        delete_branch(yard.top, yard.branch, tip=tip)


def _remove_tree(yard: Yard, *, kept: str | None) -> None:
    known = worktree_at(yard.top, yard.path)
    if known is None or known.main:
        raise InvalidState(
            "this is the repository's own working tree" if known else "git does not know this worktree any more",
            hint="Leave it where it is; its workspace can stay as it is recorded.",
        )
    files = uncommitted(yard.path, copied=yard.copied)
    if not is_saved(yard.path, branch=kept, copied=yard.copied):
        raise InvalidState(
            f"the worktree has {len(files)} file(s) that no commit holds: {named(files)}",
            hint="Commit them, or give save: true to have them saved on a branch of their own.",
            files=files,
        )
    if not is_reachable(yard.path):
        raise InvalidState(
            "the worktree has commits that no branch holds",
            hint="Give save: true to have them saved on a branch of their own, or make a branch there.",
        )
    for name, digest in yard.copied.items():
        copy = file_path(yard.path, name)
        if digest_at(copy) == digest and not copy.is_symlink():
            copy.unlink()
    remove(yard.top, yard.path, force=bool(files))
