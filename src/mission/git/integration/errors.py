"""Refusals of the git layer for runs; each is named, and the paths it is about are in its details."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mission.domain.errors import Conflict, InvalidInput, InvalidState, TransientError
from mission.domain.plural import counted
from mission.git.worktrees.worktree import named


class GitTooOld(InvalidState):
    """The installed git is too old for runs."""

    def __init__(self, *, found: str, needed: str) -> None:
        super().__init__(
            f"runs need git {needed} or newer; git {found} is installed",
            hint=f"Install git {needed} or newer, then try again.",
            found=found,
            needed=needed,
        )


class OtherBranch(InvalidInput):
    """A run writes only branches below mission/."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"branch: a run writes only branches below 'mission/', not '{branch[:200]}'", field="branch")


class BranchTaken(InvalidState):
    """The branch exists already, at another commit."""

    def __init__(self, branch: str, *, current: str) -> None:
        super().__init__(
            f"the branch '{branch}' already exists, at {current[:12]}", hint="Choose another name.", current=current
        )


class BranchMoved(Conflict):
    """The branch was moved by somebody else at the same time."""

    def __init__(self, branch: str, *, current: str | None) -> None:
        super().__init__(
            f"the branch '{branch}' was moved by somebody else at the same time", hint="Try again.", current=current
        )


class BranchInTheWay(InvalidState):
    """A branch has a name that git needs as a folder of branches."""

    def __init__(self, branch: str) -> None:
        super().__init__(
            f"a branch named '{branch}' is in the way: git cannot have branches below '{branch}/' as well",
            hint=f"Rename it: git branch -m {branch} {branch}-old",
            branch=branch,
        )


class CommitMissing(InvalidState):
    """A commit, or a part of it, is not in the repository."""

    def __init__(self, commit: str) -> None:
        super().__init__(
            f"commit {commit[:12]} is incomplete in the repository",
            hint="git's garbage collection may have removed it. Build it again.",
            commit=commit,
        )


class UnrelatedHistory(InvalidState):
    """The two commits have no commit in common, so they cannot be merged."""


class OperationInProgress(InvalidState):
    """A rebase, merge or similar operation is in progress in a worktree."""

    def __init__(self, *, operation: str, worktree: str, branch: str | None = None) -> None:
        about = f" of '{branch}'" if branch else ""
        super().__init__(
            f"{_article(operation)} {operation}{about} is in progress in {worktree}",
            hint=f"Finish it, or abort it with 'git {_abort(operation)}', then try again.",
            operation=operation,
            worktree=worktree,
        )


class WorktreeLost(InvalidState):
    """The folder is not a worktree of the repository any more."""

    default_hint = "Rebuild it from its branch."


class IndexInUse(TransientError):
    """Another git command is writing the index of a worktree."""

    retryable = False

    def __init__(self, worktree: str) -> None:
        super().__init__(
            f"another git command holds the index lock (index.lock) in {worktree}",
            hint="Try again when it has finished. If no git command is running there, remove the file.",
            worktree=worktree,
        )


class PathsInTheWay(Conflict):
    """Files of a worktree would be overwritten."""

    def __init__(self, paths: Iterable[str], *, worktree: str) -> None:
        listed = sorted(set(paths))
        super().__init__(
            f"{counted(len(listed), 'file')} with local changes in {worktree} would be overwritten: {named(listed)}",
            hint="Commit, move or delete them, then try again.",
            paths=listed,
            worktree=worktree,
        )


class NotOurFilter(Conflict):
    """Files would have to go through a filter that Mission Control does not run."""

    def __init__(self, paths: Iterable[str], *, worktree: str, command: str) -> None:
        listed = sorted(set(paths))
        super().__init__(
            f"{counted(len(listed), 'file')} in {worktree} cannot be written without a filter that the repository "
            f"configures, and Mission Control does not run a repository's programs: {named(listed)}",
            hint=f"Run '{command}' there yourself.",
            paths=listed,
            worktree=worktree,
        )


class TargetMoved(InvalidState):
    """The target has other commits than expected, so it cannot be fast-forwarded."""

    def __init__(self, target: str, *, current: str | None) -> None:
        super().__init__(
            f"the branch '{target}' has moved to {current[:12]}" if current else f"the branch '{target}' is gone",
            hint="Merge it into the integration branch and check the result, then land again.",
            target=target,
            current=current,
        )


class BranchUsedTwice(InvalidState):
    """Several worktrees have the same branch checked out."""

    def __init__(self, branch: str, *, worktrees: Iterable[str]) -> None:
        listed = sorted(worktrees)
        super().__init__(
            f"the branch '{branch}' is checked out in several worktrees: {', '.join(listed)}",
            hint="Switch all but one of them to another branch, then try again.",
            worktrees=listed,
        )


class CandidateRefused(InvalidState):
    """The content of the worktree cannot be a candidate; the paths say where."""

    what = "cannot be committed"
    default_hint = "Correct these files, then report again."

    def __init__(self, paths: Iterable[str], **details: Any) -> None:
        listed = sorted(set(paths))
        super().__init__(f"{self.what}: {named(listed)}", paths=listed, **details)


class MarkersLeft(CandidateRefused):
    """Files contain conflict markers."""

    what = "these files contain conflict markers"
    default_hint = (
        "Resolve them, then report again. If the markers are intentional, set a larger 'conflict-marker-size' for the "
        "file in .gitattributes."
    )


class Unmerged(CandidateRefused):
    """Files are unmerged in the index."""

    what = "these files are unmerged in the index"
    default_hint = "Resolve them and run 'git add' on them, then report again."


class Undecided(CandidateRefused):
    """Conflicts without markers were not decided."""

    what = "these notes about conflicts are still there"
    default_hint = "Put the right content into the file that each note is about, delete the note, then report again."


class Filtered(CandidateRefused):
    """Changed files go through a filter that the repository configures."""

    what = "these files go through a filter that the repository configures, which Mission Control does not run"
    default_hint = "Commit them yourself with 'git add' and 'git commit', then report again."


class Nested(CandidateRefused):
    """Repositories inside the worktree cannot be committed."""

    what = "these folders are repositories of their own, which cannot be committed"
    default_hint = "Remove them, ignore them, or add them as submodules, then report again."


class Unpublished(CandidateRefused):
    """Submodules are at commits that their remote lacks."""

    what = "these submodules are at commits that no branch of their remote has"
    default_hint = "Push the submodule's commits first, then report again."


class NotCommittable(CandidateRefused):
    """Git refuses the names or the content of files."""

    what = "git cannot store these files"
    default_hint = "Rename or remove them, then report again."


def _article(operation: str) -> str:
    return "an" if operation.startswith("a") else "a"


def _abort(operation: str) -> str:
    return "bisect reset" if operation == "bisect" else f"{operation} --abort"
