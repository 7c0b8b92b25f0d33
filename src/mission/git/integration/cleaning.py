"""Remove the worktrees and branches of a run whose work has landed; keep everything else, and say why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mission.domain.errors import MissionError
from mission.git.commit_trees import trees_of
from mission.git.errors import GitKilled
from mission.git.integration.branch_refs import PREFIX, check_ours, uses_of
from mission.git.integration.integration_branch import contains
from mission.git.worktrees.merge_check import refs_keeping
from mission.git.worktrees.removal import WorktreeToRemove, remove_worktree
from mission.git.worktrees.worktree import HEADS, commit_of, delete_branch, tip_of


@dataclass(frozen=True, kw_only=True, slots=True)
class KeptWork:
    """A branch, or the path of a worktree, that was kept, and why."""

    name: str
    reason: str


@dataclass(kw_only=True, slots=True)
class Cleaned:
    """The outcome: paths of removed worktrees, removed branches, and what was kept."""

    worktrees: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    kept: list[KeptWork] = field(default_factory=list)


def clean(
    top: Path,
    *,
    landed: str,
    tip: str,
    worktrees: Sequence[WorktreeToRemove],
    branches: Collection[str],
) -> Cleaned:
    """Remove these worktrees, then these branches, as far as the commit `landed` contains their work.

    `tip` is the commit of the run that landed: if it was squashed, its content is in `landed` but its history is not.
    Raise OtherBranch for a branch that is not the run's. A repeated call continues.
    """
    for branch in branches:
        check_ours(branch)
    cleaning = _Cleaning(top, landed=landed, tip=tip)
    for worktree in worktrees:
        cleaning.remove_worktree(worktree)
    for branch in dict.fromkeys(branches):
        cleaning.remove_branch(branch)
    return cleaning.done


class _Cleaning:
    def __init__(self, top: Path, *, landed: str, tip: str) -> None:
        self._top = top
        self._landed = landed
        self._tip = tip
        self._squashed = _has_same_content(top, landed, tip)
        self._is_safe = _is_kept_elsewhere(top, landed)
        self.done = Cleaned()

    def remove_worktree(self, worktree: WorktreeToRemove) -> None:
        name = str(worktree.path)
        commits = [
            tip_of(self._top, worktree.branch),
            commit_of(worktree.path, "HEAD") if worktree.exists else None,
        ]
        reason = next((why for commit in commits if commit and (why := self._missing(commit))), None)
        if reason is not None:
            self._keep(name, reason)
            return
        try:
            remove_worktree(worktree, kept=None, with_branch=False)
        except GitKilled:
            raise  # that says nothing about the worktree: a repeated call continues
        except MissionError as refused:
            self._keep(name, refused.message)
        else:
            self.done.worktrees.append(name)

    def remove_branch(self, branch: str) -> None:
        tip = tip_of(self._top, branch)
        if tip is None:
            return
        used = uses_of(self._top, branch)
        reason = f"it is used in {used[0].worktree}" if used else self._missing(tip)
        if reason is not None:
            self._keep(branch, reason)
            return
        try:
            delete_branch(self._top, branch, tip=tip)
        except GitKilled:
            raise
        except MissionError as refused:
            self._keep(branch, refused.message)
        else:
            self.done.branches.append(branch)

    def _missing(self, commit: str) -> str | None:
        """Return why the work of this commit would be lost."""
        if not self._is_safe:
            return f"commit {self._landed[:12]} is on no branch or tag outside '{PREFIX}'"
        if contains(self._top, tip=self._landed, commit=commit):
            return None
        if self._squashed and contains(self._top, tip=self._tip, commit=commit):
            return None
        return f"its commit {commit[:12]} is not contained in {self._landed[:12]}"

    def _keep(self, name: str, reason: str) -> None:
        self.done.kept.append(KeptWork(name=name, reason=reason))


def _has_same_content(top: Path, one: str, other: str) -> bool:
    trees = trees_of(top, {one, other})
    return one in trees and trees[one] == trees.get(other)


def _is_kept_elsewhere(top: Path, commit: str) -> bool:
    """Return whether a branch or tag that is not the run's contains the commit."""
    if commit_of(top, commit) is None:
        return False
    return any(not ref.startswith(HEADS + PREFIX) for ref in refs_keeping(top, commit, branch=PREFIX))
