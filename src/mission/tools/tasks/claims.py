"""Tools that claim and release tasks; one agent holds a task while its lease lasts."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.paging import Page
from mission.services.tasks import claims
from mission.services.tasks.claims import Claim, TaskDetail
from mission.tools.shared.fields import MissionId, TaskId, Text, Texts
from mission.tools.shared.records import IF_ASKED, Done, RecoveryPacket, TaskRecord, WorkspaceRecord


class ClaimTask(Arguments):
    task_id: TaskId
    agent_id: str


class ClaimedTask(Result):
    success: bool
    already_claimed_by: str | None = IF_ASKED
    fence: int | None
    recovery: RecoveryPacket | None
    workspace: WorkspaceRecord | None = IF_ASKED
    warnings: Texts | None = IF_ASKED

    @classmethod
    def of(cls, claim: Claim) -> ClaimedTask:
        if claim.task is None:
            return cls(success=False, already_claimed_by=claim.holder, fence=None, recovery=None)
        return cls(
            success=True,
            fence=claim.task.fence,
            recovery=claim.recovery,
            workspace=claim.workspace,
            warnings=list(claim.warnings) or None,
        )


class ClaimNext(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    agent_id: str
    workflow_id: MissionId | None = Field(None, description="Default: any")


class ClaimedNext(Result):
    success: bool
    task: TaskRecord | None
    fence: int | None
    recovery: RecoveryPacket | None
    workspace: WorkspaceRecord | None = IF_ASKED
    warnings: Texts | None = IF_ASKED

    @classmethod
    def of(cls, claim: Claim) -> ClaimedNext:
        if claim.task is None:
            return cls(success=False, task=None, fence=None, recovery=None)
        return cls(
            success=True,
            task=TaskDetail(task=claim.task, depends_on=claim.depends_on),
            fence=claim.task.fence,
            recovery=claim.recovery,
            workspace=claim.workspace,
            warnings=list(claim.warnings) or None,
        )


class ReleaseTask(Arguments):
    task_id: TaskId
    agent_id: str
    reason: Text | None = Field(None, description="For the next owner")


class GetAvailable(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    workflow_id: MissionId | None = Field(None, description="Default: any")
    agent_id: str
    limit: int = Field(20, ge=1, le=200)
    cursor: str | None = None


class AvailableTasks(Result):
    tasks: list[TaskRecord] = attribute("rows")
    next_cursor: str | None = attribute("next")


@tool(toolset="tasks", result=ClaimedTask, actor="agent_id", idempotent=True)
async def task_claim(call: Call, args: ClaimTask) -> Claim:
    """Claim a task; exactly one agent succeeds. `recovery` has the previous owner's work; work in `workspace`."""
    return await claims.claim(
        call,
        call.trees,
        task_id=args.task_id,
        agent_id=call.actor or args.agent_id,
        lease=call.lease,
        report=call.report,
    )


@tool(toolset="tasks", result=ClaimedNext, actor="agent_id")
async def task_claim_next(call: Call, args: ClaimNext) -> Claim:
    """Claim the next task you can do, within its workflow's max_parallel. success is false if there is none."""
    return await claims.claim_next(
        call,
        call.trees,
        mission_id=args.workflow_id,
        agent_id=call.actor or args.agent_id,
        lease=call.lease,
        report=call.report,
    )


@tool(toolset="tasks", result=Done, actor="agent_id", idempotent=True)
async def task_release(call: Call, args: ReleaseTask) -> bool:
    """Release a task for others. success is false if it was not claimed."""
    return await call.finish(
        claims.release,
        task_id=args.task_id,
        agent_id=call.actor,
        reason=args.reason,
    )


@tool(toolset="tasks", result=AvailableTasks, actor="agent_id", reads=True)
async def task_get_available(call: Call, args: GetAvailable) -> Page[TaskDetail]:
    """List tasks the agent can claim now: ready, free, within its capabilities and max_parallel."""
    return await call.read(
        claims.available,
        mission_id=args.workflow_id,
        agent_id=call.actor or args.agent_id,
        limit=args.limit,
        cursor=args.cursor,
    )
