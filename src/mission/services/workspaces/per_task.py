"""A worktree for each claimed task in a mission or run that requests it: created before the claim, recorded with it.

Its path and branch are derived from the task, so the next owner, or a repeated call whose answer was lost,
finds the worktree that was created for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mission.domain.errors import TransientError
from mission.domain.missions.mission import STARTS_TASKS, Mission
from mission.domain.missions.repository import Repository
from mission.domain.runs.run import Run
from mission.domain.tasks.task import Task
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus, slug
from mission.git.worktrees.creation import CreatedWorktree, WorktreeRequest
from mission.git.worktrees.merge_check import unmerged
from mission.git.worktrees.setup import WorktreeSetup
from mission.services.repositories.working_trees import Report, Trees
from mission.services.work import Work
from mission.services.workspaces import creation
from mission.services.workspaces.creation import WorkspaceDetails
from mission.services.workspaces.slots import with_variables
from mission.store.transaction import Tx

NO_REPOSITORY = "no git repository is known for this workflow, so the task does not have its own worktree"


class WorktreeNotReady(TransientError):
    """Other agents took the tasks that a worktree was ready for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedWorktree:
    """A worktree that is ready for one task; without one, the reason."""

    task_id: str
    host_id: str
    top: str = ""
    created: CreatedWorktree | None = None
    warnings: tuple[str, ...] = ()


PreparedWorktrees = Mapping[str, PreparedWorktree]


@dataclass(frozen=True, kw_only=True, slots=True)
class _WorktreePlan:
    """The facts that are needed to create a task's worktree."""

    repository: Repository | None
    setup: WorktreeSetup
    workspace: Workspace | None
    branch: str
    name: str
    needed: Mapping[str, str]
    """The branches of the tasks that this one depends on."""
    base: str | None = None
    """The branch at whose newest commit it starts; None is what the repository has checked out."""


async def prepare(
    work: Work, trees: Trees, *, task_id: str, agent_id: str | None, report: Report | None = None
) -> PreparedWorktrees:
    """Return the worktree for the task, created if the task should have its own and has none that is usable."""
    plan = await work.read(_plan, task_id=task_id, agent_id=agent_id, host_id=trees.host_id)
    if plan is None:
        return {}
    if plan.repository is None:
        return {task_id: PreparedWorktree(task_id=task_id, host_id=trees.host_id, warnings=(NO_REPOSITORY,))}
    repository = plan.repository
    place = await trees.at(repository.path, host_id=repository.host_id, what="the mission's repository")
    if place.tree.kind != "git":
        return {task_id: PreparedWorktree(task_id=task_id, host_id=trees.host_id, warnings=(NO_REPOSITORY,))}
    top, known = place.tree.path, plan.workspace
    path = Path(known.path) if known is not None else trees.worktree_maker.place_for(top, plan.name)
    request = WorktreeRequest(
        top=top,
        path=path,
        branch=known.branch if known is not None else plan.branch,
        base=known.base_branch if known is not None else plan.base,
        create=True,
        reuse_branch=True,
        setup=await with_variables(work, trees, plan.setup, path=str(path)),
    )
    created = await trees.work(top, trees.worktree_maker.make, request, report=report)
    missing = await trees.work(top, unmerged, top, plan.needed, into=created.branch)
    warnings = (*created.warnings, *(f"{created.branch} lacks the work of {each}: merge it first" for each in missing))
    prepared = PreparedWorktree(
        task_id=task_id, host_id=trees.host_id, top=str(top), created=created, warnings=warnings
    )
    return {task_id: prepared}


def needs_worktree(tx: Tx, mission: Mission, task: Task, worktrees: PreparedWorktrees) -> bool:
    """Return whether the task should have a worktree of its own and none is ready."""
    return _wants_own(tx, mission, task) and task.id not in worktrees


def assign_worktree(
    tx: Tx, mission: Mission, task: Task, worktrees: PreparedWorktrees
) -> tuple[Task, WorkspaceDetails | None]:
    """Return the claimed task and its workspace: the one it has, or the one that was created for it."""
    if not _wants_own(tx, mission, task):
        described = creation.get(tx, workspace_id=task.workspace_id) if task.workspace_id is not None else None
        return task, described
    prepared = worktrees.get(task.id)
    if prepared is None:
        raise WorktreeNotReady
    if prepared.created is None:
        return task, None
    recorded = creation.record(
        tx, mission_id=mission.id, created=prepared.created, top=prepared.top, host_id=prepared.host_id
    )
    workspace = recorded.workspace
    tx.workspaces.assign(task.id, workspace.id, now=tx.now)
    return replace(task, workspace_id=workspace.id), creation.get(tx, workspace_id=workspace.id)


def _wants_own(tx: Tx, mission: Mission, task: Task) -> bool:
    """Return whether to create a worktree for the task: it may run in parallel, and has not started in another tree.

    In a run every task has one on a branch of the run.
    """
    run = run_of(tx, task)
    if run is not None:
        own = tx.workspaces.get(task.workspace_id) if task.workspace_id is not None else None
        return own is None or not _usable(own) or not _is_of_run(own, run)
    if not (mission.auto_create_workspaces and mission.max_parallel > 1):
        return False
    if task.workspace_id is None:
        return task.tree is None
    return not _usable(tx.workspaces.get(task.workspace_id))


def run_of(tx: Tx, task: Task) -> Run | None:
    """Return the run that the task is part of; the work of a child task is part of its parent's."""
    return tx.runs.live_of_mission(task.mission_id) if task.parent_id is None else None


def is_in_run(tx: Tx, *, task_id: str) -> bool:
    """Return whether the task is part of a run that has not ended."""
    task = tx.tasks.find(task_id)
    return task is not None and run_of(tx, task) is not None


def _is_of_run(workspace: Workspace, run: Run) -> bool:
    return workspace.host_id == run.host_id and workspace.branch.startswith(f"{run.branch}.")


def _usable(workspace: Workspace) -> bool:
    return workspace.status is WorkspaceStatus.ACTIVE and workspace.removed_at is None


def _plan(tx: Tx, *, task_id: str, agent_id: str | None, host_id: str) -> _WorktreePlan | None:
    """Return the plan for the task's worktree; None if it needs none, or cannot be claimed anyway."""
    task = tx.tasks.get(task_id)
    mission = tx.missions.get(task.mission_id)
    takes = task.owner_id == agent_id or task.claimable(now=tx.now)
    if not takes or task.waiting_for or mission.status not in STARTS_TASKS:
        return None
    own = tx.workspaces.get(task.workspace_id) if task.workspace_id is not None else None
    usable = own if own is not None and _usable(own) else None
    run = run_of(tx, task)
    if run is not None and usable is not None and not _is_of_run(usable, run):
        usable = None
    if usable is None and not _wants_own(tx, mission, task):
        return None
    if usable is not None and (usable.host_id != host_id or Path(usable.path).is_dir()):
        return None
    name, branch = _names(tx, task)
    plan = _WorktreePlan(
        repository=tx.missions.repository(mission.repository_id) if mission.repository_id else None,
        setup=creation.setup_of(mission),
        workspace=usable,
        branch=branch,
        name=name,
        needed=_needed(tx, task, host_id=host_id) if run is None else {},
    )
    return plan if run is None else _in_run(plan, run, task)


def _in_run(plan: _WorktreePlan, run: Run, task: Task) -> _WorktreePlan:
    """Return the plan for a task of a run: its branch starts at the tip, and the run's own setup goes first."""
    setup = replace(plan.setup, setup=run.wanted.setup or plan.setup.setup)
    return replace(plan, branch=run.task_branch(task.id), base=run.branch, setup=setup)


def _needed(tx: Tx, task: Task, *, host_id: str) -> dict[str, str]:
    found = {}
    for other in tx.plans.dependency_tasks(task.id):
        own = tx.workspaces.get(other.workspace_id) if other.workspace_id is not None else None
        if own is not None and own.host_id == host_id and own.status is WorkspaceStatus.ACTIVE:
            found[f"task {other.id} (branch {own.branch})"] = own.branch
    return found


def _names(tx: Tx, task: Task) -> tuple[str, str]:
    """Return folder and branch of the task's next worktree; earlier ones of the same task keep theirs."""
    words = slug(task.name)
    number = 1
    while True:
        name = task.id if number == 1 else f"{task.id}-{number}"
        branch = f"mission/{words}-{name}" if words else f"mission/{name}"
        if not tx.workspaces.on_branch(task.mission_id, branch):
            return name, branch
        number += 1
