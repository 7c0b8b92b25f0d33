"""Find the commits made in a worktree since a moment, from the log that git keeps of its HEAD."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.domain.plural import counted
from mission.domain.tasks.changes import Commit
from mission.git.command import LONG
from mission.git.errors import GitFailed, GitStuck, GitTimeout
from mission.git.file_names import display_name
from mission.git.safe_reading import read
from mission.git.snapshots.repository_facts import branch_tips
from mission.git.snapshots.shadow_repository import Shadow

# Entries that move HEAD to a commit which already existed.
MOVES = re.compile(
    rb"(checkout|reset|clone|Branch|branch|initial pull)\b.*|rebase\b.*\((start|finish|abort)\).*|.*: [Ff]ast-forward.*"
)
NAMED_FILES = 100
MAX_LOG_BYTES = 64 << 20
ASKED_BRANCHES = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadPosition:
    """A position in HEAD's log: its length, and the digest of its last line in case git shortens it."""

    size: int
    last: str

    def as_dict(self) -> dict[str, Any]:
        return {"size": self.size, "last": self.last}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> HeadPosition:
        return cls(size=data["size"], last=data["last"])


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The commits made since then that HEAD has, oldest first, and warnings about the others."""

    commits: list[Commit]
    warnings: list[str]


def position(git_dir: Path) -> HeadPosition:
    """Return the current end of HEAD's log."""
    content = _log(git_dir)
    return HeadPosition(size=len(content), last=_last(content))


def history(shadow: Shadow, *, since: HeadPosition, start: str | None, now: str | None) -> History:
    """Return what was committed since that position; `start` and `now` are the commits of HEAD then and now."""
    lines = _added(_log(shadow.repository.git_dir), since)
    try:
        if lines is None or (not lines and start != now):
            return _by_range(shadow, start, now)
        return _by_log(shadow, lines, start, now)
    except (GitFailed, GitStuck, GitTimeout):
        return _unknown("their history is incomplete or too long")


def _by_log(shadow: Shadow, lines: list[bytes], start: str | None, now: str | None) -> History:
    made = _reachable_only_from(shadow, _made(lines), [start])
    gone = set(_reachable_only_from(shadow, made, [now]))
    commits = _described(shadow, [commit for commit in made if commit not in gone])
    return History(commits=commits, warnings=_elsewhere(shadow, [commit for commit in made if commit in gone]))


def _log(git_dir: Path) -> bytes:
    try:
        return read(git_dir, "logs/HEAD", limit=MAX_LOG_BYTES)
    except OSError:
        return b""


def _last(content: bytes) -> str:
    return _sign(content.splitlines()[-1]) if content else ""


def _sign(line: bytes) -> str:
    return hashlib.sha256(line).hexdigest()


def _added(content: bytes, since: HeadPosition) -> list[bytes] | None:
    """Return the lines written after the position; None if the log no longer contains that position."""
    if len(content) >= since.size and _last(content[: since.size]) == since.last:
        return content[since.size :].splitlines()
    lines = content.splitlines()
    for number in range(len(lines) - 1, -1, -1):
        if _sign(lines[number]) == since.last:
            return lines[number + 1 :]
    return None


def _made(lines: Iterable[bytes]) -> list[str]:
    """Return the commits that these entries created, in order, each once."""
    made: dict[str, None] = {}
    for line in lines:
        ids, _, message = line.partition(b"\t")
        words = ids.split(b" ")
        if len(words) > 2 and not MOVES.fullmatch(message) and words[1].strip(b"0"):
            made[words[1].decode("ascii", "replace")] = None
    return list(made)


def _reachable_only_from(shadow: Shadow, commits: list[str], others: Iterable[str | None]) -> list[str]:
    """Return the commits that exist and are not ancestors of another one."""
    if not commits:
        return []
    known = [f"^{other}" for other in others if other and _exists(shadow, other)]
    asked = "\n".join([*commits, *known, ""]).encode()
    listed = shadow.run("rev-list", "--ignore-missing", "--stdin", stdin=asked, timeout=LONG).out
    outside = set(listed.decode().split())
    return [commit for commit in commits if commit in outside]


def _exists(shadow: Shadow, commit: str) -> bool:
    return shadow.run("cat-file", "-e", commit, allowed=(0, 1, 128)).code == 0


def _described(shadow: Shadow, commits: list[str]) -> list[Commit]:
    if not commits:
        return []
    listed = shadow.run(
        "log", "--no-walk=unsorted", "--ignore-missing", "-z", "--format=%H %s", "--stdin",
        stdin="\n".join([*commits, ""]).encode(),
    ).out  # fmt: skip
    rows = (row.decode(errors="replace").partition(" ") for row in listed.split(b"\0") if row)
    return [Commit(id=commit, subject=subject) for commit, _, subject in rows]


def _by_range(shadow: Shadow, start: str | None, now: str | None) -> History:
    """Return, without a log, the commits that HEAD has and the commit of the start did not."""
    if start == now or now is None:
        return History(commits=[], warnings=[])
    if start and not _exists(shadow, start):
        return _unknown("git no longer knows where they start")
    arguments = [now, *([f"^{start}"] if start else [])]
    listed = shadow.run("rev-list", "--reverse", *arguments, "--", timeout=LONG).out.decode().split()
    return History(commits=_described(shadow, listed), warnings=[])


def _unknown(why: str) -> History:
    return History(commits=[], warnings=[f"The commits made since then cannot be listed: {why}"])


def _elsewhere(shadow: Shadow, commits: list[str]) -> list[str]:
    """Return a warning per branch with new commits that HEAD does not have; amended and dropped commits have none."""
    warnings = []
    for branch, tip in list(branch_tips(shadow.repository.top).items())[:ASKED_BRANCHES]:
        if not commits:
            break
        outside = set(_reachable_only_from(shadow, commits, [tip]))
        if there := [commit for commit in commits if commit not in outside]:
            warnings.append(_warning(shadow, branch, there))
            commits = [commit for commit in commits if commit in outside]
    return warnings


def _warning(shadow: Shadow, branch: str, commits: list[str]) -> str:
    ids = ", ".join(commit[:10] for commit in commits)
    files = _files(shadow, commits)
    more = f" and {len(files) - NAMED_FILES} more" if len(files) > NAMED_FILES else ""
    return (
        f"{counted(len(commits), 'commit made since then is', 'commits made since then are')} on branch '{branch}', "
        f"not in this tree's HEAD ({ids}); "
        f"their files: {', '.join(files[:NAMED_FILES])}{more}"
    )


def _files(shadow: Shadow, commits: list[str]) -> list[str]:
    listed = shadow.run(
        "diff-tree", "--stdin", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-ext-diff", "--no-textconv",
        stdin="\n".join([*commits, ""]).encode(), timeout=LONG,
    ).out  # fmt: skip
    return sorted({display_name(name) for name in listed.split(b"\0") if name})
