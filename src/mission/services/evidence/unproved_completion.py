"""Completion without proof: when a reported result need not be checked, and when its checks may be skipped."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import EvidenceState, ProofState
from mission.domain.checks.proof import NO_CHECKS, NOT_SUCCESS, NOTHING_CHANGED
from mission.domain.checks.round import CheckRound, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.errors import InvalidState
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality, Task
from mission.store.transaction import Tx


def is_checked(status: TaskStatus, quality: Quality | None) -> bool:
    """Return whether a reported result must pass the gate: only a full success must."""
    return status is TaskStatus.COMPLETED and quality is Quality.SUCCESS


def why_unchecked(checks: Sequence[CheckDefinition], *, quality: Quality | None, changes: Changes | None) -> str | None:
    """Return why a task is completed without checks; None if its checks must run."""
    if quality is not Quality.SUCCESS:
        return NOT_SUCCESS
    if not checks:
        return NO_CHECKS
    if changes is not None and not changes.paths:
        return NOTHING_CHANGED
    return None


def check_may_skip(tx: Tx, task: Task) -> None:
    """Raise InvalidState unless the task may be completed unproved: its last checks gave no result, and none failed."""
    last = tx.rounds.newest_report(task.id)
    if task.proof_state is ProofState.FAILING or (last is not None and _has_failed(last)):
        raise InvalidState(
            f"task {task.id} cannot be completed with 'unproved': one of its checks failed",
            hint="Fix it, then complete it without 'unproved'. Only a person can accept it as it is.",
            last=str(last.state) if last is not None else None,
        )
    if last is not None and last.state in {RoundState.VOID, RoundState.ERROR}:
        return
    why = "its checks have not finished yet" if last is None or last.is_open else "its last checks gave a result"
    raise InvalidState(
        f"task {task.id} cannot be completed with 'unproved': {why}",
        hint="Complete it without 'unproved', which is allowed only after CHECKS_VOID or CHECKS_ERROR.",
        last=str(last.state) if last is not None else None,
    )


def _has_failed(round: CheckRound) -> bool:
    """Return whether a required check failed in the round, regardless of the others."""
    results = Verdict.from_dict(round.verdict).results if round.verdict is not None else ()
    failed = [each for each in results if each.required and each.state is EvidenceState.FAILED]
    return any(not (round.excuses and each.is_excused) for each in failed)
