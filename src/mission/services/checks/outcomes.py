"""Turns the end of a check's process, and what it did to the tree, into an outcome."""

from __future__ import annotations

from collections.abc import Collection

from mission.domain.checks.evidence import EvidenceState, Outcome, Role
from mission.domain.checks.junit import TestCounts
from mission.domain.plural import counted
from mission.git.tree_identity import TreeDrift
from mission.services.checks.check_runner import CheckExit

NOT_RUNNABLE = {126: "the command is not executable (exit code 126)", 127: "the command was not found (exit code 127)"}
KILLED_BY = frozenset({"SIGKILL", "SIGTERM"})
KILLED_CODE = 137
"""What a shell returns when the command that it ran was killed."""
MAX_FILES = 100
MAX_NAMED = 5
MAX_LEFT_FILES = 1_000
"""How many files that a check left behind are remembered; any others count as changes by the task."""


def outcome_of(
    end: CheckExit,
    *,
    drift: TreeDrift | str,
    tests: TestCounts | None,
    role: Role,
    changed: Collection[str] = (),
    is_ours: bool = False,
) -> Outcome:
    """Return the outcome of one try. `drift` is a string with the reason if the tree could not be compared.

    A file that git tracks, or that the task `changed`, may not change while the check runs. An untracked file that was
    there before the task is the check's own business, as is one that it leaves behind. In a worktree that `is_ours`
    nobody but the check can have changed a file, so that it failed.
    """
    reason = None
    files: list[str] = []
    if isinstance(drift, TreeDrift) and role is Role.RESULT:
        files = [path for path in drift.modified if path not in drift.untracked or path in changed]
    if files and is_ours:
        named = ", ".join(files[:MAX_NAMED]) + (" …" if len(files) > MAX_NAMED else "")
        state, reason = EvidenceState.FAILED, f"it changed {counted(len(files), 'tracked file')}: {named}"
    elif files:
        state, reason = EvidenceState.VOID, f"{counted(len(files), 'file')} changed while it ran"
    else:
        state, reason = state_of(end)
        if role is not Role.RESULT and _was_killed(end):
            state, reason = EvidenceState.LOST, "it was killed, which says nothing about the tree before the task"
        if isinstance(drift, str) and state in {EvidenceState.PASSED, EvidenceState.FAILED}:
            state, reason = EvidenceState.ERROR, drift
    left = {**drift.untracked, **drift.left} if isinstance(drift, TreeDrift) else {}
    return Outcome(
        state=state,
        exit_code=end.exit_code,
        timed_out=end.timed_out,
        idle=end.idle,
        seconds=round(end.seconds, 3),
        output=end.tail,
        output_bytes=end.output_bytes,
        tests=tests,
        reason=reason,
        files=files[:MAX_FILES],
        left=dict([each for each in left.items() if each[0] not in changed][:MAX_LEFT_FILES]),
    )


def _was_killed(end: CheckExit) -> bool:
    """Return whether somebody else ended the command, for example the system when memory ran out.

    On the tree before a task, that is not the failure that would excuse or prove the task.
    """
    return end.signal in KILLED_BY or end.exit_code == KILLED_CODE


def state_of(end: CheckExit) -> tuple[EvidenceState, str | None]:
    """Return the state for the end of the process, and the reason if the exit code does not show it."""
    if end.lost:
        return EvidenceState.LOST, "the process that ran it is gone"
    if end.error is not None:
        return EvidenceState.ERROR, end.error
    if end.stopped:
        return EvidenceState.LOST, "it was stopped"
    if end.timed_out:
        return EvidenceState.FAILED, "it timed out"
    if end.idle:
        return EvidenceState.FAILED, "it used no CPU for five minutes while other checks waited"
    if end.exit_code in NOT_RUNNABLE:
        return EvidenceState.ERROR, NOT_RUNNABLE[end.exit_code]
    if end.passed:
        return EvidenceState.PASSED, None
    return EvidenceState.FAILED, f"ended by {end.signal}" if end.signal else None
