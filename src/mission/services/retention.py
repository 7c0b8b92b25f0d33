"""Periodic tidying: events, audit entries, remembered answers and failures that have outlived their time."""

from __future__ import annotations

from datetime import timedelta

from mission.services.work import Work
from mission.store.transaction import Tx

EVERY = timedelta(minutes=10)
KEEP_CALL_KEYS = timedelta(hours=24)
KEEP_INCIDENTS = timedelta(hours=24)
AT_ONCE = 2_000
"""Rows of a kind that one transaction removes: a call that comes meanwhile hardly waits."""


async def tidy(work: Work, *, keep_events: timedelta | None, keep_audit: timedelta | None) -> None:
    """Remove all that is older than its time, if it is this daemon's turn; nothing set keeps everything."""
    if not await work.write(_take_turn):
        return
    while await work.write(_remove_some, keep_events=keep_events, keep_audit=keep_audit):
        pass


def _take_turn(tx: Tx) -> bool:
    return tx.jobs.take("retention", now=tx.now, every=EVERY)


def _remove_some(tx: Tx, *, keep_events: timedelta | None, keep_audit: timedelta | None) -> bool:
    """Remove the oldest, as much as one transaction should; whether there may be more."""
    removed = [
        tx.events.remove_before(tx.now - keep_events, limit=AT_ONCE) if keep_events else 0,
        tx.audit.remove_before(tx.now - keep_audit, limit=AT_ONCE) if keep_audit else 0,
        tx.calls.remove_before(tx.now - KEEP_CALL_KEYS, limit=AT_ONCE),
        tx.incidents.remove_before(tx.now - KEEP_INCIDENTS),
    ]
    return max(removed) >= AT_ONCE
