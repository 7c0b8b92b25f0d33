"""Write commits that are the same each time: with the author, the dates and the trailers that the caller gives.

A merge has two parents, the tip and the candidate. A squash has one, and all of the content.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mission.git.integration.errors import CommitMissing
from mission.git.integration.own_git_directory import OwnGitDirectory, own_git_directory

COMMITTER = "Mission Control"
EMAIL = "mission-control@localhost"
NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f<>]+")
CRUD = " .,:;\"'\\"
"""What git removes from the ends of a name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitDetails:
    """Everything about a commit besides its tree and parents; `at` comes from a row, so that a repeat is the same."""

    author: str
    message: str
    at: datetime
    trailers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> bytes:
        """Return the whole message."""
        trailers = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in self.trailers.items())
        message = self.message.replace("\0", "�").strip() or "Work"
        return f"{message}\n{trailers and chr(10)}{trailers}".encode(errors="replace")

    @property
    def variables(self) -> dict[str, str]:
        """Return who made it and when, as variables of git."""
        when = f"{int(self.at.astimezone(UTC).timestamp())} +0000"
        return {
            "GIT_AUTHOR_NAME": self.name,
            "GIT_AUTHOR_EMAIL": EMAIL,
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_NAME": COMMITTER,
            "GIT_COMMITTER_EMAIL": EMAIL,
            "GIT_COMMITTER_DATE": when,
        }

    @property
    def name(self) -> str:
        """Return the author's name as git stores it."""
        plain = self.author.encode(errors="replace").decode()
        return NOT_IN_NAMES.sub(" ", plain).strip(CRUD) or COMMITTER


def merge_commit(top: Path, *, tip: str, candidate: str, tree: str, details: CommitDetails) -> str:
    """Return the id of the commit with this tree and both parents; raise CommitMissing if one of them is not there."""
    with own_git_directory(top) as own:
        return write_commit(own, tree, parents=(tip, candidate), details=details)


def squash_commit(top: Path, *, target: str, commit: str, details: CommitDetails) -> str:
    """Return the id of one commit on top of the commit `target` that has the whole content of `commit`."""
    with own_git_directory(top) as own:
        return write_commit(own, tree_of(own, commit), parents=(target,), details=details)


def write_commit(own: OwnGitDirectory, tree: str, *, parents: Sequence[str], details: CommitDetails) -> str:
    """Write the commit and return its id; neither hooks nor signing programs run."""
    for each in (*parents, tree):
        if own.run("cat-file", "-e", f"{each}^{{tree}}", allowed=(0, 1, 128)).code:
            raise CommitMissing(each)
    chosen = [word for parent in parents for word in ("-p", parent)]
    made = own.run("commit-tree", tree, *chosen, stdin=details.text, variables=details.variables)
    return made.line.decode()


def is_written(own: OwnGitDirectory, commit: str, details: CommitDetails) -> bool:
    """Return whether the commit is one that `write_commit` made from these details."""
    head, _, text = own.run("cat-file", "commit", commit).out.partition(b"\n\n")
    variables = details.variables
    lines = [
        f"{role.lower()} {variables[f'GIT_{role}_NAME']} <{EMAIL}> {variables[f'GIT_{role}_DATE']}".encode()
        for role in ("AUTHOR", "COMMITTER")
    ]
    return text == details.text and set(lines) <= set(head.split(b"\n"))


def tree_of(own: OwnGitDirectory, commit: str) -> str:
    """Return the id of the commit's tree."""
    found = own.run("rev-parse", "--quiet", "--verify", f"{commit}^{{tree}}", allowed=(0, 1, 128))
    if found.code:
        raise CommitMissing(commit)
    return found.line.decode()
