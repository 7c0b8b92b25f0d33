"""Crew tools for tasks: create, assign, update, comment."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.crew import members, tasks
from mission.services.tasks import journal
from mission.services.tasks.status_changes import Moved, StatusChange
from mission.tools.crew.records import CrewTask
from mission.tools.shared.fields import GivenTexts, MissionId, Name, TaskId, Text
from mission.tools.shared.wording import Moment, legal_moves_in

_TAKEN: dict[str, str] = {
    TaskStatus.PENDING: "PENDING",
    TaskStatus.IN_PROGRESS: "IN_PROGRESS",
    TaskStatus.PAUSED: "BLOCKED",
    TaskStatus.REVIEW: "REVIEW",
    TaskStatus.COMPLETED: "COMPLETED",
    TaskStatus.FAILED: "FAILED",
}
"""The crew's words for task states."""


class CreateTask(Arguments):
    title: Name
    description: Text
    epicId: MissionId | None = Field(None, description="Default: your epic")
    dependsOn: GivenTexts = Field([], description="Ids or titles of prerequisite tasks")


class AssignTask(Arguments):
    taskId: TaskId
    agentId: str


class UpdateStatus(Arguments):
    status: Literal["PENDING", "IN_PROGRESS", "REVIEW", "BLOCKED", "COMPLETED", "FAILED"]
    failureReason: Text | None = Field(None, description="Why it failed or is blocked")
    taskId: TaskId | None = Field(None, description="Default: your task")

    @property
    def takes_task(self) -> bool:
        return self.status == "IN_PROGRESS"

    def move(self) -> StatusChange:
        blocked = self.status == "BLOCKED"
        failed = self.status == "FAILED"
        return StatusChange(
            status=TaskStatus.PAUSED if blocked else TaskStatus(self.status.lower()),
            blocked=blocked,
            error=self.failureReason or ("no reason given" if failed else None),
        )


class AddComment(Arguments):
    body: Text
    taskId: TaskId | None = Field(None, description="Default: your task")


class AddedComment(Result):
    commentId: str = attribute("id")
    taskId: str = attribute("task_id")
    timestamp: Moment = attribute("created_at")


@tool(toolset="crew", result=CrewTask)
async def mcp__task__create(call: Call, args: CreateTask) -> Task:
    """Add a task to an epic."""
    return await call.finish(
        tasks.create,
        agent=call.identity.agent,
        mission_id=args.epicId,
        title=args.title,
        description=args.description,
        depends_on=args.dependsOn,
        fields=("title", "dependsOn"),
    )


@tool(toolset="crew", result=CrewTask, idempotent=True)
async def mcp__task__assign(call: Call, args: AssignTask) -> Task:
    """Assign a free task to an agent."""
    return await tasks.assign(
        call,
        call.trees,
        task_id=args.taskId,
        agent_id=args.agentId,
        field="agentId",
        lease=call.lease,
        report=call.report,
    )


@tool(toolset="crew", result=CrewTask, actor="agentId", owned="taskId")
async def mcp__task__update_status(call: Call, args: UpdateStatus) -> Moved:
    """Change a task's status: IN_PROGRESS snapshots its tree, COMPLETED and FAILED compare it, REVIEW asks a person."""
    with legal_moves_in(_TAKEN):
        return await tasks.move(
            call,
            call.trees,
            call.checks.gate,
            agent=call.identity.agent,
            task_id=args.taskId,
            wanted=args.move(),
            lease=call.lease,
            directory=call.directory,
            report=call.report,
        )


@tool(toolset="crew", result=AddedComment, actor="agentId", owned="taskId")
async def mcp__task__add_comment(call: Call, args: AddComment) -> JournalEntry:
    """Add a comment to a task's journal."""
    task_id = args.taskId or (await call.read(members.own_task, agent=call.identity.agent)).id
    return await call.finish(
        journal.checkpoint,
        type=CheckpointType.PROGRESS,
        task_id=task_id,
        summary=args.body,
        agent_id=call.actor,
        fence=None,
    )
