"""Periodic tidying: events, audit entries, remembered answers and failures that have outlived their time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mission.store.transaction import Tx

EVERY = timedelta(minutes=10)
KEEP_CALL_KEYS = timedelta(hours=24)
KEEP_INCIDENTS = timedelta(hours=24)
AT_ONCE = 10_000
"""Events that one run removes; what is left goes with the next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Removed:
    events: int = 0
    audit: int = 0
    call_keys: int = 0
    incidents: int = 0


def tidy(tx: Tx, *, keep_events: timedelta | None, keep_audit: timedelta | None) -> Removed:
    """Remove what is older than its time, if it is this daemon's turn; nothing set keeps everything."""
    if not tx.jobs.take("retention", now=tx.now, every=EVERY):
        return Removed()
    return Removed(
        events=tx.events.remove_before(tx.now - keep_events, limit=AT_ONCE) if keep_events else 0,
        audit=tx.audit.remove_before(tx.now - keep_audit) if keep_audit else 0,
        call_keys=tx.calls.remove_before(tx.now - KEEP_CALL_KEYS),
        incidents=tx.incidents.remove_before(tx.now - KEEP_INCIDENTS),
    )
