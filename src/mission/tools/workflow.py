"""Missions as lists show them."""

from __future__ import annotations

from pydantic import Field

from mission.domain.mission import MissionStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services import missions
from mission.services.missions import Listed
from mission.tools.wording import Moment


class ListWorkflows(Arguments):
    repository_path: str | None = None
    status: list[MissionStatus] | None = None
    archived: bool = Field(False, description="Only archived ones")
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=10_000_000)


class WorkflowSummary(Result):
    id: str
    name: str
    status: str
    source_type: str
    created_at: Moment
    updated_at: Moment
    tasks_total: int
    tasks_completed: int

    @classmethod
    def of(cls, listed: Listed) -> WorkflowSummary:
        mission = listed.mission
        return cls(
            id=mission.id,
            name=mission.name,
            status=MissionStatus.PAUSED if mission.status is MissionStatus.BLOCKED else mission.status,
            source_type=mission.source_type,
            created_at=mission.created_at,
            updated_at=mission.updated_at,
            tasks_total=listed.tasks_total,
            tasks_completed=listed.tasks_completed,
        )


class WorkflowList(Result):
    workflows: list[WorkflowSummary]
    total: int


@tool(toolset="workflow", reads=True)
async def workflow_list(call: Call, args: ListWorkflows) -> WorkflowList:
    """List missions, most recently active first."""
    found, total = await call.read(
        missions.page,
        statuses=_ours(args.status),
        repository_path=args.repository_path,
        archived=args.archived,
        limit=args.limit,
        offset=args.offset,
    )
    return WorkflowList(workflows=[WorkflowSummary.of(each) for each in found], total=total)


def _ours(statuses: list[MissionStatus] | None) -> list[str] | None:
    """Our states behind the words of this dialect, in which a blocked mission counts as paused."""
    if statuses is None:
        return None
    wanted = set(statuses) | ({MissionStatus.BLOCKED} if MissionStatus.PAUSED in statuses else set())
    return sorted(map(str, wanted))
