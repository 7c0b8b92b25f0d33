"""The tool that lists tasks by mission, state and owner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.paging import Page
from mission.services.views import tasks
from mission.store.tasks.tasks import TaskState
from mission.tools.shared.fields import MissionId, cut
from mission.tools.shared.records import BLOCKED, task_word
from mission.tools.shared.wording import Moment

Word = Literal["pending", "blocked", "planning", "in_progress", "paused", "completed", "failed", "skipped"]
_STATES: dict[str, Sequence[TaskState]] = {
    "pending": [(TaskStatus.PENDING, False)],
    BLOCKED: [(TaskStatus.PENDING, True), (TaskStatus.PAUSED, None)],
    "in_progress": [(TaskStatus.IN_PROGRESS, None), (TaskStatus.REVIEW, None)],
}


class ListTasks(Arguments):
    aliases: ClassVar[dict[str, str]] = {"workflow_id": "mission_id"}

    mission_id: MissionId | None = None
    status: list[Word] | None = None
    agent_id: str | None = Field(None, description="Owner: id or name")
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = None

    def states(self) -> list[TaskState] | None:
        """Return the stored states that these status words cover; None for all."""
        if self.status is None:
            return None
        return [each for word in self.status for each in _STATES.get(word) or [(TaskStatus(word), None)]]

    def fits(self, task: Task) -> bool:
        return self.status is None or task_word(task) in self.status


class TaskRow(Result):
    id: str
    workflow_id: str
    name: str
    status: str
    sequence: int
    assigned_agent_id: str | None
    lease_until: Moment | None
    attempts: int
    workspace_id: str | None
    error: str | None
    created_at: Moment
    updated_at: Moment
    completed_at: Moment | None

    @classmethod
    def of(cls, task: Task) -> TaskRow:
        return cls(
            id=task.id,
            workflow_id=task.mission_id,
            name=task.name,
            status=task_word(task),
            sequence=task.phase_number,
            assigned_agent_id=task.owner_id,
            lease_until=task.lease_until,
            attempts=task.attempts,
            workspace_id=task.workspace_id,
            error=cut(task.error),
            created_at=task.created_at,
            updated_at=task.updated_at,
            completed_at=task.completed_at,
        )


class TaskList(Result):
    tasks: list[TaskRow] = attribute("rows")
    next_cursor: str | None = attribute("next")


@tool(toolset="control", result=TaskList, reads=True, address="/api/tasks")
async def task_list(call: Call, args: ListTasks) -> Page[Task]:
    """List tasks of one mission, or of all that are not archived; newest first."""
    return await call.read(
        tasks.list_tasks,
        mission_id=args.mission_id,
        states=args.states(),
        fits=args.fits,
        agent_id=args.agent_id,
        limit=args.limit,
        cursor=args.cursor,
    )
