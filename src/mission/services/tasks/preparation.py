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
from mission.services.evidence.left_files import left_in
from mission.services.repositories import current_mission
from mission.services.repositories.working_trees import Report, TreeLocation, Trees
from mission.services.work import Work
from mission.services.workspaces import per_task
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
    worktrees: PreparedWorktrees = field(default_factory=dict)
    """The worktree that was created for the task."""

    @asynccontextmanager
    async def dropped_if_refused(self, trees: Trees) -> AsyncIterator[None]:
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
    request: TaskRequest,
    repository_path: str | None,
    directory: str | None,
    report: Report | None = None,
    hands_out: bool = False,
) -> PreparedStart:
    """Prepare a start, before it is recorded. A task that is claimed by it may get a worktree of its own."""
    named = await trees.named(repository_path)
    worktrees: PreparedWorktrees = {}
    if request.task_id is not None and await work.read(per_task.is_in_run, task_id=request.task_id):
        hands_out, named = True, None  # what is merged is the work in the task's own worktree
    if hands_out and named is None and request.task_id is not None:
        worktrees = await per_task.prepare(work, trees, task_id=request.task_id, agent_id=None, report=report)
    named = named or await _new_place(trees, worktrees.get(request.task_id or ""))
    facts = await _read_facts(work, trees, request=request, named=named, directory=directory)
    place = named or await _usual_place(trees, facts, directory=directory)
    stored = _stored_snapshot(facts.task, place)
    snapshot = stored or (await _snapshot(work, trees, place, report=report) if place is not None else None)
    return PreparedStart(
        mission_id=facts.mission.id,
        place=place,
        snapshot=snapshot,
        fresh=stored is None,
        task=facts.task,
        worktrees=worktrees,
    )


async def _snapshot(work: Work, trees: Trees, place: TreeLocation, *, report: Report | None) -> Snapshot:
    """Take the tree as the task finds it. What checks of earlier tasks left there is not part of it."""
    left = await left_in(work, host_id=trees.host_id, path=str(place.tree.path))
    return await trees.snapshot(place, ignore=left, report=report)


async def find_directory(
    work: Work, trees: Trees, *, task_id: str, repository_path: str | None, directory: str | None
) -> str | None:
    """Return where a task would be done if it were claimed now; a missing worktree would be created again."""
    named = await trees.named(repository_path)
    facts = await _read_facts(work, trees, request=TaskRequest(task_id=task_id), named=named, directory=directory)
    workspace = facts.workspace
    if named is None and workspace is not None and workspace.status is WorkspaceStatus.ACTIVE:
        trees.check_host(workspace.host_id, what=f"workspace {workspace.id}")
        return workspace.path
    place = named or await trees.of_mission(facts.repository, directory=directory)
    return str(place.tree.path) if place is not None else None


async def _read_facts(
    work: Work, trees: Trees, *, request: TaskRequest, named: TreeLocation | None, directory: str | None
) -> _StartFacts:
    if request.task_id is not None or request.mission_id is not None:
        return await work.read(_facts, request=request)
    mission = await current_mission.newest_here(work, trees, named=named, directory=directory)
    return await work.read(_facts, request=replace(request, mission_id=mission.id))


def _facts(tx: Tx, *, request: TaskRequest) -> _StartFacts:
    task = tx.tasks.get(request.task_id) if request.task_id is not None else None
    if task is not None and request.mission_id not in (None, task.mission_id):
        raise InvalidInput(
            f"task_id: {task.id} belongs to mission {task.mission_id}", hint="Omit mission_id.", field="task_id"
        )
    mission = tx.missions.get(task.mission_id if task is not None else request.mission_id or "")
    workspace = tx.workspaces.get(task.workspace_id) if task is not None and task.workspace_id is not None else None
    return _StartFacts(mission=mission, repository=_repository_of(tx, mission), task=task, workspace=workspace)


async def _new_place(trees: Trees, worktree: PreparedWorktree | None) -> TreeLocation | None:
    if worktree is None or worktree.created is None:
        return None
    return await trees.at(str(worktree.created.path), host_id=worktree.host_id, what="the worktree")


async def _usual_place(trees: Trees, facts: _StartFacts, *, directory: str | None) -> TreeLocation | None:
    """Return the default tree of a task: its workspace, the caller's directory, or the repository."""
    workspace = facts.workspace
    if workspace is None or workspace.status is not WorkspaceStatus.ACTIVE:
        return await trees.of_mission(facts.repository, directory=directory)
    return await trees.workspace(workspace)


def _repository_of(tx: Tx, mission: Mission) -> Repository | None:
    return tx.missions.repository(mission.repository_id) if mission.repository_id else None


def _stored_snapshot(task: Task | None, place: TreeLocation | None) -> Snapshot | None:
    """Return the snapshot to compare with at the end: a task keeps its first one of each tree."""
    if task is None or place is None:
        return None
    stored = (task.snapshots or {}).get(str(place.tree.path))
    return Snapshot.from_dict(stored) if stored is not None else None
