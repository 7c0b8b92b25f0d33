"""Tools that show a workflow's progress and its next tasks."""

from __future__ import annotations

from pydantic import Field

from mission.domain.tasks.states import TaskStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.missions import progress
from mission.services.missions.progress import MissionProgress, NextTasks
from mission.tools.shared.fields import MissionId, Range, Texts
from mission.tools.shared.records import BLOCKED, mission_word

_STATES = ("pending", BLOCKED, "planning", "in_progress", "paused", "completed", "failed", "skipped")


class WorkflowById(Arguments):
    workflow_id: MissionId


class GetNextTasks(Arguments):
    workflow_id: MissionId
    include_failed: bool = Field(True, description="Include failed ones, to retry")
    limit: int | None = Field(None, ge=1, le=1000, description="Default: 20, or recommended_count if higher")
    cursor: str | None = None


class NextTask(Result):
    id: str
    name: str
    description: str
    can_parallelize: bool
    parallel_with: Texts
    dependencies_completed: Texts

    @classmethod
    def of(cls, ready: progress.NextTask) -> NextTask:
        task = ready.task
        return cls(
            id=task.id,
            name=task.name,
            description=task.goal,
            can_parallelize=task.parallel_group is not None,
            parallel_with=ready.parallel_with,
            dependencies_completed=ready.dependencies_done,
        )


class NextTaskList(Result):
    tasks: list[NextTask]
    max_parallel: int
    recommended_count: int
    workflow_status: str
    all_complete: bool
    next_cursor: str | None

    @classmethod
    def of(cls, found: NextTasks) -> NextTaskList:
        return cls(
            tasks=found.tasks,
            max_parallel=found.mission.max_parallel,
            recommended_count=found.recommended,
            workflow_status=mission_word(found.mission),
            all_complete=found.all_complete,
            next_cursor=found.next,
        )


class BlockedTask(Result):
    id: str = attribute("task.id")
    name: str = attribute("task.name")
    blocked_by: Texts = attribute("by")


class ParallelGroup(Result):
    group_id: str = attribute("id")
    task_count: int = attribute("tasks")
    completed: int


class WorkflowProgress(Result):
    total_tasks: int
    by_status: dict[str, int]
    completed_sequence: int
    current_sequence: int
    blocked_tasks: list[BlockedTask]
    parallel_groups: list[ParallelGroup]
    remaining_tasks: int
    estimated_remaining: float | None = Field(description="Seconds; null until enough tasks have ended")
    estimated_range: Range | None = Field(description="Low and high of estimated_remaining")

    @classmethod
    def of(cls, found: MissionProgress) -> WorkflowProgress:
        return cls(
            total_tasks=found.total,
            by_status=tasks_by_status(found),
            completed_sequence=found.completed_sequence,
            current_sequence=found.current_sequence,
            blocked_tasks=found.blocked,
            parallel_groups=found.groups,
            remaining_tasks=found.remaining,
            estimated_remaining=found.estimate.seconds if found.estimate else None,
            estimated_range=list(found.estimate.range) if found.estimate else None,
        )


@tool(toolset="workflow", result=NextTaskList, reads=True, stale_on=("task",))
async def workflow_next_tasks(call: Call, args: GetNextTasks) -> NextTasks:
    """List tasks that can start now. recommended_count respects max_parallel, minus running tasks."""
    return await call.read(
        progress.next_tasks,
        mission_id=args.workflow_id,
        include_failed=args.include_failed,
        limit=args.limit,
        cursor=args.cursor,
    )


@tool(toolset="workflow", result=WorkflowProgress, reads=True)
async def workflow_progress(call: Call, args: WorkflowById) -> MissionProgress:
    """Show a workflow's progress, blocked tasks (first 50) and estimated remaining seconds."""
    return await call.read(progress.measure, mission_id=args.workflow_id)


def tasks_by_status(found: MissionProgress) -> dict[str, int]:
    """Return the number of tasks per state, in this dialect's words."""
    counts = dict.fromkeys(_STATES, 0)
    for (status, waiting), tasks in found.states.items():
        if status is TaskStatus.REVIEW:
            counts[TaskStatus.IN_PROGRESS] += tasks
        else:
            counts[BLOCKED if waiting and status is TaskStatus.PENDING else str(status)] += tasks
    counts[TaskStatus.PAUSED] -= found.held
    counts[BLOCKED] += found.held
    return counts
