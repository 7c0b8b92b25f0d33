"""Reuse of evidence: a check that passed on the same tree is not run again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mission.domain import events
from mission.domain.checks.evidence import Evidence, EvidenceState, Role
from mission.domain.checks.round import CheckRound
from mission.domain.checks.verdict import NextTry
from mission.store.transaction import Tx

REUSED_FOR = timedelta(days=1)
"""How long passed evidence may be used again for the same definition, tree and place."""


def find_earlier(tx: Tx, round: CheckRound, wanted: NextTry) -> Evidence | None:
    """Return passed evidence that this try can use instead of running, if there is any."""
    can_reuse = wanted.defined.check.reuse and round.uses_earlier and wanted.role is Role.RESULT
    if not can_reuse or round.tree is None:
        return None
    return tx.evidence.reusable(
        definition=wanted.defined.definition,
        tree=round.tree,
        place=round.place,
        setup=round.setup,
        host_id=round.host_id,
        since=tx.now - REUSED_FOR,
    )


def reuse_queued(tx: Tx, round: CheckRound, rows: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence of a round; a check that passed elsewhere while it waited for its turn need not run."""
    return [_reused(tx, round, row, rows) for row in rows]


def _reused(tx: Tx, round: CheckRound, row: Evidence, rows: Sequence[Evidence]) -> Evidence:
    tries = [each for each in rows if (each.name, each.take, each.role) == (row.name, round.take, Role.RESULT)]
    defined = next((each for each in round.defined if each.definition == row.definition), None)
    if row.state is not EvidenceState.QUEUED or tries != [row] or defined is None:
        return row
    earlier = find_earlier(tx, round, NextTry(defined=defined, role=row.role))
    if earlier is None:
        return row
    reused = row.reusing(earlier, at=tx.now)
    tx.evidence.save(reused)
    tx.emit(events.EvidenceUpdated(evidence=reused))
    return reused
