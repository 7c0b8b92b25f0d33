"""Follow the integration branch: list commits of others, record merges that a crash left, restore a lost branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.changes import Commit
from mission.git.integration.branch_refs import move_branch
from mission.git.integration.integration_branch import contains, foreign_commits
from mission.git.worktrees.worktree import tip_of
from mission.services.runs.context import RunContext
from mission.services.runs.merging import merged_rows
from mission.services.runs.merging.step_guard import current_run, save_run
from mission.store.transaction import Tx

MAX_LISTED = 500
DIVERGED = (
    "the branch '{branch}' was moved to {real}, which does not contain what was merged. "
    "Move it back: git branch -f {branch} {tip}"
)


async def follow(context: RunContext, run: Run) -> Run | None:
    """Return the run with the tip that its branch really has; None if nothing can be merged upon it."""
    top = Path(run.repository)
    now = await context.work.read(current_run, run=run)
    if now is None:
        return None
    real = await context.trees.work(top, tip_of, top, now.branch)
    if real == now.tip:
        return now
    if real is None or await context.trees.work(top, contains, top, tip=now.tip, commit=real):
        # It was deleted or moved back: nothing of anybody's is lost if it is put where it was.
        await context.trees.work(top, move_branch, top, now.branch, new=now.tip, old=real, why="restore")
        return now
    if not await context.trees.work(top, contains, top, tip=real, commit=now.tip):
        await context.work.write(_stop, run=now, real=real)
        return None
    ours = await context.work.read(_built, run=now)
    merged = [each for each in ours if await context.trees.work(top, contains, top, tip=real, commit=_merge(each))]
    known = [_merge(each) for each in ours]
    foreign = await context.trees.work(top, foreign_commits, top, since=now.tip, tip=real, known=known)
    snapshots = await context.work.write(_follow, run=now, real=real, merged=merged, foreign=foreign)
    for each in snapshots:
        await context.trees.forget(each)
    return await context.work.read(current_run, run=run)


def _merge(candidate: Candidate) -> str:
    return candidate.merge_commit or ""


def _built(tx: Tx, *, run: Run) -> list[Candidate]:
    """Return the candidates whose merge commit exists, oldest first."""
    return [each for each in tx.candidates.of_run(run.id) if each.merge_commit is not None]


def _follow(
    tx: Tx, *, run: Run, real: str, merged: Sequence[Candidate], foreign: Sequence[Commit]
) -> list[merged_rows.Snapshots]:
    now = current_run(tx, run)
    if now is None or now.tip != run.tip:
        return []
    left = [each.id for each in merged if each.state is CandidateState.CHECKED]
    snapshots = merged_rows.record(tx, run=now, candidate_ids=left, tip=real) if left else []
    listed = [*now.foreign_commits, *({"commit": each.id, "subject": each.subject} for each in foreign)]
    save_run(tx, replace(tx.runs.get(run.id), tip=real, foreign_commits=listed[:MAX_LISTED]))
    return snapshots


def _stop(tx: Tx, *, run: Run, real: str) -> None:
    now = current_run(tx, run)
    reason = DIVERGED.format(branch=run.branch, real=real[:12], tip=run.tip[:12])
    if now is not None and now.merging_stopped != reason:
        save_run(tx, replace(now, merging_stopped=reason))
