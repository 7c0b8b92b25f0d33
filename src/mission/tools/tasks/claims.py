"""Tools that claim and release tasks; one agent holds a task while its lease lasts."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
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
            recovery=_packet(claim),
            workspace=_workspace(claim),
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
            task=TaskRecord.of(TaskDetail(task=claim.task, depends_on=claim.depends_on)),
            fence=claim.task.fence,
            recovery=_packet(claim),
            workspace=_workspace(claim),
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
    tasks: list[TaskRecord]
    next_cursor: str | None


@tool(toolset="tasks", actor="agent_id", idempotent=True)
async def task_claim(call: Call, args: ClaimTask) -> ClaimedTask:
    """Claim a task; exactly one agent succeeds. `recovery` has the previous owner's work; work in `workspace`."""
    return await claims.claim(
        call,
        call.trees,
        task_id=args.task_id,
        agent_id=call.actor or args.agent_id,
        lease=call.lease,
        report=call.report,
        answer=ClaimedTask.of,
    )


@tool(toolset="tasks", actor="agent_id")
async def task_claim_next(call: Call, args: ClaimNext) -> ClaimedNext:
    """Claim the next task you can do, within its workflow's max_parallel. success is false if there is none."""
    return await claims.claim_next(
        call,
        call.trees,
        mission_id=args.workflow_id,
        agent_id=call.actor or args.agent_id,
        lease=call.lease,
        report=call.report,
        answer=ClaimedNext.of,
    )


@tool(toolset="tasks", actor="agent_id", idempotent=True)
async def task_release(call: Call, args: ReleaseTask) -> Done:
    """Release a task for others. success is false if it was not claimed."""
    return await call.write(
        claims.release,
        task_id=args.task_id,
        agent_id=call.actor,
        reason=args.reason,
        answer=lambda released: Done(success=released),
    )


@tool(toolset="tasks", actor="agent_id", reads=True)
async def task_get_available(call: Call, args: GetAvailable) -> AvailableTasks:
    """List tasks the agent can claim now: ready, free, within its capabilities and max_parallel."""
    page = await call.read(
        claims.available,
        mission_id=args.workflow_id,
        agent_id=call.actor or args.agent_id,
        limit=args.limit,
        cursor=args.cursor,
    )
    return AvailableTasks(tasks=[TaskRecord.of(each) for each in page.rows], next_cursor=page.next)


def _packet(claim: Claim) -> RecoveryPacket | None:
    return RecoveryPacket.of(claim.recovery) if claim.recovery is not None else None


def _workspace(claim: Claim) -> WorkspaceRecord | None:
    return WorkspaceRecord.of(claim.workspace) if claim.workspace is not None else None
