"""Errors of a tree, its repository or its snapshot; no message shows a path that the caller did not name."""

from __future__ import annotations

import shlex

from mission.domain.errors import InternalError, InvalidInput, InvalidState, TransientError


class GitMissing(InvalidState):
    """The program 'git' is not installed on this machine, and this tree is a git repository."""

    default_hint = "Install git and make sure that it is on the PATH of Mission Control."


class GitFailed(InternalError):
    """A git command failed."""

    def __init__(self, *, command: str, code: int, log: str) -> None:
        super().__init__(f"'git {command}' failed with exit code {code}", command=command)
        # For the operator's audit only: git's output may contain paths of this machine.
        self.log = log


class GitKilled(TransientError):
    """A git command was killed before it had finished."""

    default_hint = "Try the same call again."  # earlier steps of the call may have taken effect

    def __init__(self, *, command: str) -> None:
        super().__init__(f"'git {command}' was killed before it had finished", command=command)


class GitTimeout(TransientError):
    """A git command took too long and was stopped."""

    retryable = False  # the same command would take as long again

    def __init__(self, *, command: str, seconds: float) -> None:
        super().__init__(
            f"'git {command}' did not finish within {seconds:.0f} seconds and was stopped", command=command
        )


class GitStuck(InvalidState):
    """A git command waited for something that did not come and was stopped."""

    def __init__(self, *, command: str, seconds: float) -> None:
        super().__init__(
            f"'git {command}' waited {seconds:g} seconds for a file that does not respond, and was stopped",
            hint="Look for pipes in the repository ('find . -type p' shows them) and remove them, then try again.",
            command=command,
        )


class SpecialFile(InvalidState):
    """A file that git needs is a pipe, a device or something else that cannot be read as a file."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"'{name}' in the repository is not a regular file, or is too large, so it was not read",
            hint="Replace it with a regular file, or remove it, then try again.",
            file=name,
        )


class DubiousOwnership(InvalidState):
    """The repository belongs to another user, so git refuses to read it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The repository at '{path}' belongs to another user, so git refuses to read it",
            hint=f"If you trust it, run: git config --global --add safe.directory {shlex.quote(path)}",
            path=path,
        )


class NoRepository(InvalidInput):
    """No git repository was found at this path."""

    default_hint = "Give a folder in a git repository, or run 'git init' there."


class BrokenRepository(InvalidInput):
    """The folder has a .git entry that does not point to a usable repository."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"'{path}' has a .git entry that does not point to a usable repository",
            hint="Fix it ('git worktree repair', 'git submodule update --init') or give another path.",
            path=path,
        )


class TooManyFiles(InvalidInput):
    """The folder contains more than can be compared without git."""

    def __init__(self, path: str, *, limit: str) -> None:
        super().__init__(
            f"'{path}' is not a git repository and contains more than {limit}, which is too much to compare",
            hint="Run 'git init' there (a .gitignore keeps dependencies out), or give a smaller folder.",
            path=path,
            limit=limit,
        )


class ChangesUnknown(InvalidState):
    """The changed files can no longer be determined."""


class SnapshotLost(ChangesUnknown):
    """The snapshot taken at the start is missing or damaged, so the changes cannot be determined."""


class TreeGone(ChangesUnknown):
    """The tree of the snapshot no longer exists."""


class RepositoryGone(ChangesUnknown):
    """The tree was a git repository when the snapshot was taken, but no longer is."""


class StartTreeUnknown(InvalidState):
    """The tree as it was at the start of the task cannot be rebuilt."""

    def __init__(self, why: str) -> None:
        super().__init__(f"the tree as it was at the start of the task cannot be rebuilt: {why}")
