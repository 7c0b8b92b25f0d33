"""The trees of commits: which commit has exactly the content that was checked."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from mission.git.command import run

MOST_COMMITS = 20_000
"""How many of the newest commits are searched."""


def commits_with(top: Path, trees: Collection[str]) -> dict[str, str]:
    """Return for each of these trees the first commit on a branch that has exactly this tree."""
    if not trees:
        return {}
    listed = run(
        "log", "--branches", "--topo-order", f"--max-count={MOST_COMMITS}", "-z", "--format=%T %H", cwd=top
    ).out.decode()
    pairs = (row.partition(" ") for row in listed.split("\0") if row)
    return {tree: commit for tree, _, commit in pairs if tree in trees}  # the last one listed is the oldest


def trees_of(top: Path, commits: Collection[str]) -> dict[str, str]:
    """Return the id of each commit's tree; commits that the repository does not have are left out."""
    if not commits:
        return {}
    listed = run(
        "log", "--no-walk=unsorted", "--ignore-missing", "-z", "--format=%H %T", "--stdin",
        cwd=top, stdin="\n".join([*commits, ""]).encode(),
    ).out.decode()  # fmt: skip
    pairs = (row.partition(" ") for row in listed.split("\0") if row)
    return {commit: tree for commit, _, tree in pairs}
