"""Branches as refs: moving one only from where it was, and who uses one: a checkout, a rebase, a bisection."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mission.domain.errors import TransientError
from mission.git.command import OURS, check_branch, run
from mission.git.errors import GitFailed, GitKilled
from mission.git.file_names import display_name
from mission.git.integration.errors import CommitMissing, OperationInProgress, OtherBranch
from mission.git.repository_guard import git_dir_at, repository_of
from mission.git.safe_reading import read
from mission.git.worktrees.worktree import HEADS, tip_of, worktrees

MAX_STATE_BYTES = 1 << 20
FILES = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}
PREFIX = "mission/"
"""A run writes only branches with this prefix."""
PATIENCE = 5.0
PAUSE = 0.02
ABANDONED_SECONDS = 60.0
"""A lock of this age on a branch of ours was left by a git that was killed."""
SEQUENCED = {b"pick": "cherry-pick", b"revert": "revert"}


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchUse:
    """A worktree that uses a branch: it is checked out there, or an operation on it is in progress."""

    worktree: Path
    git_dir: Path
    operation: str | None = None
    """The operation that uses the branch while it is not checked out."""


def check_ours(branch: str) -> None:
    """Raise OtherBranch unless a run may write this branch."""
    if not branch.startswith(PREFIX):
        raise OtherBranch(branch)
    check_branch(branch)


def move_branch(top: Path, branch: str, *, new: str, old: str | None, why: str) -> bool:
    """Move a branch by compare-and-swap; return whether it is at the new commit now. No hook runs.

    `old` is None for a branch that must not exist yet.
    """
    expected = old or "0" * len(new)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            run("update-ref", "-m", f"mission: {why}", f"{HEADS}{branch}", new, expected, cwd=top, umask=OURS)
            return True
        except (GitFailed, GitKilled) as failed:
            current = tip_of(top, branch)
            if current != old:
                return current == new
            if isinstance(failed, GitKilled):
                raise
            if not (branch.startswith(PREFIX) and _is_abandoned_lock_removed(top, branch)):
                _check_locked(failed, branch, new, in_time=time.monotonic() < deadline)
        time.sleep(PAUSE)


def _check_locked(failed: GitFailed, branch: str, new: str, *, in_time: bool) -> None:
    """Raise an error unless only a lock kept git from moving the branch, and there is time to wait for it."""
    if "nonexistent object" in failed.log or "not a valid" in failed.log:
        raise CommitMissing(new) from failed
    if "File exists" not in failed.log:
        raise failed
    if not in_time:
        raise TransientError(f"another git command holds the lock on the branch '{branch}'") from failed


def _is_abandoned_lock_removed(top: Path, branch: str) -> bool:
    lock = repository_of(top) / f"{HEADS}{branch}.lock"
    with suppress(OSError):
        if time.time() - lock.stat().st_mtime > ABANDONED_SECONDS:
            lock.unlink()
            return True
    return False


def uses_of(top: Path, branch: str) -> list[BranchUse]:
    """Return every use of the branch in the worktrees of the repository; a worktree that is gone does not count."""
    found = []
    for tree in worktrees(top):
        git_dir = git_dir_at(tree.path)
        if git_dir is None:
            continue
        operation = _operation_on(git_dir, branch)
        if tree.branch == branch or operation is not None:
            found.append(BranchUse(worktree=tree.path, git_dir=git_dir, operation=operation))
    return found


def operation_in_progress(worktree: Path, git_dir: Path) -> str | None:
    """Return the operation that someone began in the worktree and has not finished, as git calls it."""
    if (git_dir / "rebase-merge").is_dir():
        return "rebase"
    if (git_dir / "rebase-apply").is_dir():
        return "am" if (git_dir / "rebase-apply" / "applying").exists() else "rebase"
    for name, operation in FILES.items():
        if (git_dir / name).exists() or _is_in_table(worktree, name):
            return operation
    if (git_dir / "sequencer").is_dir():
        return SEQUENCED.get(_content(git_dir, "sequencer/todo").partition(b" ")[0], "cherry-pick")
    return "bisect" if (git_dir / "BISECT_LOG").exists() else None


def check_no_operation(worktree: Path, git_dir: Path) -> None:
    """Raise OperationInProgress if one is."""
    operation = operation_in_progress(worktree, git_dir)
    if operation is not None:
        raise OperationInProgress(operation=operation, worktree=display_name(os.fsencode(worktree)))


def _operation_on(git_dir: Path, branch: str) -> str | None:
    """Return the operation that will write the branch when it ends."""
    ref = os.fsencode(HEADS + branch)
    if ref in _rebased(git_dir):
        return "rebase"
    is_bisected = (git_dir / "BISECT_LOG").exists()
    started = _content(git_dir, "BISECT_START").strip()
    return "bisect" if is_bisected and started in (ref, os.fsencode(branch)) else None


def _rebased(git_dir: Path) -> Iterator[bytes]:
    """Yield the full names of the branches that a rebase will write."""
    for folder in ("rebase-merge", "rebase-apply"):
        yield _content(git_dir, f"{folder}/head-name").strip()
    # Three lines for each branch that 'rebase --update-refs' moves: its name, its old and its new commit.
    yield from _content(git_dir, "rebase-merge/update-refs").split(b"\n")[::3]


def _is_in_table(worktree: Path, name: str) -> bool:
    """Return whether the ref exists in a repository that keeps its refs in a table instead of files."""
    if not (repository_of(worktree) / "reftable").is_dir():
        return False
    return run("rev-parse", "--quiet", "--verify", name, cwd=worktree, allowed=(0, 1, 128)).code == 0


def _content(git_dir: Path, name: str) -> bytes:
    try:
        return read(git_dir, name, limit=MAX_STATE_BYTES)
    except OSError:
        return b""
