"""Periodic cleanup of expired events, audit entries, observations, stored answers and failures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mission.services.work import Work
from mission.store.transaction import Tx

EVERY = timedelta(minutes=10)
KEEP_CALL_KEYS = timedelta(hours=24)
KEEP_INCIDENTS = timedelta(hours=24)
BATCH = 2_000
"""Rows of a kind that one transaction removes: a concurrent call hardly waits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keep:
    """Retention limits by age and count; anything without a limit is kept forever."""

    events: timedelta | None = None
    audit: timedelta | None = None
    audit_rows: int | None = None
    """Applies at any age: a busy crew writes in a day what others write in a year."""
    observations: timedelta | None = None
    """Counted from the end of their execution."""


async def tidy(work: Work, *, keep: Keep) -> None:
    """Remove everything that exceeds its age or count limit, if it is this daemon's turn."""
    if not await work.write(_take_turn):
        return
    while await work.write(_remove_some, keep=keep):
        pass
    if keep.audit_rows:
        surplus = await work.read(_count_audit) - keep.audit_rows
        while surplus > 0:
            await work.write(_remove_oldest_audit, rows=min(surplus, BATCH))
            surplus -= BATCH


def _take_turn(tx: Tx) -> bool:
    return tx.jobs.take("retention", now=tx.now, every=EVERY)


def _remove_some(tx: Tx, *, keep: Keep) -> bool:
    """Remove the oldest rows, as many as one transaction should. Return whether there may be more."""
    removed = [
        tx.events.remove_before(tx.now - keep.events, limit=BATCH) if keep.events else 0,
        tx.audit.remove_before(tx.now - keep.audit, limit=BATCH) if keep.audit else 0,
        tx.observations.remove_before(tx.now - keep.observations, limit=BATCH) if keep.observations else 0,
        tx.calls.remove_before(tx.now - KEEP_CALL_KEYS, limit=BATCH),
        tx.incidents.remove_before(tx.now - KEEP_INCIDENTS),
    ]
    return max(removed) >= BATCH


def _count_audit(tx: Tx) -> int:
    return tx.audit.count()


def _remove_oldest_audit(tx: Tx, *, rows: int) -> None:
    tx.audit.remove_before(tx.now, limit=rows)
