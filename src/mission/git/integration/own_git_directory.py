"""A git directory of our own, for a moment, that reads and writes the objects of a user's repository.

Commands that merge, compare and make commits run here. It has none of the repository's configuration, hooks and refs,
so nothing in them can run a program or change a result. New objects go directly into the repository: a commit never
refers to an object that the repository lacks. Objects that no ref needs in the end are left to the garbage collection.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from mission.domain.errors import InvalidInput
from mission.git.command import LONG, OURS, Argument, GitResult, Settings, run
from mission.git.integration.errors import WorktreeLost
from mission.git.snapshots.repository_facts import RepositoryFacts, open_repository
from mission.git.snapshots.shadow_repository import Shadow

SETTINGS: Settings = (
    ("core.bigFileThreshold", "512m"),
    # What a commit must not contain on any system.
    ("core.protectNTFS", "true"),
    ("core.protectHFS", "true"),
)


SCRATCH_INDEX = "scratch-index"


class LockedFile(Protocol):
    """A file whose lock a git command holds as well."""

    path: Path
    descriptor: int


class OwnGitDirectory:
    """Runs git on the objects of `repository`; the folder `path` is ours and temporary."""

    def __init__(self, path: Path, repository: RepositoryFacts) -> None:
        self.path = path
        self.repository = repository
        self.shadow = Shadow(path, repository)
        self.shadow.prepare()

    def run(
        self,
        *arguments: Argument,
        index: Path | None = None,
        work_tree: Path | None = None,
        variables: Mapping[str, str] | None = None,
        settings: Settings = (),
        stdin: bytes = b"",
        allowed: tuple[int, ...] = (0,),
        inherited: Sequence[int] = (),
    ) -> GitResult:
        """Run one git command; its files are those of the user's worktree unless another folder is named."""
        return run(
            *arguments,
            cwd=work_tree or self.repository.top,
            variables={**self.variables(index=index, work_tree=work_tree), **(variables or {})},
            settings=(*self.settings, *settings),
            stdin=stdin,
            allowed=allowed,
            timeout=LONG,
            umask=OURS,
            inherited=inherited,
        )

    def run_locked(
        self, index: LockedFile, *arguments: Argument, stdin: bytes = b"", allowed: tuple[int, ...] = (0,)
    ) -> GitResult:
        """Run one git command on a locked index; it holds the lock too, so that it may outlive us."""
        return self.run(*arguments, index=index.path, inherited=[index.descriptor], stdin=stdin, allowed=allowed)

    @property
    def settings(self) -> Settings:
        return (*self.shadow.settings, *SETTINGS)

    def variables(self, *, index: Path | None = None, work_tree: Path | None = None) -> dict[str, str]:
        """Return the variables of a command that runs here."""
        ours = {**self.shadow.variables, "GIT_OBJECT_DIRECTORY": str(self.repository.common_dir / "objects")}
        del ours["GIT_ALTERNATE_OBJECT_DIRECTORIES"]
        chosen = {"GIT_INDEX_FILE": index, "GIT_WORK_TREE": work_tree}
        return {**ours, **{name: str(value) for name, value in chosen.items() if value is not None}}


@contextmanager
def own_git_directory(top: Path) -> Iterator[OwnGitDirectory]:
    """Yield a git directory of our own for the repository whose worktree starts at this folder.

    Raise WorktreeLost if no worktree starts there.
    """
    try:
        repository = open_repository(top)
    except InvalidInput as error:  # no folder, no repository, a broken one
        raise WorktreeLost from error
    if repository.top != Path(os.path.realpath(top)):
        raise WorktreeLost
    with tempfile.TemporaryDirectory(prefix="mission-git-", ignore_cleanup_errors=True) as folder:
        yield OwnGitDirectory(Path(folder), repository)


def read_blobs(own: OwnGitDirectory, ids: Collection[bytes]) -> dict[bytes, bytes]:
    """Return the contents of these blobs; those that the repository lacks are left out."""
    out = own.run("cat-file", "--batch", "--buffer", stdin=b"".join(id + b"\n" for id in ids)).out
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        size = int(words[2]) if len(words) == 3 and words[1] == b"blob" else None
        if size is not None:
            found[words[0]] = out[end + 1 : end + 1 + size]
            end += size + 1
        at = end + 1
    return found


def removal_lines(paths: Iterable[bytes], *, id_length: int) -> list[bytes]:
    """Return the lines that remove these paths from an index."""
    return [b"0 %s\t%s\0" % (b"0" * id_length, path) for path in paths]


def edited_tree(own: OwnGitDirectory, tree: str, *, lines: Iterable[bytes]) -> str:
    """Return the id of the tree after these lines of an index, without an index of the user's."""
    scratch = own.path / SCRATCH_INDEX
    own.run("read-tree", tree, index=scratch)
    own.run("update-index", "-z", "--index-info", index=scratch, stdin=b"".join(lines))
    return own.run("write-tree", index=scratch).line.decode()
