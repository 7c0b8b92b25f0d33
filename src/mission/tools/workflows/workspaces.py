"""Tools for workspaces: git worktrees for parallel tasks."""

from __future__ import annotations

from pydantic import Field

from mission.domain.tasks.task import Task
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.git.worktrees.setup import WorktreeSetup
from mission.services.tasks import workspace_assignment
from mission.services.workspaces import closing, creation
from mission.services.workspaces.creation import NewWorkspace, WorkspaceDetails
from mission.tools.shared.fields import BranchName, Copies, MissionId, PathText, Setup, TaskId, Texts, WorkspaceId
from mission.tools.shared.records import IF_ASKED, Done, WorkspaceRecord


class CreateWorkspace(Arguments):
    workflow_id: MissionId
    path: PathText = Field(description="Absolute")
    branch: BranchName
    base_branch: BranchName | None = Field(None, description="Default: the repository's current branch")
    task_ids: list[TaskId] = Field([], max_length=1000, description="Tasks to assign to it")
    create: bool | None = Field(
        None, description="Create the worktree if missing; default: the workflow's auto_create_workspaces"
    )
    setup: Setup | None = Field(None, description="Shell command to run in a new worktree")
    copy_files: Copies | None = Field(None, description="Untracked files to copy, such as '.env'")

    def wanted(self) -> NewWorkspace:
        own = self.setup is not None or self.copy_files is not None
        return NewWorkspace(
            mission_id=self.workflow_id,
            path=self.path,
            branch=self.branch,
            base_branch=self.base_branch,
            task_ids=tuple(self.task_ids),
            create=self.create,
            setup=WorktreeSetup(setup=self.setup, copy=tuple(self.copy_files or ())) if own else None,
        )


class CreatedWorkspace(Result):
    id: str = attribute("workspace.id")
    path: str = attribute("workspace.path")
    branch: str = attribute("workspace.branch")
    base_branch: str | None = attribute("workspace.base_branch")
    warnings: Texts


class UpdateWorkspace(Arguments):
    id: WorkspaceId
    status: WorkspaceStatus | None = None
    merge_commit: str | None = Field(None, max_length=100, description="Required for merged; must contain the branch")


class UpdatedWorkspace(Result):
    success: bool
    kept_branch: str | None = IF_ASKED

    @classmethod
    def of(cls, workspace: Workspace) -> UpdatedWorkspace:
        return cls(success=True, kept_branch=workspace.kept_branch)


class ListWorkspaces(Arguments):
    workflow_id: MissionId | None = Field(None, description="Default: all")
    status: list[WorkspaceStatus] | None = None
    include_state: bool = Field(False, description="Include ahead, behind and uncommitted files")
    include_removed: bool = Field(True, description="Include those whose worktree was removed")
    limit: int = Field(100, ge=1, le=500)
    offset: int = Field(0, ge=0, le=10_000_000)


class WorkspaceList(Result):
    workspaces: list[WorkspaceRecord]
    total: int


class GetWorkspace(Arguments):
    id: WorkspaceId


class RemoveWorkspace(Arguments):
    id: WorkspaceId
    save: bool = Field(False, description="First save uncommitted files on a separate branch")
    delete_branch: bool = Field(False, description="Also delete the branch, if its commits exist elsewhere")


class AssignWorkspace(Arguments):
    task_id: TaskId
    workspace_id: WorkspaceId


@tool(toolset="workspaces", result=CreatedWorkspace, idempotent=True, outside=True)
async def workspace_create(call: Call, args: CreateWorkspace) -> WorkspaceDetails:
    """Register a git worktree for tasks of a workflow; optionally creates it on a new branch."""
    return await workspace_assignment.create(
        call, call.trees, wanted=args.wanted(), agent_id=call.actor, report=call.report
    )


@tool(toolset="workspaces", result=UpdatedWorkspace, idempotent=True)
async def workspace_update(call: Call, args: UpdateWorkspace) -> Workspace:
    """Mark a workspace merged (verified by merge_commit), abandoned (saves uncommitted work) or active again."""
    return await closing.update(
        call,
        call.trees,
        workspace_id=args.id,
        status=args.status,
        merge_commit=args.merge_commit,
    )


@tool(toolset="workspaces", result=WorkspaceList, reads=True, address="/api/workspaces", stale_on=("workspace",))
async def workspace_list(call: Call, args: ListWorkspaces) -> WorkspaceList:
    """List workspaces, newest first."""
    found, total = await call.read(
        creation.list_workspaces,
        mission_id=args.workflow_id,
        statuses=args.status,
        removed=args.include_removed,
        limit=args.limit,
        offset=args.offset,
    )
    if args.include_state:
        found = await creation.list_with_state(call.trees, found)
    return WorkspaceList(workspaces=found, total=total)


@tool(toolset="workspaces", result=WorkspaceRecord, reads=True, address="/api/workspaces/{id}")
async def workspace_get(call: Call, args: GetWorkspace) -> WorkspaceDetails:
    """Read one workspace with its git state: ahead, behind, uncommitted files."""
    found = await call.read(creation.get, workspace_id=args.id)
    return await creation.with_state(call.trees, found)


@tool(toolset="workspaces", result=UpdatedWorkspace, destructive=True, idempotent=True, outside=True)
async def workspace_remove(call: Call, args: RemoveWorkspace) -> Workspace:
    """Remove the worktree of a merged or abandoned workspace. Refused if work would be lost."""
    return await closing.remove(
        call,
        call.trees,
        workspace_id=args.id,
        save=args.save,
        with_branch=args.delete_branch,
    )


@tool(toolset="tasks", result=Done, idempotent=True)
async def task_assign_workspace(call: Call, args: AssignWorkspace) -> Task:
    """Assign a task to a workspace; its changed files are tracked there."""
    return await call.finish(
        workspace_assignment.assign,
        task_id=args.task_id,
        workspace_id=args.workspace_id,
        agent_id=call.actor,
    )
