"""Prepare a start: find the mission and the tree, and take the tree's snapshot, before anything is recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from mission.domain.errors import InvalidInput, MissionError
from mission.domain.missions.mission import Mission
from mission.domain.missions.repository import Repository
from mission.domain.tasks.task import CallerType, Task
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus
from mission.git.snapshot import Snapshot
from mission.services.repositories import current_mission
from mission.services.repositories.working_trees import Report, TreeLocation, Trees
from mission.services.work import Work
from mission.services.workspaces import per_task as housing
from mission.services.workspaces.per_task import PreparedWorktree, PreparedWorktrees
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRequest:
    """The task that a caller wants to start: a new one, or an existing one."""

    mission_id: str | None = None
    task_id: str | None = None
    phase_id: str | None = None
    phase: int | None = None
    phase_name: str | None = None
    parent_id: str | None = None
    name: str | None = None
    goal: str | None = None
    areas: Sequence[str] = ()
    caller_type: CallerType | None = None
    agent_name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedStart:
    """The mission, the tree and the tree's snapshot of a task that is about to start."""

    mission_id: str
    place: TreeLocation | None
    snapshot: Snapshot | None
    fresh: bool
    """True if the snapshot was taken for this start."""
    task: Task | None = None
    """The task, if it already exists."""
    houses: PreparedWorktrees = field(default_factory=dict)
    """The worktree that was created for the task."""

    @asynccontextmanager
    async def kept_by(self, trees: Trees) -> AsyncIterator[None]:
        """Record the start inside this context; a snapshot that is not needed is dropped when the start is refused."""
        try:
            yield
        except MissionError:
            if self.snapshot is not None and self.fresh:
                await trees.forget({str(self.snapshot.path): self.snapshot.as_dict()})
            raise


@dataclass(frozen=True, kw_only=True, slots=True)
class _StartFacts:
    """The facts that are needed before a tree can be chosen."""

    mission: Mission
    repository: Repository | None
    task: Task | None
    workspace: Workspace | None


async def prepare(
    work: Work,
    trees: Trees,
    *,
    wish: TaskRequest,
    repository_path: str | None,
    directory: str | None,
    report: Report | None = None,
    hands_out: bool = False,
) -> PreparedStart:
    """Prepare a start; `begin` records it. A task that is claimed by it may get a worktree of its own."""
    named = await trees.named(repository_path)
    houses: PreparedWorktrees = {}
    if hands_out and named is None and wish.task_id is not None:
        houses = await housing.prepare(work, trees, task_id=wish.task_id, agent_id=None, report=report)
    named = named or await _new_place(trees, houses.get(wish.task_id or ""))
    ground = await _ground(work, trees, wish=wish, named=named, directory=directory)
    place = named or await _usual_place(trees, ground, directory=directory)
    kept = _kept_snapshot(ground.task, place)
    snapshot = kept or (await trees.snapshot(place, report=report) if place is not None else None)
    return PreparedStart(
        mission_id=ground.mission.id,
        place=place,
        snapshot=snapshot,
        fresh=kept is None,
        task=ground.task,
        houses=houses,
    )


async def look_for_directory(
    work: Work, trees: Trees, *, task_id: str, repository_path: str | None, directory: str | None
) -> str | None:
    """Return where a task would be done if it were claimed now; a missing worktree would be created again."""
    named = await trees.named(repository_path)
    ground = await _ground(work, trees, wish=TaskRequest(task_id=task_id), named=named, directory=directory)
    workspace = ground.workspace
    if named is None and workspace is not None and workspace.status is WorkspaceStatus.ACTIVE:
        trees.check_host(workspace.host_id, what=f"workspace {workspace.id}")
        return workspace.path
    place = named or await trees.of_mission(ground.repository, directory=directory)
    return str(place.tree.path) if place is not None else None


async def _ground(
    work: Work, trees: Trees, *, wish: TaskRequest, named: TreeLocation | None, directory: str | None
) -> _StartFacts:
    if wish.task_id is not None or wish.mission_id is not None:
        return await work.read(_known_ground, wish=wish)
    mission = await current_mission.newest_here(work, trees, named=named, directory=directory)
    return await work.read(_known_ground, wish=replace(wish, mission_id=mission.id))


def _known_ground(tx: Tx, *, wish: TaskRequest) -> _StartFacts:
    task = tx.tasks.get(wish.task_id) if wish.task_id is not None else None
    if task is not None and wish.mission_id not in (None, task.mission_id):
        raise InvalidInput(
            f"task_id: {task.id} belongs to mission {task.mission_id}", hint="Omit mission_id.", field="task_id"
        )
    mission = tx.missions.get(task.mission_id if task is not None else wish.mission_id or "")
    workspace = tx.workspaces.get(task.workspace_id) if task is not None and task.workspace_id is not None else None
    return _StartFacts(mission=mission, repository=_repository_of(tx, mission), task=task, workspace=workspace)


async def _new_place(trees: Trees, house: PreparedWorktree | None) -> TreeLocation | None:
    if house is None or house.made is None:
        return None
    return await trees.at(str(house.made.path), host_id=house.host_id, what="the worktree")


async def _usual_place(trees: Trees, ground: _StartFacts, *, directory: str | None) -> TreeLocation | None:
    """Return the default tree of a task: its workspace, the caller's directory, or the repository."""
    workspace = ground.workspace
    if workspace is None or workspace.status is not WorkspaceStatus.ACTIVE:
        return await trees.of_mission(ground.repository, directory=directory)
    return await trees.workspace(workspace)


def _repository_of(tx: Tx, mission: Mission) -> Repository | None:
    return tx.missions.repository(mission.repository_id) if mission.repository_id else None


def _kept_snapshot(task: Task | None, place: TreeLocation | None) -> Snapshot | None:
    """Return the snapshot to compare with at the end: a task keeps its first one of each tree."""
    if task is None or place is None:
        return None
    kept = (task.snapshots or {}).get(str(place.tree.path))
    return Snapshot.from_dict(kept) if kept is not None else None
