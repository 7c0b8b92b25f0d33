"""The final checks of a run as people read them: the result of each, also while they run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mission.domain.checks.evidence import Evidence, Role
from mission.domain.runs.run import Run
from mission.store.transaction import Tx


def final_checks(tx: Tx, run: Run) -> dict[str, Any] | None:
    """Return the final checks of a run as they are now; None before they are due."""
    if run.final is None:
        return None
    round = tx.rounds.find(run.final.get("round_id") or "")
    results = (round.verdict or {}).get("results") if round is not None else None
    running = tx.evidence.of_round(round.id) if round is not None and results is None else []
    return {
        **run.final,
        "state": str(round.state) if round is not None else None,
        "checks": [dict(each) for each in results] if results is not None else _newest(running),
    }


def _newest(rows: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Return the newest try of each check of a round that is not settled."""
    newest = {row.name: row for row in rows if row.role is Role.RESULT}
    return [
        {"name": name, "state": str(row.state), "required": row.required, "seconds": row.seconds, "evidence_id": row.id}
        for name, row in newest.items()
    ]
