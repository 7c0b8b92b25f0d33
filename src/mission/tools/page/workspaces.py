"""Tools behind the page's workspaces view: worktrees with the names of their missions and tasks, and their sizes."""

from __future__ import annotations

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import workspaces
from mission.services.views.workspaces import MeasuredWorkspace
from mission.tools.shared.fields import WorkspaceId
from mission.tools.shared.records import WorkspaceRecord


class LookWorkspaces(Arguments):
    include_removed: bool = Field(False, description="Include those whose worktree was removed")
    limit: int = Field(50, ge=1, le=500)
    offset: int = Field(0, ge=0, le=10_000_000)


class WorkspaceTaskGlance(Result):
    id: str
    name: str
    state: str = Field(description="The state as the page shows it")
    agent: str | None
    running: bool = Field(description="Whether it has started and not ended")


class WorkspaceGlance(WorkspaceRecord):
    repository_path: str = attribute("workspace.repository_path")
    mission_name: str
    tasks: list[WorkspaceTaskGlance]


class WorkspaceGlances(Result):
    workspaces: list[WorkspaceGlance]
    total: int


class LookSizes(Arguments):
    workspace_ids: list[WorkspaceId] = Field(max_length=200)


class WorkspaceSize(Result):
    workspace_id: str
    bytes: int = attribute("size.bytes")
    whole: bool = attribute("size.whole", description="False if it is larger than what was counted")


class WorkspaceSizes(Result):
    sizes: list[WorkspaceSize]

    @classmethod
    def of(cls, sizes: list[MeasuredWorkspace]) -> WorkspaceSizes:
        return cls(sizes=sizes)


@tool(toolset="control", result=WorkspaceGlances, reads=True, stale_on=("workspace", "task"))
async def overview_workspaces(call: Call, args: LookWorkspaces) -> WorkspaceGlances:
    """List workspaces with their git state, mission and tasks, newest first."""
    found, total = await workspaces.list_workspaces(
        call, call.trees, removed=args.include_removed, limit=args.limit, offset=args.offset
    )
    return WorkspaceGlances(workspaces=found, total=total)


@tool(toolset="control", result=WorkspaceSizes, reads=True)
async def overview_workspace_sizes(call: Call, args: LookSizes) -> list[MeasuredWorkspace]:
    """Measure how much disk space worktrees use."""
    return await workspaces.sizes(call, call.trees, workspace_ids=args.workspace_ids)
