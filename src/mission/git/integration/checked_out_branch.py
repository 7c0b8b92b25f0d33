"""Fast-forward a branch that somebody may have checked out: then the files of that worktree follow, or nothing happens.

Files come first, then the index, then the branch. After a crash, a repeated call finds out from the files how far the
first one came.
"""

from __future__ import annotations

import os
from pathlib import Path

from mission.git.file_names import display_name
from mission.git.integration.branch_refs import BranchUse, check_no_operation, move_branch, uses_of
from mission.git.integration.errors import BranchUsedTwice, OperationInProgress
from mission.git.integration.files.index_lock import LockedIndex, is_left_behind, locked_index
from mission.git.integration.files.worktree_update import WorktreeUpdate
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory
from mission.git.worktrees.worktree import tip_of


def fast_forward(top: Path, branch: str, *, new: str, old: str, why: str) -> bool:
    """Move the branch from the old commit to the new one, which contains it; False if it is at another commit.

    Raise OperationInProgress, BranchUsedTwice, PathsInTheWay, NotOurFilter or IndexInUse; then nothing was changed.
    """
    uses = uses_of(top, branch)
    for use in uses:
        if use.operation is not None:
            raise OperationInProgress(operation=use.operation, worktree=_shown(use.worktree), branch=branch)
    if len(uses) > 1:
        raise BranchUsedTwice(branch, worktrees=[_shown(use.worktree) for use in uses])
    if not uses:
        return move_branch(top, branch, new=new, old=old, why=why)
    return _through_worktree(uses[0], branch, new=new, old=old, why=why)


def remove_left_locks(top: Path, branch: str) -> None:
    """Remove the lock that a killed call left in a worktree after it had moved the branch."""
    for use in uses_of(top, branch):
        if is_left_behind(use.git_dir):
            with locked_index(use.git_dir, worktree=use.worktree, ours=False):
                continue


def _through_worktree(use: BranchUse, branch: str, *, new: str, old: str, why: str) -> bool:
    check_no_operation(use.worktree, use.git_dir)
    with (
        own_git_directory(use.worktree) as own,
        locked_index(use.git_dir, worktree=use.worktree, ours=False) as index,
    ):
        current = tip_of(use.worktree, branch)
        if current != old:
            return current == new
        _update(own, index, old=old, new=new)
        moved = False
        try:
            moved = move_branch(use.worktree, branch, new=new, old=old, why=why)
        finally:
            if not moved:  # or it failed, as when its ref stays locked: the user's files return
                _update(own, index, old=new, new=old)
        return moved


def _update(own: OwnGitDirectory, index: LockedIndex, *, old: str, new: str) -> None:
    index.take_copy()
    update = WorktreeUpdate(own, index, old=old, new=new)
    obstacles = update.obstacles()
    update.check(obstacles, command=f"git merge --ff-only {new}")
    update.write(obstacles)
    index.install()


def _shown(path: Path) -> str:
    return display_name(os.fsencode(path))
