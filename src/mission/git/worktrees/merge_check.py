"""Check that work is kept elsewhere: which commits contain a branch, and which refs keep them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from mission.domain.errors import InvalidInput, InvalidState
from mission.git.command import LONG, run
from mission.git.file_names import display_name
from mission.git.worktrees.worktree import HEADS, commit_of, tip_of

KEPT_PREFIX = "mission-kept/"
"""Branches with work that was saved because it was not merged."""
COMMIT_ID = re.compile(r"[0-9a-fA-F]{7,64}")
NAMED_COMMITS = 5


def merge_commit(top: Path, given: str) -> str:
    """Return the full id of the commit that the caller names."""
    if not COMMIT_ID.fullmatch(given):
        raise InvalidInput(
            f"merge_commit: {given[:80]!r} is not a commit id",
            hint="Pass the id that 'git rev-parse HEAD' prints after the merge.",
            field="merge_commit",
        )
    commit = commit_of(top, given)
    if commit is None:
        raise InvalidInput(
            f"merge_commit: there is no commit {given} in the repository",
            hint="Merge first, then pass the id that 'git rev-parse HEAD' prints.",
            field="merge_commit",
        )
    return commit


def contains(top: Path, commit: str, *, tip: str) -> bool:
    """Return whether the tip is the commit or one of its ancestors; False if the repository does not know it."""
    return run("merge-base", "--is-ancestor", tip, commit, cwd=top, allowed=(0, 1, 128), timeout=LONG).code == 0


def unmerged(top: Path, branches: Mapping[str, str], *, into: str) -> list[str]:
    """Return the names whose branch has commits that the branch `into` lacks."""
    target = tip_of(top, into)
    tips = {name: tip_of(top, branch) for name, branch in branches.items()}
    return [name for name, tip in tips.items() if tip and target and not contains(top, target, tip=tip)]


def refs_keeping(top: Path, commit: str, *, branch: str) -> list[str]:
    """Return branches and tags that contain the commit, except the branch itself, its remote copies and saved work."""
    listed = run(
        "for-each-ref", "--contains", commit, "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags",
        cwd=top, timeout=LONG,
    ).out.decode(errors="replace").splitlines()  # fmt: skip
    return [ref for ref in listed if not _is_own(ref, branch)]


def check_merged(top: Path, *, branch: str, commit: str, tips: list[str]) -> None:
    """Raise an error unless the commit contains all of the work and another ref contains the commit."""
    outside = [tip for tip in tips if not contains(top, commit, tip=tip)]
    if outside:
        raise InvalidState(
            f"commit {commit[:12]} does not contain the branch '{branch}': {_missing(top, outside[0], commit)}",
            hint="Merge the branch (a squash or a rebase creates different commits), then pass the id of the merge. "
            "Mark work that will not be merged 'abandoned': it stays reachable.",
        )
    if not refs_keeping(top, commit, branch=branch):
        raise InvalidState(
            f"commit {commit[:12]} is on no branch or tag except '{branch}' itself",
            hint="Merge it into the branch it belongs to, and pass the id of that merge.",
        )


def branch_files(top: Path, branch: str) -> list[str]:
    """Return the files of the commits that only this branch contains."""
    others = [f"^{ref}" for ref in _all_refs(top) if not _is_own(ref, branch)]
    asked = "\n".join([f"{HEADS}{branch}", *others, ""]).encode(errors="surrogateescape")
    listed = run(
        "log", "--format=", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "-n", "1000",
        "--stdin", cwd=top, stdin=asked, timeout=LONG,
    ).out  # fmt: skip
    return sorted({display_name(name.strip(b"\n")) for name in listed.split(b"\0") if name.strip(b"\n")})


def _all_refs(top: Path) -> list[str]:
    listed = run("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes", "refs/tags", cwd=top).out
    return listed.decode(errors="surrogateescape").splitlines()


def _is_own(ref: str, branch: str) -> bool:
    if ref.startswith("refs/remotes/"):
        return ref.removeprefix("refs/remotes/").partition("/")[2] == branch
    return ref == HEADS + branch or ref.startswith(HEADS + KEPT_PREFIX)


def _missing(top: Path, tip: str, commit: str) -> str:
    listed = run("log", "--format=%h %s", f"-n{NAMED_COMMITS + 1}", tip, f"^{commit}", "--", cwd=top, timeout=LONG).out
    lines = listed.decode(errors="replace").splitlines()
    more = " and more" if len(lines) > NAMED_COMMITS else ""
    return f"it lacks {'; '.join(lines[:NAMED_COMMITS])}{more}"
