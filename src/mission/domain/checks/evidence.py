"""Evidence: the outcome of one check on one exact tree, and what it means for a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.checks.check import Check
from mission.domain.checks.junit import TestCounts
from mission.domain.timestamps import format_time


class EvidenceState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"
    VOID = "void"
    """A file of the tree changed while the check ran."""
    ERROR = "error"
    """The check could not run."""
    LOST = "lost"
    """The process that ran it is gone."""


UNFINISHED = frozenset({EvidenceState.QUEUED, EvidenceState.RUNNING})
BROKEN = frozenset({EvidenceState.ERROR, EvidenceState.LOST})
"""States in which a check gave no result; it is tried once more."""


class Role(StrEnum):
    """The tree that a check ran on, seen from its task."""

    RESULT = "result"
    """The tree that was reported."""
    START = "start"
    """The tree at the start of the task: did it fail before too?"""
    RED = "red"
    """The start tree with only the tests of the change: it must fail."""


class Place(StrEnum):
    TASK = "task"
    """The agent's own tree."""
    MERGE = "merge"
    """The merge worktree of a run."""
    FRESH = "fresh"
    """A new worktree with a new setup."""


class ProofState(StrEnum):
    """The proof of a task's result, in one word."""

    PROVED = "proved"
    """Every required check passed on the tree that was completed."""
    UNPROVED = "unproved"
    """It was completed, but not every required check passed."""
    ACCEPTED = "accepted"
    """A person accepted it, with a reason."""
    FAILING = "failing"
    """It is not completed: a required check failed last time."""
    CHECKING = "checking"
    """It was reported done, and its checks are under way."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """The end of one check."""

    state: EvidenceState
    exit_code: int | None = None
    timed_out: bool = False
    idle: bool = False
    seconds: float = 0.0
    output: str = ""
    output_bytes: int = 0
    tests: TestCounts | None = None
    reason: str | None = None
    files: Sequence[str] = ()
    """Files of the tree that changed while it ran."""
    left: Mapping[str, str] = field(default_factory=dict)
    """New untracked files that it left behind, with their content ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One try of one check on one tree."""

    id: str
    task_id: str | None
    """None if it is about the whole result of a run."""
    mission_id: str
    round_id: str
    name: str
    definition: str
    """The digest of what was asked, with the PATH it ran with."""
    check: Check
    required: bool
    role: Role
    place: Place
    tree: str | None
    setup: str | None = None
    """A digest of how the place was prepared; evidence from differently prepared places is not compared."""
    host_id: str
    repository: str
    """The repository's own folder: checks that are not parallel take turns in it."""
    take: int = 1
    """The take of the tree that it belongs to: a round takes the tree again after it changed."""
    state: EvidenceState = EvidenceState.QUEUED
    exit_code: int | None = None
    timed_out: bool = False
    idle: bool = False
    flaky: bool = False
    """It passed only after a retry."""
    seconds: float | None = None
    output: str = ""
    output_bytes: int = 0
    tests_run: int | None = None
    tests_failed: int | None = None
    tests_skipped: int | None = None
    reason: str | None = None
    files: Sequence[str] = ()
    left_files: Mapping[str, str] | None = None
    reused_from: str | None = None
    created_at: datetime
    updated_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def is_finished(self) -> bool:
        return self.state not in UNFINISHED

    @property
    def tests(self) -> TestCounts | None:
        if self.tests_run is None:
            return None
        return TestCounts(run=self.tests_run, failed=self.tests_failed or 0, skipped=self.tests_skipped or 0)

    def started(self, *, at: datetime) -> Evidence:
        return replace(self, state=EvidenceState.RUNNING, started_at=at, updated_at=at)

    def ended(self, outcome: Outcome, *, at: datetime, flaky: bool = False) -> Evidence:
        """Return the evidence with its outcome."""
        tests = outcome.tests
        return replace(
            self,
            state=outcome.state,
            exit_code=outcome.exit_code,
            timed_out=outcome.timed_out,
            idle=outcome.idle,
            flaky=flaky and outcome.state is EvidenceState.PASSED,
            seconds=outcome.seconds,
            output=outcome.output,
            output_bytes=outcome.output_bytes,
            tests_run=tests.run if tests else None,
            tests_failed=tests.failed if tests else None,
            tests_skipped=tests.skipped if tests else None,
            reason=outcome.reason,
            files=list(outcome.files),
            left_files=dict(outcome.left) or None,
            ended_at=at,
            updated_at=at,
        )

    def reusing(self, earlier: Evidence, *, at: datetime) -> Evidence:
        """Return this evidence with the outcome of an earlier one for the same definition, tree and place."""
        return replace(
            self,
            state=earlier.state,
            exit_code=earlier.exit_code,
            seconds=earlier.seconds,
            output=earlier.output,
            output_bytes=earlier.output_bytes,
            tests_run=earlier.tests_run,
            tests_failed=earlier.tests_failed,
            tests_skipped=earlier.tests_skipped,
            reused_from=earlier.reused_from or earlier.id,
            started_at=earlier.started_at,
            ended_at=earlier.ended_at,
            updated_at=at,
        )

    def record(self) -> dict[str, Any]:
        """Return the evidence as events and lists show it, without its output."""
        return {
            "id": self.id,
            "task_id": self.task_id,
            "mission_id": self.mission_id,
            "name": self.name,
            "kind": str(self.check.kind),
            "check": self.check.as_dict(),
            "definition": self.definition,
            "required": self.required,
            "state": str(self.state),
            "role": str(self.role),
            "place": str(self.place),
            "tree": self.tree,
            "exit_code": self.exit_code,
            "timed_out": self.timed_out,
            "idle": self.idle,
            "flaky": self.flaky,
            "seconds": self.seconds,
            "tests": {"run": self.tests_run, "failed": self.tests_failed, "skipped": self.tests_skipped}
            if self.tests_run is not None
            else None,
            "reason": self.reason,
            "files": list(self.files),
            "reused_from": self.reused_from,
            "host_id": self.host_id,
            "created_at": format_time(self.created_at),
            "started_at": format_time(self.started_at),
            "ended_at": format_time(self.ended_at),
        }
