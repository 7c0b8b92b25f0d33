"""Land a run: fast-forward the user's branch to a commit of the run, without touching anything else of the user's.

The branch may be checked out. Then its files follow, as with `git merge --ff-only`, but only if none of the user's
changes is in the way. Everything that prevents it is an error of its own, and changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mission.git.command import check_branch
from mission.git.integration.checked_out_branch import fast_forward, remove_left_locks
from mission.git.integration.errors import CommitMissing, TargetMoved
from mission.git.integration.integration_branch import check_complete, contains
from mission.git.worktrees.worktree import commit_of, tip_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Landed:
    """The target contains the commit; `moved` says whether this call moved it."""

    target: str
    commit: str
    moved: bool


def land(top: Path, *, target: str, commit: str, expected: str) -> Landed:
    """Fast-forward the branch `target` from the commit `expected` to `commit`.

    If it contains the commit already, it is landed. Raise TargetMoved if it is not at the expected commit, or if the
    commit does not contain it; PathsInTheWay, NotOurFilter, OperationInProgress, BranchUsedTwice or IndexInUse if a
    worktree that uses the branch cannot follow; CommitMissing.
    """
    check_branch(target, field="target")
    if commit_of(top, commit) is None:
        raise CommitMissing(commit)
    current = tip_of(top, target)
    if current is not None and contains(top, tip=current, commit=commit):
        remove_left_locks(top, target)
        return Landed(target=target, commit=commit, moved=False)
    if current is None or current != expected or not contains(top, tip=commit, commit=current):
        raise TargetMoved(target, current=current)
    check_complete(top, commit, known=expected)
    if not fast_forward(top, target, new=commit, old=expected, why="land a run"):
        raise TargetMoved(target, current=tip_of(top, target))
    return Landed(target=target, commit=commit, moved=True)
