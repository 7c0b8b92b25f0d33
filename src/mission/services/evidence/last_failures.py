"""The checks of a task that failed last, for the agent that continues with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.checks.evidence import EvidenceState
from mission.domain.checks.round import RoundState
from mission.domain.checks.verdict import Verdict
from mission.store.transaction import Tx

MAX_ROUNDS = 20
"""How many rounds are read; those that were withdrawn or gave no result do not count."""
MAX_LISTED = 5
MAX_OUTPUT = 1_500
"""How much of a failed check's output is repeated."""
MAX_OUTPUTS = 4_000
"""How much output is repeated for all failed checks of a task together."""
_SAYS_SOMETHING = frozenset({RoundState.PASSED, RoundState.FAILED})


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedCheck:
    """A required check that failed, with the end of its output."""

    name: str
    check: str
    """The command, or the globs."""
    exit_code: int | None
    timed_out: bool
    output: str
    evidence_id: str
    failed_before_too: bool | None
    reason: str | None = None


def failed_last(tx: Tx, *, task_id: str) -> list[FailedCheck]:
    """Return the required checks that failed in the task's last round; empty if they passed or never ran."""
    rounds = tx.rounds.of_task(task_id, limit=MAX_ROUNDS)
    last = next((each for each in rounds if each.state in _SAYS_SOMETHING), None)
    if last is None or last.state is not RoundState.FAILED or last.verdict is None:
        return []
    failed = {
        each.evidence_id: each
        for each in Verdict.from_dict(last.verdict).results
        if each.required and each.state is EvidenceState.FAILED
    }
    rows = [row for row in tx.evidence.of_round(last.id) if row.id in failed][:MAX_LISTED]
    return [
        FailedCheck(
            name=row.name,
            check=row.check.judges,
            exit_code=row.exit_code,
            timed_out=row.timed_out,
            output=_end(row.output, rows),
            evidence_id=row.id,
            failed_before_too=failed[row.id].failed_before,
            reason=row.reason,
        )
        for row in rows
    ]


def _end(output: str, rows: Sequence[object]) -> str:
    """Return as much of the end of an output as each of these rows may have."""
    return output[-min(MAX_OUTPUT, MAX_OUTPUTS // len(rows)) :]
