"""Tools behind the page's start view: current activity, and missions as a list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from mission.domain.missions.mission import MissionStatus
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import overview as overview_view
from mission.services.views.now import mission_lines
from mission.services.views.now.attention import StuckLine, UpcomingTask
from mission.services.views.now.mission_lines import MissionLine
from mission.services.views.overview import AgentLine, Overview, RunningLine
from mission.services.views.task_lines import TaskLine
from mission.tools.page.costs import CostSum
from mission.tools.shared.fields import Range, moment_of
from mission.tools.shared.topics import MISSION
from mission.tools.shared.wording import Moment

SHORT = 300
MAX_AGENTS = 12


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


class MissionAgent(Result):
    """The owner of an active task, in the state of that task."""

    id: str | None
    name: str | None
    task_id: str
    state: str

    @classmethod
    def of(cls, line: TaskLine) -> MissionAgent:
        return cls(id=line.row.owner_id, name=line.agent, task_id=line.row.id, state=line.word)


class MissionGlance(Result):
    id: str
    name: str
    objective: str
    status: str
    repository_path: str | None
    tasks: TaskCount
    at_work: int = Field(description="Agents working on it")
    group: str = Field(description="needs_you, running, planning or rest")
    needs_you: int = Field(description="Open inbox items")
    agents: list[MissionAgent] = Field(description="Owners of its active tasks, at most 12")
    cost: CostSum
    estimated_range: Range | None = Field(description="Low and high of the seconds left; null until enough has ended")
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
            group=line.group,
            needs_you=line.items,
            agents=[MissionAgent.of(each) for each in line.hands[:MAX_AGENTS]],
            cost=line.cost,
            estimated_range=list(line.estimate.range) if line.estimate else None,
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
    said: str | None = Field(description="The last text in its journal, or its agent's last progress")
    said_at: Moment | None

    @classmethod
    def of(cls, running: RunningLine) -> RunningTask:
        line = running.line
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
            said=running.said[:SHORT] if running.said else None,
            said_at=running.said_at,
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
    added: int | None = attribute("row.lines_added", description="Added lines; null without a stored patch")
    removed: int | None = attribute("row.lines_removed")


class StuckTask(Result):
    """A task that does not move; or several of a mission that nobody takes."""

    reason: str = Field(description="failed (twice or more), silent, review (for 10 min) or untouched (for 20 min)")
    since: Moment
    mission_id: str
    mission_name: str
    task_id: str = Field(description="The first task")
    task_name: str
    state: str
    agent: str | None
    failed_attempts: int
    execution_id: str | None = Field(description="Its running execution")
    tasks: int

    @classmethod
    def of(cls, line: StuckLine) -> StuckTask:
        return cls(
            reason=str(line.stuck.reason),
            since=line.stuck.since,
            mission_id=line.stuck.mission_id,
            mission_name=line.mission_name,
            task_id=line.task.row.id,
            task_name=line.task.row.name,
            state=line.task.word,
            agent=line.task.agent,
            failed_attempts=line.task.row.failed_attempts,
            execution_id=line.execution_id,
            tasks=len(line.stuck.tasks),
        )


class ReadyTask(Result):
    id: str
    name: str
    mission_id: str
    mission_name: str
    ready_since: Moment
    failed_attempts: int
    estimated_range: Range | None = Field(description="Low and high of its seconds; null until enough has ended")

    @classmethod
    def of(cls, task: UpcomingTask) -> ReadyTask:
        row = task.line.row
        return cls(
            id=row.id,
            name=row.name,
            mission_id=row.mission_id,
            mission_name=task.mission_name,
            ready_since=task.since,
            failed_attempts=row.failed_attempts,
            estimated_range=list(task.typical.range) if task.typical else None,
        )


class NewsLine(Result):
    kind: str = Field(description="waiting, failed, finished, merged or cost")
    text: str


class ChangedSum(Result):
    files: int
    added: int
    removed: int
    uncounted: int = Field(description="Files with unknown lines")


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
    today: Annotated[datetime | None, moment_of("today")] = Field(None, description="When your day began")


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
    since_left: list[NewsLine] = Field(description="What happened since then, in at most five lines")
    stuck: list[StuckTask]
    stuck_total: int = Field(description="Number of stuck tasks")
    next_up: list[ReadyTask]
    ready: int = Field(description="Ready tasks of the most urgent missions")
    changed: ChangedSum = Field(description="By tasks that ended since then")
    changed_today: ChangedSum

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
            since_left=found.since_left,
            stuck=found.attention.stuck,
            stuck_total=found.attention.stuck_total,
            next_up=found.attention.next_up,
            ready=found.attention.ready,
            changed=found.changed,
            changed_today=found.changed_today,
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
    stale_on=(*MISSION, "task", "issue", "milestone", "checkpoint", "queue", "agent", "observation", "run"),
    fades=True,
)
async def overview(call: Call, args: GetOverview) -> Overview:
    """Show an overview: open missions, running tasks, ended tasks, agents."""
    return await call.read(
        overview_view.overview,
        since=args.since,
        today=args.today,
        liveness=call.liveness,
        shown_at=call.launcher.shown_at,
    )


@tool(toolset="control", result=MissionGlances, reads=True, stale_on=(*MISSION, "task"))
async def overview_missions(call: Call, args: ListMissionGlances) -> MissionGlances:
    """List missions with their progress; filter by status and words."""
    page = await call.read(
        mission_lines.list_missions,
        text=args.text,
        statuses=args.status,
        archived=args.archived,
        limit=args.limit,
        offset=args.offset,
    )
    total = sum(n for status, n in page.counts.items() if args.status is None or status in args.status)
    return MissionGlances(missions=page.missions, counts=page.counts, total=total)
