"""Find the tree of a path: the worktree of a git repository, or a plain folder."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mission.domain.errors import InvalidInput
from mission.git.command import run
from mission.git.errors import GitMissing, NoRepository
from mission.git.file_names import display_name
from mission.git.repository_guard import git_dir_at


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    """A worktree from its top level, or a folder; `common_dir` is the same for all worktrees of one repository."""

    path: Path
    kind: Literal["git", "folder"]
    common_dir: Path | None = None

    def contains(self, path: Path) -> bool:
        """Return whether the path, with links resolved, is the tree or inside it."""
        return real_path(path).is_relative_to(self.path)


@dataclass(frozen=True, kw_only=True, slots=True)
class Location:
    """The folders in which the repository of a worktree keeps its data, with links resolved."""

    top: Path
    git_dir: Path
    common_dir: Path


def real_path(path: Path) -> Path:
    """Return the path with links resolved, in the spelling of its folders: macOS accepts any case."""
    real = os.path.realpath(path)
    question = getattr(fcntl, "F_GETPATH", None)
    if question is not None:
        with suppress(OSError):
            descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK)  # it may be a pipe
            try:
                real = os.fsdecode(fcntl.fcntl(descriptor, question, bytes(1024)).rstrip(b"\0"))
            finally:
                os.close(descriptor)
    return Path(real)


def find_tree(path: Path) -> Tree:
    """Return the tree of the existing, absolute directory."""
    if not path.is_absolute() or not path.is_dir():
        raise _refused(path, "is not an absolute path of an existing directory")
    real = real_path(path)
    if ".git" in real.parts:
        raise _refused(path, "is inside a .git directory; name the worktree instead")
    try:
        location = locate(real, named=path)
    except NoRepository:
        return Tree(path=real, kind="folder")
    except GitMissing:
        if any(os.path.lexists(folder / ".git") for folder in (real, *real.parents)):
            raise
        return Tree(path=real, kind="folder")
    return Tree(path=location.top, kind="git", common_dir=location.common_dir)


def branch_of(tree: Path) -> str | None:
    """Return the branch checked out in a worktree; None for a detached HEAD."""
    found = run("symbolic-ref", "--short", "-q", "HEAD", cwd=tree, allowed=(0, 1))
    return display_name(found.line) or None


def locate(real: Path, *, named: Path | None = None) -> Location:
    """Return the repository whose worktree contains this directory; `named` is how the caller spelled it."""
    asked = ("--is-inside-git-dir", "--is-bare-repository", "--absolute-git-dir", "--git-common-dir")
    answers = run("rev-parse", *asked, cwd=real).line.split(b"\n")
    if len(answers) != len(asked):
        # A path may contain a newline: only one answer at a time can be parsed.
        answers = [run("rev-parse", question, cwd=real).line for question in asked]
    inside, bare, *directories = answers
    if b"true" in (inside, bare):
        kind = "a bare repository" if bare == b"true" else "a git directory"
        raise _refused(named or real, f"is {kind} without files to work on; name a worktree instead")
    git_dir, common_dir = (Path(os.path.realpath(real / os.fsdecode(directory))) for directory in directories)
    return Location(top=_top(real, git_dir, named or real), git_dir=git_dir, common_dir=common_dir)


def _top(real: Path, git_dir: Path, named: Path) -> Path:
    """Return the folder whose .git leads to the repository; core.worktree is ignored, it may name any folder."""
    for folder in (real, *real.parents):
        named_there = git_dir_at(folder)
        if named_there is not None and Path(os.path.realpath(named_there)) == git_dir:
            return folder
    raise _refused(named, "is not in a worktree of its repository")


def _refused(path: Path, why: str) -> InvalidInput:
    name = display_name(os.fsencode(path))
    return InvalidInput(f"'{name}' {why}", hint="Name the absolute path of a directory on this machine.", path=name)
