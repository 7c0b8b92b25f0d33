"""Use cases of workspaces: create or register one, assign tasks to it, and read its state."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mission.domain import events
from mission.domain.errors import Conflict, InvalidInput, InvalidState, MissionError
from mission.domain.ids import new_id
from mission.domain.missions.mission import Mission
from mission.domain.missions.repository import Repository
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus, check_place
from mission.git.worktrees.creation import CreatedWorktree, WorktreeRequest
from mission.git.worktrees.removal import WorktreeToRemove
from mission.git.worktrees.setup import WorktreeSetup
from mission.git.worktrees.worktree import WorktreeState, state_of
from mission.services.repositories.working_trees import Report, Trees
from mission.services.work import Work
from mission.services.workspaces.slots import with_variables
from mission.store.transaction import Tx

ASSIGNABLE = frozenset({TaskStatus.PENDING, TaskStatus.PLANNING, TaskStatus.FAILED})
"""States in which a task may be assigned to another workspace: no agent works on its files."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewWorkspace:
    """The fields that a caller gives for a new workspace."""

    mission_id: str
    path: str
    branch: str
    base_branch: str | None = None
    task_ids: Sequence[str] = ()
    create: bool | None = None
    setup: WorktreeSetup | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceDetails:
    """A workspace with the tasks that are done in it, and its state if requested."""

    workspace: Workspace
    task_ids: Sequence[str]
    state: WorktreeState | None = None
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceOrigin:
    """The facts that are needed before git is called."""

    mission: Mission
    repository: Repository | None
    reuse_branch: bool


async def create(
    work: Work,
    trees: Trees,
    *,
    wanted: NewWorkspace,
    agent_id: str | None,
    report: Report | None,
    record: Callable[..., WorkspaceDetails],
) -> WorkspaceDetails:
    """Register the worktree at the path, or create it first if requested.

    `record` does what the function of that name does, and more in the same transaction.
    """
    path = Path(os.path.realpath(check_place(wanted.path)))
    origin = await work.read(_origin, wanted=wanted, path=str(path), host_id=trees.host_id, agent_id=agent_id)
    mission = origin.mission
    top = await _top(trees, origin, path)
    request = WorktreeRequest(
        top=top,
        path=path,
        branch=wanted.branch,
        base=wanted.base_branch,
        create=mission.auto_create_workspaces if wanted.create is None else wanted.create,
        reuse_branch=origin.reuse_branch,
        setup=await with_variables(work, trees, wanted.setup or setup_of(mission), path=str(path)),
    )
    created = await trees.work(top, trees.worktree_maker.make, request, report=report)
    return await work.finish(record, mission_id=mission.id, created=created, top=str(top), host_id=trees.host_id)


async def list_with_state(trees: Trees, found: Sequence[WorkspaceDetails]) -> list[WorkspaceDetails]:
    """Return the workspaces with their states. One that cannot be read has none, and hides no other."""

    async def tried(each: WorkspaceDetails) -> WorkspaceDetails:
        try:
            return await with_state(trees, each)
        except (OSError, MissionError):
            return each

    return list(await asyncio.gather(*map(tried, found)))


async def with_state(trees: Trees, found: WorkspaceDetails) -> WorkspaceDetails:
    """Return the workspace with its state; one of another host, or a removed one, as it is recorded."""
    workspace = found.workspace
    if workspace.host_id != trees.host_id or workspace.removed_at is not None:
        return found
    tree = worktree_to_remove(workspace)
    if not tree.top.is_dir():
        return replace(found, state=WorktreeState(exists=False))
    state = await trees.work(
        tree.top,
        state_of,
        tree.top,
        tree.path,
        branch=tree.branch,
        base=workspace.base_branch,
        copied=tree.copied,
    )
    return replace(found, state=state)


def record(
    tx: Tx,
    *,
    mission_id: str,
    created: CreatedWorktree,
    top: str,
    host_id: str,
) -> WorkspaceDetails:
    """Register an existing worktree; a known one stays as it is."""
    workspace = _known(tx, mission_id=mission_id, path=str(created.path), host_id=host_id)
    if workspace is None:
        workspace = Workspace(
            id=new_id("workspace"),
            mission_id=tx.missions.get(mission_id).id,
            host_id=host_id,
            repository_path=top,
            path=str(created.path),
            branch=created.branch,
            base_branch=created.base,
            copied=dict(created.copied) or None,
            created_at=tx.now,
            updated_at=tx.now,
        )
        tx.workspaces.add(workspace)
        tx.emit(events.WorkspaceCreated(workspace=workspace))
    return replace(get(tx, workspace_id=workspace.id), warnings=created.warnings)


def get(tx: Tx, *, workspace_id: str) -> WorkspaceDetails:
    """Return the workspace and its tasks."""
    workspace = tx.workspaces.get(workspace_id)
    return WorkspaceDetails(workspace=workspace, task_ids=tx.workspaces.task_ids([workspace.id])[workspace.id])


def list_workspaces(
    tx: Tx,
    *,
    mission_id: str | None,
    statuses: Sequence[WorkspaceStatus] | None,
    removed: bool,
    limit: int,
    offset: int,
) -> tuple[list[WorkspaceDetails], int]:
    """Return a page of workspaces, newest first, and how many there are in all."""
    if mission_id is not None:
        tx.missions.get(mission_id)
    found, total = tx.workspaces.page(
        mission_id=mission_id, statuses=statuses, removed=removed, limit=limit, offset=offset
    )
    tasks = tx.workspaces.task_ids([workspace.id for workspace in found])
    return [WorkspaceDetails(workspace=workspace, task_ids=tasks[workspace.id]) for workspace in found], total


def worktree_to_remove(workspace: Workspace) -> WorktreeToRemove:
    return WorktreeToRemove(
        top=Path(workspace.repository_path),
        path=Path(workspace.path),
        branch=workspace.branch,
        copied=workspace.copied or {},
    )


def setup_of(mission: Mission) -> WorktreeSetup:
    """Return the setup that the mission defines for each new worktree."""
    wanted = mission.workspace_setup or {}
    return WorktreeSetup(setup=wanted.get("setup"), copy=tuple(wanted.get("copy") or ()))


def _origin(tx: Tx, *, wanted: NewWorkspace, path: str, host_id: str, agent_id: str | None) -> WorkspaceOrigin:
    """Check everything that would refuse the workspace later, before git does anything."""
    mission = tx.missions.get(wanted.mission_id)
    known = _known(tx, mission_id=mission.id, path=path, host_id=host_id)
    for task_id in wanted.task_ids:
        task = tx.tasks.get(task_id)
        if task.mission_id != mission.id:
            raise InvalidInput(
                f"task_ids: {task.id} belongs to {task.mission_id}, not to {mission.id}",
                hint="Give tasks of this workflow.",
                field="task_ids",
            )
        task.check_owner(agent_id)
        if (known is None or task.workspace_id != known.id) and task.tree != path:
            task.check_one_of(ASSIGNABLE, "assigned to another workspace")
    earlier = tx.workspaces.on_branch(mission.id, wanted.branch)
    return WorkspaceOrigin(
        mission=mission,
        repository=tx.missions.repository(mission.repository_id) if mission.repository_id else None,
        reuse_branch=any(each.host_id == host_id for each in earlier),
    )


def _known(tx: Tx, *, mission_id: str, path: str, host_id: str) -> Workspace | None:
    """Return the workspace that is already at the path, if this mission may continue to use it."""
    known = tx.workspaces.at(host_id=host_id, path=path)
    if known is None:
        return None
    if known.mission_id != mission_id:
        raise Conflict(
            f"path: already used by workspace {known.id} of {known.mission_id}",
            hint="Choose another path, or remove that workspace first.",
            workspace_id=known.id,
        )
    known.check_usable()
    return known


async def _top(trees: Trees, origin: WorkspaceOrigin, path: Path) -> Path:
    """Return the tree that the worktree belongs to: the mission's, or if none is known, the worktree itself."""
    if origin.repository is not None:
        place = await trees.at(origin.repository.path, host_id=origin.repository.host_id, what="the repository")
    elif path.is_dir():
        place = await trees.at(str(path), host_id=trees.host_id, what="the worktree")
    else:
        raise InvalidState(
            f"mission {origin.mission.id} has no repository to create a worktree from",
            hint="Create the workflow with a repository_path, or register an existing worktree.",
        )
    if place.tree.kind != "git":
        raise InvalidState(
            "the mission works in a folder that is not a git repository, so it cannot have worktrees",
            hint="Run 'git init' there and make a first commit.",
        )
    return place.tree.path
