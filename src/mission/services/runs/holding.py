"""Who drives a run: one daemon at a time, with a lease and a fence."""

from __future__ import annotations

from mission.domain.runs.run import Run
from mission.store.transaction import Tx


def to_drive(tx: Tx, *, host_id: str, holder: str) -> list[str]:
    """List the runs of this host that this daemon drives or may take over."""
    free = [run.id for run in tx.runs.live_on_host(host_id) if run.holder == holder or not run.is_driven(now=tx.now)]
    return [*free, *tx.run_views.ended_with_agents(host_id=host_id)]


def hold(tx: Tx, *, run_id: str, holder: str) -> Run | None:
    """Take a run over, or renew the lease. Return None if it is gone or another daemon drives it."""
    run = tx.runs.find(run_id)
    if run is None or (run.holder != holder and run.is_driven(now=tx.now)):
        return None
    held = run.held_by(holder, at=tx.now)
    is_held = tx.runs.hold(run, holder=holder, until=held.holder_until, fence=held.fence)
    return held if is_held else None


def release(tx: Tx, *, run_id: str, holder: str) -> None:
    """Give a run up, so that another daemon can take it over at once."""
    run = tx.runs.find(run_id)
    if run is not None and run.holder == holder:
        tx.runs.hold(run, holder=None, until=None, fence=run.fence)
