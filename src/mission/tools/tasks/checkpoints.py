"""Tools for checkpoints: notes for the agent that resumes a task."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.paging import Page
from mission.services.tasks import journal
from mission.tools.shared.fields import Fence, GivenTexts, TaskId, Text
from mission.tools.shared.records import CheckpointRecord
from mission.tools.shared.topics import JOURNAL


class AddCheckpoint(Arguments):
    task_id: TaskId
    type: CheckpointType
    summary: Text
    detail: dict[str, Any] | None = None
    files_changed: GivenTexts = []
    agent_id: str | None = None
    fence: Fence | None = None


class AddedCheckpoint(Result):
    id: str
    sequence: int


class ListCheckpoints(Arguments):
    task_id: TaskId
    type: list[CheckpointType] | None = None
    since_sequence: int = Field(0, ge=0, le=2_000_000_000, description="Only checkpoints after this number")
    limit: int = Field(1000, ge=1, le=1000)
    cursor: str | None = None


class CheckpointList(Result):
    checkpoints: list[CheckpointRecord] = attribute("rows")
    next_cursor: str | None = attribute("next")


@tool(toolset="tasks", result=AddedCheckpoint, actor="agent_id", owned="task_id")
async def checkpoint_add(call: Call, args: AddCheckpoint) -> JournalEntry:
    """Record the state of a task, so that it can be resumed after a crash or a context reset."""
    return await call.finish(
        journal.checkpoint,
        type=args.type,
        task_id=args.task_id,
        summary=args.summary,
        detail=args.detail,
        files_changed=args.files_changed,
        agent_id=call.actor,
        fence=args.fence,
    )


@tool(toolset="tasks", result=CheckpointList, reads=True, stale_on=("task", *JOURNAL), about="task")
async def checkpoint_list(call: Call, args: ListCheckpoints) -> Page[JournalEntry]:
    """List a task's checkpoints in order, including decisions, issues and milestones."""
    return await call.read(
        journal.checkpoints,
        task_id=args.task_id,
        types=args.type,
        since=args.since_sequence,
        limit=args.limit,
        cursor=args.cursor,
    )
