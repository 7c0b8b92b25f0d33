"""Delete a mission together with the worktrees in which its runs were checked."""

from __future__ import annotations

from mission.domain.missions.mission import Mission
from mission.domain.runs.run import Run
from mission.services.missions import creation
from mission.services.runs.context import RunContext
from mission.services.runs.worktrees.discarding import discard_worktrees
from mission.store.transaction import Tx

MAX_RUNS = 1_000


async def remove(context: RunContext, *, mission_id: str) -> Mission:
    """Delete an ended mission. Branches of its runs stay: they may hold work that is nowhere else."""
    runs = await context.work.read(_runs, mission_id=mission_id)
    deleted = await creation.remove(context.work, context.launcher, mission_id=mission_id)
    for run in runs:
        if run.host_id == context.host_id:
            await discard_worktrees(context, run)
    return deleted


def _runs(tx: Tx, *, mission_id: str) -> list[Run]:
    return tx.runs.page(mission_id=mission_id, states=None, limit=MAX_RUNS, after=None)
