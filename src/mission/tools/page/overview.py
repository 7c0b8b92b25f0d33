"""Tools behind the page's start view: current activity, and missions as a list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mission.domain.missions.mission import MissionStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import overview as overview_view
from mission.services.views.overview import AgentLine, MissionLine, Overview, TaskLine
from mission.tools.shared.fields import moment_of
from mission.tools.shared.topics import MISSION
from mission.tools.shared.wording import Moment

SHORT = 300


class TaskCount(Result):
    """Tasks per state, as the parts of a progress bar."""

    proved: int = Field(description="Completed, and every required check passed")
    accepted: int = Field(description="Completed because a person accepted it")
    unproved: int = Field(description="Completed without proof")
    failing: int = Field(description="Open tasks whose last report failed a required check; also in working or needs")
    working: int
    needs: int
    failed: int
    failed_attempts: int = Field(description="Failed attempts at all tasks, including tasks completed since")
    skipped: int
    total: int


class MissionGlance(Result):
    id: str
    name: str
    objective: str
    status: str
    repository_path: str | None
    tasks: TaskCount
    at_work: int = Field(description="Agents working on it")
    created_at: Moment
    updated_at: Moment

    @classmethod
    def of(cls, line: MissionLine) -> MissionGlance:
        row = line.row
        return cls(
            id=row.id,
            name=row.name,
            objective="" if row.objective == row.name else row.objective[:SHORT],
            status=line.status,
            repository_path=row.repository_path,
            tasks=line.count,
            at_work=line.at_work,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )


class RunningTask(Result):
    id: str
    name: str
    mission_id: str
    mission_name: str
    state: str
    agent_id: str | None
    agent: str | None
    lease_until: Moment | None
    failed_attempts: int
    started_at: Moment | None
    said: str | None = Field(description="The last text in its journal")
    said_at: Moment | None

    @classmethod
    def of(cls, line: TaskLine) -> RunningTask:
        row = line.row
        return cls(
            id=row.id,
            name=row.name,
            mission_id=row.mission_id,
            mission_name=row.mission_name,
            state=line.word,
            agent_id=row.owner_id,
            agent=line.agent,
            lease_until=row.lease_until,
            failed_attempts=row.failed_attempts,
            started_at=row.started_at,
            said=row.summary[:SHORT] if row.summary else None,
            said_at=row.said_at,
        )


class EndedTask(Result):
    id: str = attribute("row.id")
    name: str = attribute("row.name")
    mission_id: str = attribute("row.mission_id")
    mission_name: str = attribute("row.mission_name")
    state: str = attribute("word")
    agent: str | None
    completed_at: Moment = attribute("row.completed_at")
    files: int | None


class FleetAgent(Result):
    id: str
    name: str
    runtime: str
    state: str
    mission_id: str | None
    mission_name: str | None
    task_id: str | None
    task_name: str | None
    last_seen_at: Moment

    @classmethod
    def of(cls, member: AgentLine) -> FleetAgent:
        task = member.task.row if member.task else None
        return cls(
            id=member.row.id,
            name=member.row.name,
            runtime=member.row.runtime,
            state=member.word,
            mission_id=task.mission_id if task else None,
            mission_name=task.mission_name if task else None,
            task_id=task.id if task else None,
            task_name=task.name if task else None,
            last_seen_at=member.row.last_seen_at,
        )


class GetOverview(Arguments):
    since: Annotated[datetime | None, moment_of("since")] = Field(
        None, description="Include tasks ended after this time"
    )


class OverviewRecord(Result):
    now: Moment
    lease_seconds: float
    missions_open: int
    missions: list[MissionGlance]
    running: list[RunningTask]
    running_total: int = Field(description="Number of tasks in progress, without blocked ones")
    ended: list[EndedTask]
    ended_total: int
    proved: int = Field(description="Tasks proved since then")
    accepted: int
    unproved: int
    failed: int
    failed_attempts: int = Field(description="Failed attempts at open tasks")
    proof: TaskCount = Field(description="Tasks of all open missions")
    fleet: list[FleetAgent]

    @classmethod
    def of(cls, found: Overview) -> OverviewRecord:
        counts = found.ended_counts
        return cls(
            now=found.now,
            lease_seconds=found.lease_seconds,
            missions_open=found.open_missions,
            missions=found.missions,
            running=found.running,
            running_total=found.active,
            ended=found.ended,
            ended_total=counts.total,
            proved=counts.proved,
            accepted=counts.accepted,
            unproved=counts.unproved,
            failed=counts.failed,
            failed_attempts=found.failed_attempts,
            proof=found.proof,
            fleet=found.fleet,
        )


class ListMissionGlances(Arguments):
    text: str = Field("", max_length=200, description="Words in its name or objective")
    status: list[MissionStatus] | None = None
    archived: bool = False
    limit: int = Field(100, ge=1, le=500)
    offset: int = Field(0, ge=0, le=10_000_000)


class MissionGlances(Result):
    missions: list[MissionGlance]
    counts: dict[str, int]
    total: int


@tool(
    toolset="control",
    result=OverviewRecord,
    reads=True,
    stale_on=(*MISSION, "task", "issue", "milestone", "checkpoint", "queue", "agent"),
    fades=True,
)
async def overview(call: Call, args: GetOverview) -> Overview:
    """Show an overview: open missions, running tasks, ended tasks, agents."""
    return await call.read(overview_view.overview, since=args.since, liveness=call.liveness)


@tool(toolset="control", result=MissionGlances, reads=True, stale_on=(*MISSION, "task"))
async def overview_missions(call: Call, args: ListMissionGlances) -> MissionGlances:
    """List missions with their progress; filter by status and words."""
    page = await call.read(
        overview_view.list_missions,
        text=args.text,
        statuses=args.status,
        archived=args.archived,
        limit=args.limit,
        offset=args.offset,
    )
    total = sum(n for status, n in page.counts.items() if args.status is None or status in args.status)
    return MissionGlances(missions=page.missions, counts=page.counts, total=total)
