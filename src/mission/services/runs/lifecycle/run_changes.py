"""Write a run: store it, announce it, and what else every change of a run needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.inbox.item import SYSTEM, InboxItem
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run, RunState
from mission.services.inbox import items as inbox
from mission.store.transaction import Tx


def item_key(run: Run, key: str) -> str:
    """Return the key under which a run asks a person about one thing."""
    return f"run {run.id} {key}"


def current(tx: Tx, run: Run) -> Run | None:
    """Return the run as it is now; None if it has ended, or another daemon drives it."""
    now = tx.runs.find(run.id)
    return now if now is not None and now.is_live and now.fence == run.fence else None


def save(tx: Tx, run: Run, **values: Any) -> Run:
    """Store a run with these values and announce it."""
    changed = replace(run, **values, updated_at=tx.now)
    tx.runs.save(changed)
    tx.emit(events.RunUpdated(run=changed))
    return changed


def move(tx: Tx, run: Run, state: RunState, *, reason: str | None = None, **values: Any) -> Run:
    """Move a run to another state and announce it."""
    return save(tx, run.move_to(state, at=tx.now, reason=reason), **values)


def withdraw_candidate(tx: Tx, candidate: Candidate, *, reason: str) -> None:
    """Take a candidate that may still be merged out of the queue."""
    if candidate.is_open:
        gone = replace(candidate, state=CandidateState.WITHDRAWN, reason=reason, updated_at=tx.now)
        tx.candidates.save(gone)
        tx.emit(events.CandidateUpdated(candidate=gone))


def withdraw_items(tx: Tx, run: Run, *, reason: str) -> list[InboxItem]:
    """Close every open question of a run: an answer is no longer needed."""
    found = [
        item
        for item in tx.inbox.open_where(mission_id=run.mission_id)
        if (item.once or "").startswith(item_key(run, ""))
    ]
    return [inbox.close(tx, item.dismissed(by=SYSTEM, at=tx.now, reason=reason)) for item in found]
