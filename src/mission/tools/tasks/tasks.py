"""Tools for tasks of a plan: read, plan, update, replan."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from mission.domain.errors import InvalidInput
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.tasks import dependencies, status_changes
from mission.services.tasks.claims import TaskDetail
from mission.services.tasks.dependencies import Dependencies
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import Moved, StatusChange
from mission.tools.shared.fields import Fence, GivenTexts, TaskId, Text
from mission.tools.shared.records import BLOCKED, Done, TaskRecord, outcome_of, task_word
from mission.tools.shared.topics import JOURNAL
from mission.tools.shared.wording import legal_moves_in

ALL_CHECKPOINTS = 1_000_000
_TAKEN = {str(status): str(status) for status in TaskStatus if status is not TaskStatus.REVIEW}
"""States that callers can set, in this dialect's words."""


class _TaskArguments(Arguments):
    aliases: ClassVar[dict[str, str]] = {"task_id": "id"}

    id: TaskId


class GetTask(_TaskArguments):
    include_checkpoints: bool = False
    checkpoint_limit: int | None = Field(None, ge=1, le=ALL_CHECKPOINTS, description="Only the last ones; default: all")


class TaskPlan(Arguments):
    approach: Text
    steps: GivenTexts
    files_to_modify: GivenTexts = []
    files_to_create: GivenTexts = []


class FirstTaskPlan(TaskPlan):
    context_needed: GivenTexts = []


class SetTaskPlan(_TaskArguments):
    plan: FirstTaskPlan
    context: dict[str, Any] | None = Field(None, description="Stored with the task, merged by key")
    agent_id: str | None = None
    fence: Fence | None = None

    @property
    def takes_task(self) -> bool:
        return True


class UpdateTaskStatus(_TaskArguments):
    status: Literal["pending", "blocked", "planning", "in_progress", "paused", "completed", "failed", "skipped"]
    outcome: Text | None = Field(None, description="Required for completed")
    outcome_detail: dict[str, Any] | None = None
    error: Text | None = Field(None, description="Required for failed; for blocked, the reason")
    agent_id: str | None = None
    fence: Fence | None = None

    @model_validator(mode="after")
    def _check(self) -> UpdateTaskStatus:
        for status, field in (("completed", "outcome"), ("failed", "error")):
            if self.status == status and getattr(self, field) is None:
                raise InvalidInput(
                    f"{field} is required when status is {status}",
                    hint=f"Describe the result in {field}." if field == "outcome" else "Give the reason in error.",
                    field=field,
                )
        return self

    @property
    def takes_task(self) -> bool:
        return self.status in {"planning", "in_progress"}

    def move(self) -> StatusChange:
        blocked = self.status == BLOCKED
        return StatusChange(
            status=TaskStatus.PAUSED if blocked else TaskStatus(self.status),
            blocked=blocked,
            outcome=self.outcome,
            outcome_detail=self.outcome_detail,
            error=self.error,
        )


class ReplanTask(_TaskArguments):
    reason: Text
    new_plan: TaskPlan
    agent_id: str | None = None
    fence: Fence | None = None

    @property
    def takes_task(self) -> bool:
        return True


class Replanned(Result):
    success: bool
    checkpoint_id: str

    @classmethod
    def of(cls, entry: JournalEntry) -> Replanned:
        return cls(success=True, checkpoint_id=entry.id)


class TaskById(Arguments):
    task_id: TaskId


class PendingDependency(Result):
    id: str
    name: str
    status: str


class CompletedDependency(Result):
    id: str
    name: str
    outcome: str


class DependencyCheck(Result):
    satisfied: bool
    pending: list[PendingDependency]
    completed: list[CompletedDependency]

    @classmethod
    def of(cls, found: Dependencies) -> DependencyCheck:
        return cls(
            satisfied=not found.pending,
            pending=[PendingDependency(id=task.id, name=task.name, status=task_word(task)) for task in found.pending],
            completed=[CompletedDependency(id=task.id, name=task.name, outcome=_outcome(task)) for task in found.done],
        )


@tool(
    toolset="tasks",
    result=TaskRecord,
    reads=True,
    address="/api/tasks/{id}",
    stale_on=("task", *JOURNAL),
    about="task",
    fades=True,
)
async def task_get(call: Call, args: GetTask) -> TaskDetail:
    """Read a complete task, optionally with its checkpoints."""
    wanted = (args.checkpoint_limit or ALL_CHECKPOINTS) if args.include_checkpoints else None
    return await call.read(status_changes.get, task_id=args.id, checkpoints=wanted)


@tool(toolset="tasks", result=Done, actor="agent_id", owned="id")
async def task_set_plan(call: Call, args: SetTaskPlan) -> JournalEntry:
    """Record the plan of a task before doing it. A pending task becomes planning."""
    return await call.finish(
        status_changes.set_plan,
        task_id=args.id,
        plan=args.plan.model_dump(mode="json"),
        context=args.context,
        owner=_owner(call, args.fence),
    )


@tool(toolset="tasks", result=Done, actor="agent_id", owned="id")
async def task_update_status(call: Call, args: UpdateTaskStatus) -> Moved:
    """Change a task's status: in_progress snapshots the tree, completed and failed set files_changed of task_get."""
    with legal_moves_in(_TAKEN):
        return await status_changes.move(
            call,
            call.trees,
            call.checks.gate,
            task_id=args.id,
            wanted=args.move(),
            owner=_owner(call, args.fence),
            directory=call.directory,
            report=call.report,
        )


@tool(toolset="tasks", result=Replanned, actor="agent_id", owned="id")
async def task_replan(call: Call, args: ReplanTask) -> JournalEntry:
    """Replace the plan of a failed or running task. A failed one becomes pending."""
    return await call.finish(
        status_changes.replan,
        task_id=args.id,
        reason=args.reason,
        plan=args.new_plan.model_dump(mode="json"),
        owner=_owner(call, args.fence),
    )


@tool(toolset="tasks", result=DependencyCheck, reads=True)
async def task_check_dependencies(call: Call, args: TaskById) -> Dependencies:
    """List the unfinished dependencies of a task."""
    return await call.read(dependencies.get, task_id=args.task_id)


def _owner(call: Call, fence: int | None) -> Owner:
    return Owner(agent_id=call.actor, lease=call.lease, fence=fence, keeps=True)


def _outcome(task: Task) -> str:
    return outcome_of(task) or str(task.status)
