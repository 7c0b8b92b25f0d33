"""The worktree of a task in a run: where it is, and how it is rebuilt from its branch if somebody deleted it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mission.domain.runs.run import Run
from mission.domain.tasks.task import Task
from mission.git.repository_guard import git_dir_at
from mission.git.worktrees.creation import WorktreeRequest
from mission.git.worktrees.setup import SetupFailed, WorktreeSetup
from mission.services.runs.context import RunContext
from mission.services.workspaces import creation
from mission.services.workspaces.slots import with_variables
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskWorktree:
    """The place where the work of a task is."""

    top: Path
    path: Path | None
    """None if it has no worktree yet."""
    branch: str
    setup: WorktreeSetup
    name: str
    copied: Sequence[str] = ()
    """Files that were copied into it: not work."""


def find(tx: Tx, run: Run, task: Task) -> TaskWorktree:
    """Return the worktree of a task as it is recorded."""
    mission = tx.missions.get(task.mission_id)
    setup = setup_of(run, creation.setup_of(mission))
    plain = TaskWorktree(
        top=Path(run.repository), path=None, branch=run.task_branch(task.id), setup=setup, name=task.id
    )
    workspace = tx.workspaces.get(task.workspace_id) if task.workspace_id is not None else None
    if workspace is None or workspace.host_id != run.host_id or not workspace.branch.startswith(f"{run.branch}."):
        return plain
    return replace(plain, path=Path(workspace.path), branch=workspace.branch, copied=tuple(workspace.copied or {}))


def setup_of(run: Run, of_mission: WorktreeSetup) -> WorktreeSetup:
    """Return how worktrees of the run are prepared: its own command goes before the mission's."""
    return replace(of_mission, setup=run.wanted.setup or of_mission.setup)


async def ready(context: RunContext, run: Run, found: TaskWorktree) -> Path:
    """Return the folder of a task's worktree; one that is gone is rebuilt from its branch."""
    path = found.path or context.trees.worktree_maker.place_for(found.top, found.name)
    if path.is_dir() and git_dir_at(path) is not None:
        return path
    if path.exists():
        path.rename(_free_name(path))  # what it contains is not ours to delete
    setup = await with_variables(context.work, context.trees, found.setup, path=str(path))
    try:
        await _make(context, run, found, path, setup)
    except SetupFailed:
        await _make(context, run, found, path, replace(setup, setup=None))
    return path


async def _make(context: RunContext, run: Run, found: TaskWorktree, path: Path, setup: WorktreeSetup) -> None:
    request = WorktreeRequest(
        top=found.top,
        path=path,
        branch=found.branch,
        base=run.branch,
        create=True,
        reuse_branch=True,
        setup=setup,
    )
    await context.trees.work(found.top, context.trees.worktree_maker.make, request)


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.lost-{number}")).exists():
        number += 1
    return aside
