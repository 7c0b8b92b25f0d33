"""What can go wrong with a tree, its repository or its snapshot; no message shows a path the caller did not name."""

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
        # For the operator's audit only: git's own words may name paths of this machine.
        self.log = log


class GitTimeout(TransientError):
    """A git command took too long and was stopped."""

    retryable = False  # the same command would take as long again

    def __init__(self, *, command: str, seconds: float) -> None:
        super().__init__(f"'git {command}' did not end within {seconds:.0f} seconds and was stopped", command=command)


class GitStuck(InvalidState):
    """A git command waited for something that did not come and was stopped."""

    def __init__(self, *, command: str, seconds: float) -> None:
        super().__init__(
            f"'git {command}' waited {seconds:g} seconds for a file that gives no answer, and was stopped",
            hint="Look for pipes in the repository ('find . -type p' shows them) and remove them, then try again.",
            command=command,
        )


class SpecialFile(InvalidState):
    """A file that git needs is a pipe, a device or something else that cannot be read as a file."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"'{name}' of the repository is no ordinary file, or far too large, so it is not read",
            hint="Replace it by an ordinary file, or remove it, then try again.",
            file=name,
        )


class DubiousOwnership(InvalidState):
    """The repository belongs to another user, so git refuses to read it."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The repository at '{path}' belongs to another owner, so git refuses to read it",
            hint=f"If you trust it, run: git config --global --add safe.directory {shlex.quote(path)}",
            path=path,
        )


class NoRepository(InvalidInput):
    """There is no git repository at this path."""

    default_hint = "Name a folder of a git repository, or run 'git init' there."


class BrokenRepository(InvalidInput):
    """The folder has a .git that leads to no usable repository."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"'{path}' has a .git that leads to no usable repository",
            hint="Mend it ('git worktree repair', 'git submodule update --init') or name another path.",
            path=path,
        )


class TooManyFiles(InvalidInput):
    """The folder holds more than can be compared without git."""

    def __init__(self, path: str, *, limit: str) -> None:
        super().__init__(
            f"'{path}' is no git repository and holds more than {limit}, too much to compare",
            hint="Run 'git init' there (a .gitignore keeps dependencies out), or name a smaller folder.",
            path=path,
            limit=limit,
        )


class ChangesUnknown(InvalidState):
    """What changed cannot be told any more."""


class SnapshotLost(ChangesUnknown):
    """The snapshot taken at the start is missing or damaged, so what changed cannot be told."""


class TreeGone(ChangesUnknown):
    """The tree that the snapshot shows does not exist any more."""


class RepositoryGone(ChangesUnknown):
    """The tree was a git repository when the snapshot was taken and is none any more."""
