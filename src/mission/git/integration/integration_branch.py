"""The integration branch of a run: where its work comes together. A run writes only branches below `mission/`."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from mission.domain.tasks.changes import Commit
from mission.git.command import LONG, run
from mission.git.integration.branch_refs import PREFIX, check_ours, move_branch
from mission.git.integration.checked_out_branch import fast_forward
from mission.git.integration.errors import BranchInTheWay, BranchTaken, CommitMissing
from mission.git.worktrees import merge_check
from mission.git.worktrees.worktree import tip_of

FOLDER = PREFIX.removesuffix("/")


def create_branch(top: Path, branch: str, *, commit: str) -> None:
    """Create the branch at the commit; nothing happens if it is there already.

    Raise OtherBranch, BranchInTheWay, BranchTaken or CommitMissing.
    """
    check_ours(branch)
    if tip_of(top, FOLDER) is not None:
        raise BranchInTheWay(FOLDER)
    if not move_branch(top, branch, new=commit, old=None, why="start a run"):
        raise BranchTaken(branch, current=tip_of(top, branch) or "")


def advance(top: Path, branch: str, *, new: str, old: str) -> bool:
    """Move the branch from one commit to the next; False if it is at another one. True if it is at the new one already.

    If a person has the branch checked out, their files follow; raise PathsInTheWay or OperationInProgress if they
    cannot. Raise CommitMissing if the new commit is not complete.
    """
    check_ours(branch)
    check_complete(top, new, known=old)
    return fast_forward(top, branch, new=new, old=old, why="merge")


def contains(top: Path, *, tip: str, commit: str) -> bool:
    """Return whether the commit is the tip or one of its ancestors; False if the repository does not know it."""
    return merge_check.contains(top, tip, tip=commit)


def foreign_commits(top: Path, *, since: str, tip: str, known: Collection[str]) -> list[Commit]:
    """Return the commits that somebody else put on the branch between the two commits, oldest first.

    `known` are the merge commits of the run. What a merge brought with it is not foreign.
    """
    listed = run(
        "log", "--first-parent", "--reverse", "-z", "--format=%H %s", tip, f"^{since}", "--", cwd=top, timeout=LONG,
    ).out.decode(errors="replace")  # fmt: skip
    rows = (row.partition(" ") for row in listed.split("\0") if row)
    ours = frozenset(known)
    return [Commit(id=id, subject=subject) for id, _, subject in rows if id not in ours]


def check_complete(top: Path, new: str, *, known: str) -> None:
    """Raise CommitMissing unless the repository has everything that the new commit adds to the known one."""
    asked = ("rev-list", "--objects", "--quiet", new, f"^{known}", "--")
    if run(*asked, cwd=top, allowed=(0, 1, 128), timeout=LONG).code:
        raise CommitMissing(new)
