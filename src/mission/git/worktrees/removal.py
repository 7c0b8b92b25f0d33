"""Remove worktrees without losing work: an error names everything that is not committed or not merged."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.domain.plural import counted
from mission.git.working_tree import locate
from mission.git.worktrees.merge_check import branch_files, check_merged, merge_commit, refs_keeping
from mission.git.worktrees.setup import ignored
from mission.git.worktrees.uncommitted import is_reachable, is_saved, save_uncommitted
from mission.git.worktrees.worktree import (
    commit_of,
    delete_branch,
    digest_at,
    folder_for,
    git,
    named,
    remove,
    tip_of,
    uncommitted,
    worktree_at,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeToRemove:
    """A recorded worktree: its path, its branch, and the files copied into it when it was created."""

    top: Path
    path: Path
    branch: str
    copied: Mapping[str, str]

    @property
    def exists(self) -> bool:
        return (self.path / ".git").exists()


def verify_merge(worktree: WorktreeToRemove, given: str) -> str:
    """Return the full id of the merge, after checking that it contains everything and is kept elsewhere."""
    commit = merge_commit(worktree.top, given)
    files = uncommitted(worktree.path, copied=worktree.copied) if worktree.exists else []
    if files:
        raise InvalidState(
            f"the worktree has {counted(len(files), 'uncommitted file')} not in the merge: {named(files)}",
            hint="Commit and merge them, or delete them, then try again.",
            files=files,
        )
    tips = [
        tip
        for tip in (
            tip_of(worktree.top, worktree.branch),
            commit_of(worktree.path, "HEAD") if worktree.exists else None,
        )
        if tip
    ]
    if not tips:
        raise InvalidState(
            f"the branch '{worktree.branch}' and its worktree are gone, so the merge cannot be verified",
            hint="Mark the workspace 'abandoned' instead.",
        )
    check_merged(worktree.top, branch=worktree.branch, commit=commit, tips=tips)
    return commit


def keep_uncommitted(worktree: WorktreeToRemove, *, name: str) -> str | None:
    """Return the branch on which uncommitted work was saved, if there was any."""
    return save_uncommitted(worktree.path, name=name, copied=worktree.copied) if worktree.exists else None


def remove_worktree(worktree: WorktreeToRemove, *, kept: str | None, with_branch: bool) -> None:
    """Remove the worktree, and the branch if asked, unless something would be lost."""
    tip = tip_of(worktree.top, worktree.branch) if with_branch else None
    if tip is not None and not refs_keeping(worktree.top, tip, branch=worktree.branch):
        files = branch_files(worktree.top, worktree.branch)
        raise InvalidState(
            f"the branch '{worktree.branch}' has work that exists nowhere else: {named(files)}",
            hint="Merge it first, or remove the workspace without its branch.",
            files=files,
        )
    if worktree.exists:
        _remove_tree(worktree, kept=kept)
    else:
        _clear(worktree)  # an earlier removal was interrupted, or the folder was deleted by hand
    if tip is not None:
        delete_branch(worktree.top, worktree.branch, tip=tip)


def _remove_tree(worktree: WorktreeToRemove, *, kept: str | None) -> None:
    _check_ours(worktree)
    _check_saved(worktree, kept=kept)
    aside = _aside(worktree)
    worktree.path.rename(aside)  # atomic: from now on nothing uses it, and a crash leaves nothing half removed
    try:
        _check_saved(replace(worktree, path=aside), kept=kept)
    except BaseException:
        aside.rename(worktree.path)
        git("worktree", "repair", "--", str(worktree.path), cwd=worktree.top)
        raise
    _clear(worktree)


def _clear(worktree: WorktreeToRemove) -> None:
    """Forget the worktree and remove its renamed folder; git may have registered either name."""
    aside = _aside(worktree)
    shutil.rmtree(aside, ignore_errors=True)
    for path in (worktree.path, aside):
        if not path.exists() and worktree_at(worktree.top, path) is not None:
            remove(worktree.top, path, force=True)
    if worktree.path.parent.name == folder_for(worktree.top):
        with suppress(OSError):  # other worktrees are in it
            worktree.path.parent.rmdir()


def _aside(worktree: WorktreeToRemove) -> Path:
    return worktree.path.with_name(f".{worktree.path.name}.removing")


def _check_ours(worktree: WorktreeToRemove) -> None:
    """Raise an error unless git would remove the worktree."""
    known = worktree_at(worktree.top, worktree.path)
    if known is None or known.main:
        raise InvalidState(
            "this is the repository's own working tree" if known else "git no longer knows this worktree",
            hint="Leave it where it is; its workspace record can stay.",
        )
    git_dir = locate(worktree.path).git_dir
    if (git_dir / "locked").exists():
        raise InvalidState("the worktree is locked", hint="To remove it, run 'git worktree unlock' first.")
    if (git_dir / "modules").is_dir():
        raise InvalidState(
            "the worktree has submodules, whose commits would be deleted with it",
            hint="Push them, then remove it with 'git worktree remove --force'.",
        )


def _check_saved(worktree: WorktreeToRemove, *, kept: str | None) -> None:
    """Raise an error that names the files, unless everything in the worktree is kept elsewhere."""
    if not is_saved(worktree.path, branch=kept, copied=worktree.copied):
        files = uncommitted(worktree.path, copied=worktree.copied)
        raise InvalidState(
            f"the worktree has {counted(len(files), 'uncommitted file')}: {named(files)}",
            hint="Commit them, or pass save: true to save them on a separate branch.",
            files=files,
        )
    if not is_reachable(worktree.path):
        raise InvalidState(
            "the worktree has commits that are on no branch",
            hint="Pass save: true to save them on a separate branch, or create a branch there.",
        )
    edited = [name for name, digest in worktree.copied.items() if digest_at(worktree.path / name) not in (digest, None)]
    lost = ignored(edited, target=worktree.path)
    if lost:
        raise InvalidState(
            f"copied files were edited in the worktree, and git ignores them: {named(lost)}",
            hint="Move the edits to where they belong and delete these files in the worktree, then try again.",
            files=lost,
        )
