"""Clean up after a landing: remove worktrees and branches whose work has landed, keep and list all others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mission.domain.runs.run import Run
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus
from mission.git.integration.cleaning import Cleaned, clean
from mission.git.worktrees.worktree import tip_of
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import run_changes, run_view
from mission.services.runs.worktrees.discarding import discard_worktrees
from mission.services.workspaces import closing
from mission.services.workspaces.creation import worktree_to_remove
from mission.store.transaction import Tx

MANY = 10_000


async def clean_up(context: RunContext, run: Run) -> None:
    """Remove what is no longer needed, and record what was kept. A repeated call continues."""
    if (run.landing or {}).get("cleaned"):
        return
    top = Path(run.repository)
    await discard_worktrees(context, run)
    workspaces, branches = await context.work.read(_own, run_id=run.id)
    cleaned = await context.trees.work(
        top,
        clean,
        top,
        landed=(run.landing or {})["commit"],
        tip=run.tip,
        worktrees=[worktree_to_remove(each) for each in workspaces],
        branches=await context.trees.work(top, _existing, top, branches),
    )
    await context.work.write(_record, run_id=run.id, workspaces=workspaces, cleaned=cleaned)


def _existing(top: Path, branches: Sequence[str]) -> list[str]:
    return [each for each in branches if tip_of(top, each) is not None]


def _own(tx: Tx, *, run_id: str) -> tuple[list[Workspace], list[str]]:
    """Return the worktrees of the run's tasks that still exist, and the branches of the run."""
    run = tx.runs.get(run_id)
    found, _ = tx.workspaces.page(mission_id=run.mission_id, statuses=None, removed=False, limit=MANY, offset=0)
    tasks = [run.task_branch(task.id) for task in run_view.tasks_of(tx, run.mission_id)]
    mine = [each for each in found if each.branch in set(tasks) and each.host_id == run.host_id]
    return mine, [*tasks, run.branch]


def _record(tx: Tx, *, run_id: str, workspaces: Sequence[Workspace], cleaned: Cleaned) -> None:
    run = tx.runs.get(run_id)
    commit = (run.landing or {})["commit"]
    gone = set(cleaned.worktrees)
    for workspace in workspaces:
        if workspace.path in gone:
            closing.record_status(
                tx, workspace_id=workspace.id, status=WorkspaceStatus.MERGED, commit=commit, kept_branch=None
            )
            closing.record_removal(tx, workspace_id=workspace.id, kept_branch=None)
    landing = {
        **(run.landing or {}),
        "cleaned": True,
        "removed": [*cleaned.worktrees, *cleaned.branches],
        "kept": [{"name": each.name, "reason": each.reason} for each in cleaned.kept],
    }
    run_changes.save(tx, run, landing=landing)
