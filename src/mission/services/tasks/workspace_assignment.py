"""Use cases of a task's workspace: create one for some tasks, or assign one to a task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.tasks import moves
from mission.domain.tasks.task import Task
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import updates
from mission.services.work import Work
from mission.services.workspaces import creation
from mission.services.workspaces.creation import ASSIGNABLE, NewWorkspace, WorkspaceDetails
from mission.store.transaction import Tx


async def create(
    work: Work,
    trees: Trees,
    *,
    wanted: NewWorkspace,
    agent_id: str | None,
    report: Report | None,
) -> WorkspaceDetails:
    """Register the worktree at the path, or create it first if requested, and assign the named tasks to it."""

    def record(tx: Tx, **created: Any) -> WorkspaceDetails:
        recorded = creation.record(tx, **created)
        for task_id in wanted.task_ids:
            assign(tx, task_id=task_id, workspace_id=recorded.workspace.id, agent_id=agent_id)
        listed = creation.get(tx, workspace_id=recorded.workspace.id)
        return replace(listed, warnings=recorded.warnings)

    return await creation.create(work, trees, wanted=wanted, agent_id=agent_id, report=report, record=record)


def assign(tx: Tx, *, task_id: str, workspace_id: str, agent_id: str | None) -> Task:
    """Assign the workspace to the task, from its next start on."""
    task = tx.tasks.get(task_id)
    workspace = tx.workspaces.get(workspace_id)
    if task.mission_id != workspace.mission_id:
        raise InvalidInput(
            f"workspace {workspace.id} belongs to {workspace.mission_id}, task {task.id} to {task.mission_id}",
            hint="Choose a workspace of the task's own workflow.",
            field="workspace_id",
        )
    task.check_owner(agent_id)
    if task.workspace_id == workspace.id:
        return task
    workspace.check_usable()
    if task.tree != workspace.path:
        task.check_one_of(ASSIGNABLE, "assigned to another workspace")
    (assigned,) = updates.apply(tx, moves.given_workspace(task, workspace.id, at=tx.now))
    return assigned
