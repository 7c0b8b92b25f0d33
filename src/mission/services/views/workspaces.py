"""Workspaces as the page shows them: with the names of their mission and tasks, who works there, and their sizes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mission.domain.display_status import task_word
from mission.domain.errors import MissionError
from mission.domain.tasks.states import RUNNING
from mission.domain.tasks.workspace import Workspace
from mission.git.worktrees.size import TreeSize, size_of
from mission.git.worktrees.worktree import WorktreeState
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work
from mission.services.workspaces import creation
from mission.services.workspaces.creation import WorkspaceDetails
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceTask:
    """A task that is done in a workspace."""

    id: str
    name: str
    state: str
    agent: str | None
    running: bool
    """Whether it has started and not ended, so that its worktree cannot be removed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkspaceRow:
    workspace: Workspace
    mission_name: str
    tasks: Sequence[WorkspaceTask]
    state: WorktreeState | None = None

    @property
    def task_ids(self) -> list[str]:
        return [task.id for task in self.tasks]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredWorkspace:
    workspace_id: str
    size: TreeSize


async def list_workspaces(
    work: Work, trees: Trees, *, removed: bool, limit: int, offset: int
) -> tuple[list[WorkspaceRow], int]:
    """Return a page of workspaces with their states, newest first, and how many there are in all."""
    rows, total = await work.read(_page, removed=removed, limit=limit, offset=offset)
    found = [WorkspaceDetails(workspace=row.workspace, task_ids=row.task_ids) for row in rows]
    states = [each.state for each in await creation.list_with_state(trees, found)]
    return [replace(row, state=state) for row, state in zip(rows, states, strict=True)], total


async def sizes(work: Work, trees: Trees, *, workspace_ids: Sequence[str]) -> list[MeasuredWorkspace]:
    """Return how much disk space worktrees of this host use."""
    found = await work.read(_present, workspace_ids=workspace_ids, host_id=trees.host_id)

    async def measured(workspace: Workspace) -> TreeSize | None:
        try:
            return await trees.work(Path(workspace.repository_path), size_of, Path(workspace.path))
        except (OSError, MissionError):
            return None

    counted = await asyncio.gather(*map(measured, found))
    sizes = zip(found, counted, strict=True)
    return [MeasuredWorkspace(workspace_id=each.id, size=size) for each, size in sizes if size is not None]


def _page(tx: Tx, *, removed: bool, limit: int, offset: int) -> tuple[list[WorkspaceRow], int]:
    found, total = tx.workspaces.page(mission_id=None, statuses=None, removed=removed, limit=limit, offset=offset)
    names = tx.workspace_views.mission_names(sorted({each.mission_id for each in found}))
    tasks: dict[str, list[WorkspaceTask]] = {each.id: [] for each in found}
    for row in tx.workspace_views.tasks(list(tasks)):
        tasks[row.workspace_id].append(_task(row))
    rows = [
        WorkspaceRow(workspace=each, mission_name=names.get(each.mission_id, each.mission_id), tasks=tasks[each.id])
        for each in found
    ]
    return rows, total


def _task(row: Any) -> WorkspaceTask:
    return WorkspaceTask(
        id=row.id,
        name=row.name,
        state=task_word(
            row.status,
            quality=row.quality,
            hold=row.hold,
            waiting_for=row.waiting_for,
            proof_state=row.proof_state,
        ),
        agent=row.agent_name,
        running=row.status in RUNNING,
    )


def _present(tx: Tx, *, workspace_ids: Sequence[str], host_id: str) -> list[Workspace]:
    found = [tx.workspaces.get(id) for id in workspace_ids]
    return [each for each in found if each.host_id == host_id and each.removed_at is None]
