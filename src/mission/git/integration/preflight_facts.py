"""What has to be known about a repository before a run starts in it, and the first commit of one that has none."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from mission.git.command import OURS, run
from mission.git.errors import NoRepository
from mission.git.file_names import display_name
from mission.git.integration.branch_refs import PREFIX, operation_in_progress
from mission.git.integration.errors import Nested
from mission.git.integration.files.index_lock import locked_index
from mission.git.integration.files.staging import Staging
from mission.git.integration.merge_commit import COMMITTER, EMAIL
from mission.git.integration.own_git_directory import own_git_directory
from mission.git.integration.trial_merge import NEEDED, git_version
from mission.git.working_tree import branch_of, locate
from mission.git.worktrees.worktree import commit_of, tip_of, uncommitted

NAMED_FILES = 50
PARTIAL = r"^(extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$"
FIRST = "Start with the files that are here"


@dataclass(frozen=True, kw_only=True, slots=True)
class PreflightFacts:
    """The facts; without a repository only those about git itself are meaningful."""

    git_version: str
    is_git_new_enough: bool
    needed_git: str
    is_repository: bool = False
    head: str | None = None
    """The commit that is checked out; None before the first one."""
    branch: str | None = None
    """The branch that is checked out; None for a detached HEAD."""
    is_shallow: bool = False
    is_partial: bool = False
    uncommitted: tuple[str, ...] = ()
    """The first uncommitted files, by name."""
    uncommitted_count: int = 0
    branch_in_the_way: str | None = None
    """A branch whose name keeps git from creating branches below it."""
    operation: str | None = None
    """A rebase, merge or similar that is in progress."""


def preflight_facts(top: Path) -> PreflightFacts:
    """Return the facts about the repository at this folder."""
    version = git_version()
    about_git = PreflightFacts(
        git_version=".".join(map(str, version)),
        needed_git=".".join(map(str, NEEDED)),
        is_git_new_enough=version >= NEEDED,
    )
    try:
        location = locate(Path(os.path.realpath(top)))
    except NoRepository:
        return about_git
    files = uncommitted(location.top, copied={})
    folder = PREFIX.removesuffix("/")
    return replace(
        about_git,
        is_repository=True,
        head=commit_of(location.top, "HEAD"),
        branch=branch_of(location.top),
        is_shallow=run("rev-parse", "--is-shallow-repository", cwd=location.top).line == b"true",
        is_partial=bool(run("config", "-z", "--get-regexp", PARTIAL, cwd=location.top, allowed=(0, 1)).out),
        uncommitted=tuple(files[:NAMED_FILES]),
        uncommitted_count=len(files),
        branch_in_the_way=folder if tip_of(location.top, folder) else None,
        operation=operation_in_progress(location.top, location.git_dir),
    )


def init_repository(top: Path) -> str:
    """Return the first commit of the repository at this folder, which is created if needed.

    The commit has every file that is not ignored. If there are commits already, nothing changes. No hook runs. Raise
    Nested for repositories inside the folder.
    """
    try:
        real = locate(Path(os.path.realpath(top))).top
    except NoRepository:
        real = Path(os.path.realpath(top))
        run("init", "--quiet", "--template=", cwd=real, umask=OURS)
    return commit_of(real, "HEAD") or _first_commit(real)


def _first_commit(top: Path) -> str:
    """Commit everything: the index comes before the commit, so that a repeated call after a crash continues."""
    with (
        own_git_directory(top) as own,
        locked_index(own.repository.git_dir, worktree=top, ours=False) as index,
    ):
        staging = Staging(own, index)
        if staging.content.nested:
            raise Nested(map(display_name, staging.content.nested))
        staging.add(staging.content.changed)
        tree = staging.tree()
        made = own.run("commit-tree", tree, "-m", FIRST, variables=_identity(top)).line.decode()
        index.install()
        run("update-ref", "-m", "commit (initial): mission", "HEAD", made, "0" * len(made), cwd=top, umask=OURS)
        return made


def _identity(top: Path) -> dict[str, str]:
    """Return the user's own name for the commit, or ours if the user has not configured one."""
    name, email = (run("config", f"user.{key}", cwd=top, allowed=(0, 1)).line for key in ("name", "email"))
    known = bool(name.strip() and email.strip())
    chosen = {"NAME": os.fsdecode(name) if known else COMMITTER, "EMAIL": os.fsdecode(email) if known else EMAIL}
    return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in chosen.items()}
