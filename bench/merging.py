"""Measure a candidate's way into the integration branch, next to `git merge` and `git worktree add`."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bench.effort import Effort
from bench.report import Row, Target, compared
from bench.snapshot import generate, git
from bench.timing import interleave
from mission.git.integration.candidates.candidate_commit import CandidateCommit, commit_candidate
from mission.git.integration.integration_branch import advance, create_branch
from mission.git.integration.merge_commit import CommitDetails, merge_commit
from mission.git.integration.trial_merge import Merged, trial_merge
from mission.git.worktrees.worktree import add, commit_of

SECTION = "merging"
FILES = 10_000
FLOOR = "git merge + git worktree add"
BRANCH = "mission/bench-1"
TASK = "mission/bench-1.task"
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


def measure(effort: Effort) -> list[Row]:
    files = min(FILES, effort.files)
    with _places(files) as places:
        turns = {
            "submit": lambda: [places.submit()],
            "merge": lambda: [places.merge()],
            "git": lambda: [places.merge_with_git()],
        }
        series = interleave(turns, rounds=max(3, effort.snapshots))
    of = f"in {files:,} files"
    return [
        compared(
            SECTION, f"candidate → merged, {of}", series["merge"], series["git"], floor_name=FLOOR, target=Target(1 / 3)
        ),
        compared(
            SECTION, f"report → merged, {of}", series["submit"], series["git"], floor_name=FLOOR, target=Target(1 / 3)
        ),
    ]


class _Places:
    """The repository, the worktree of a task, and one in which git merges the same changes."""

    def __init__(self, folder: Path, files: int) -> None:
        self._top = generate(folder / "repository", files=files)
        self._task = folder / "task"
        self._side = folder / "side"
        self._added = folder / "added"
        self._numbers = itertools.count()
        start = commit_of(self._top, "HEAD") or ""
        create_branch(self._top, BRANCH, commit=start)
        add(self._top, self._task, branch=TASK, commit=start)
        git(self._top, "worktree", "add", "--quiet", "--detach", str(self._side))

    def submit(self) -> float:
        """Return the seconds from a report to the merge, without checks: commit, trial merge, merge commit, branch."""
        self._prepare()
        started = time.perf_counter()
        candidate = self._commit()
        self._merge(candidate)
        return time.perf_counter() - started

    def merge(self) -> float:
        """Return the seconds from a candidate to the merge: trial merge, merge commit, branch."""
        self._prepare()
        candidate = self._commit()
        started = time.perf_counter()
        self._merge(candidate)
        return time.perf_counter() - started

    def merge_with_git(self) -> float:
        """Return the seconds of git for the same: merge a change, and add a worktree to check it in."""
        self._prepare()
        candidate = self._commit()
        git(self._side, "checkout", "--quiet", "--detach", BRANCH)
        started = time.perf_counter()
        git(self._side, *IDENTITY, "merge", "--quiet", "--no-ff", "--no-edit", candidate)
        git(self._side, "worktree", "add", "--quiet", "--detach", str(self._added), "HEAD")
        seconds = time.perf_counter() - started
        shutil.rmtree(self._added)
        git(self._top, "worktree", "prune")
        self._merge(candidate)
        return seconds

    def _prepare(self) -> None:
        """Let another task be merged first, and change files in the worktree of this one."""
        number = next(self._numbers)
        git(self._side, "checkout", "--quiet", "--detach", BRANCH)
        (self._side / f"other{number}.txt").write_text(f"{number}\n")
        (self._side / "package0" / "module0" / "file0.py").write_text(f"VALUE = {number}\n")
        git(self._side, "add", "--all")
        git(self._side, *IDENTITY, "commit", "--quiet", "--message", "Another task")
        git(self._top, "update-ref", f"refs/heads/{BRANCH}", commit_of(self._side, "HEAD") or "")
        (self._task / f"new{number}.txt").write_text(f"{number}\n")
        for changed in range(1, 4):
            (self._task / "package0" / "module0" / f"file{changed}.py").write_text(f"VALUE = {-number}\n")

    def _commit(self) -> str:
        made = commit_candidate(self._task, branch=TASK, tip=self._tip(), details=_details("Candidate"))
        assert isinstance(made, CandidateCommit)
        return made.commit

    def _merge(self, candidate: str) -> None:
        tip = self._tip()
        merged = trial_merge(self._top, tip=tip, candidate=candidate)
        assert isinstance(merged, Merged)
        commit = merge_commit(self._top, tip=tip, candidate=candidate, tree=merged.tree, details=_details("Merge"))
        assert advance(self._top, BRANCH, new=commit, old=tip)

    def _tip(self) -> str:
        return commit_of(self._top, f"refs/heads/{BRANCH}") or ""


@contextmanager
def _places(files: int) -> Iterator[_Places]:
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        yield _Places(Path(folder), files)


def _details(message: str) -> CommitDetails:
    return CommitDetails(author="bench", message=message, at=datetime.now(UTC), trailers={"Mission-Run": "run_bench"})
