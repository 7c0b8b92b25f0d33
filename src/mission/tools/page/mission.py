"""Tools behind the page's mission view: overview, journal, changed files, export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from mission.domain.checks.evidence import EvidenceState
from mission.domain.tasks.journal import JournalEntry
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import mission as mission_view
from mission.services.views import mission_changes
from mission.services.views import mission_export as export_view
from mission.services.views.mission import JournalPage, MissionDetail
from mission.services.views.mission_changes import TaskChange
from mission.services.views.mission_export import Export
from mission.services.views.task_lines import Count, TaskLine
from mission.tools.page.overview import TaskCount
from mission.tools.shared.fields import MissionId, Range
from mission.tools.shared.topics import JOURNAL, MISSION
from mission.tools.shared.wording import Moment


class PhaseGlance(Result):
    number: int
    name: str
    status: str
    is_parallel: bool
    started_at: Moment | None
    completed_at: Moment | None
    tasks: TaskCount


class CheckCount(Result):
    passed: int
    failed: int
    total: int

    @classmethod
    def of(cls, proof: Mapping[str, Any] | None) -> CheckCount | None:
        """Count the required checks in a stored proof; None if it has none."""
        states = [each["state"] for each in (proof or {}).get("checks", ()) if each["required"]]
        if not states:
            return None
        return cls(
            passed=states.count(EvidenceState.PASSED), failed=states.count(EvidenceState.FAILED), total=len(states)
        )


class MissionTask(Result):
    id: str
    name: str
    phase: int
    state: str
    agent_id: str | None
    agent: str | None
    depends_on: list[str]
    waiting_for: int
    attempts: int
    failed_attempts: int
    lease_until: Moment | None
    started_at: Moment | None
    attempt_started_at: Moment | None = Field(description="When the current attempt started or last resumed")
    completed_at: Moment | None
    remaining_seconds: float | None = Field(description="Estimate for an open task; null until enough tasks have ended")
    files: int | None
    group: str | None
    critical: bool = Field(description="On the critical path of the mission")
    proof_state: str | None = Field(description="proved, unproved, accepted, failing or checking")
    checks: CheckCount | None = Field(description="Outcomes of its required checks at its last report")
    flags: int = Field(description="Reasons to look at its result")

    @classmethod
    def of(cls, line: TaskLine, found: MissionDetail) -> MissionTask:
        row = line.row
        return cls(
            id=row.id,
            name=row.name,
            phase=row.phase_number,
            state=line.word,
            agent_id=row.owner_id,
            agent=line.agent,
            depends_on=list(found.edges.get(row.id, ())),
            waiting_for=row.waiting_for,
            attempts=row.attempts,
            failed_attempts=row.failed_attempts,
            lease_until=row.lease_until,
            started_at=row.started_at,
            attempt_started_at=row.attempt_started_at,
            completed_at=row.completed_at,
            remaining_seconds=found.remaining.get(row.id),
            files=line.files,
            group=row.parallel_group,
            critical=row.id in found.critical.tasks,
            proof_state=row.proof_state,
            checks=CheckCount.of(row.proof),
            flags=len((row.proof or {}).get("flags", ())),
        )


class LookMission(Arguments):
    mission_id: MissionId


class MissionOverview(Result):
    now: Moment
    lease_seconds: float
    id: str
    name: str
    objective: str
    status: str
    summary: str | None
    plan_summary: str | None
    source_content: str | None = Field(description="The prompt or issue of a workflow, possibly truncated")
    plan: dict[str, Any] | None
    repository_path: str | None
    max_parallel: int
    created_at: Moment
    updated_at: Moment
    started_at: Moment | None
    completed_at: Moment | None
    archived_at: Moment | None
    counts: TaskCount
    phases: list[PhaseGlance]
    tasks: list[MissionTask]
    entries: int
    files: int
    task_seconds: float
    typical_seconds: float | None = Field(description="Typical task duration; null until enough tasks have ended")
    remaining_seconds: float | None = Field(description="Estimate from workflow_progress")
    estimated_range: Range | None = Field(description="Low and high of remaining_seconds")
    critical_seconds: float | None = Field(description="Remaining time of the critical path, regardless of parallelism")

    @classmethod
    def of(cls, found: MissionDetail) -> MissionOverview:
        mission = found.mission
        none = Count()
        return cls(
            now=found.now,
            lease_seconds=found.lease_seconds,
            id=mission.id,
            name=mission.name,
            objective=mission.objective,
            status=found.status,
            summary=mission.summary,
            plan_summary=mission.plan_summary,
            source_content=found.source,
            plan=dict(mission.plan) if mission.plan is not None else None,
            repository_path=mission.repository_path,
            max_parallel=mission.max_parallel,
            created_at=mission.created_at,
            updated_at=mission.updated_at,
            started_at=mission.started_at,
            completed_at=mission.completed_at,
            archived_at=mission.archived_at,
            counts=found.count,
            phases=[
                PhaseGlance(
                    number=phase.number,
                    name=phase.name,
                    status=phase.status,
                    is_parallel=phase.is_parallel,
                    started_at=phase.started_at,
                    completed_at=phase.completed_at,
                    tasks=found.phase_counts.get(phase.number, none),
                )
                for phase in found.phases
            ],
            tasks=[MissionTask.of(line, found) for line in found.tasks],
            entries=found.entries,
            files=found.files,
            task_seconds=found.task_seconds,
            typical_seconds=found.typical.seconds if found.typical else None,
            remaining_seconds=found.estimate.seconds if found.estimate else None,
            estimated_range=list(found.estimate.range) if found.estimate else None,
            critical_seconds=found.critical.remaining if found.estimate else None,
        )


class ReadJournal(Arguments):
    mission_id: MissionId
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = Field(None, description="next_cursor of the previous page")


class JournalRow(Result):
    id: str
    kind: str
    summary: str
    detail: dict[str, Any]
    task_id: str
    task_name: str
    author: str | None
    open_blocker: bool
    created_at: Moment

    @classmethod
    def of(cls, entry: JournalEntry, task_name: str, names: dict[str, str]) -> JournalRow:
        return cls(
            id=entry.id,
            kind=entry.kind,
            summary=entry.summary,
            detail=dict(entry.content),
            task_id=entry.task_id,
            task_name=task_name,
            author=entry.author_name(names),
            open_blocker=entry.open_blocker,
            created_at=entry.created_at,
        )


class MissionJournal(Result):
    entries: list[JournalRow]
    next_cursor: str | None

    @classmethod
    def of(cls, page: JournalPage) -> MissionJournal:
        names = dict(page.names)
        return cls(
            entries=[JournalRow.of(entry, task_name, names) for entry, task_name in page.entries],
            next_cursor=page.next,
        )


class ChangedBy(Result):
    task_id: str
    task_name: str
    how: str = Field(description="A added, M modified, D deleted, R renamed")
    added: int | None = Field(description="Added lines; null if unknown")
    removed: int | None

    @classmethod
    def of(cls, change: TaskChange) -> ChangedBy:
        return cls(
            task_id=change.task_id,
            task_name=change.task_name,
            how=change.how,
            added=change.lines.added if change.lines else None,
            removed=change.lines.removed if change.lines else None,
        )


class ChangedPath(Result):
    path: str
    tasks: list[ChangedBy] = attribute("changes")


class MissionChanges(Result):
    files: list[ChangedPath]
    added: int = attribute("total.added", description="Added lines of all tasks, as far as they are known")
    removed: int = attribute("total.removed")
    uncounted: int = Field(description="Files with unknown lines")
    trees_left_out: int = Field(description="Worktrees that were not compared")


class ExportMission(Arguments):
    mission_id: MissionId
    format: Literal["markdown", "html", "json"] = "markdown"


class ExportedMission(Result):
    filename: str
    media_type: str
    content: str


@tool(
    toolset="control",
    result=MissionOverview,
    reads=True,
    stale_on=(*MISSION, "task", *JOURNAL, "queue", "agent"),
    about="mission",
    fades=True,
)
async def overview_mission(call: Call, args: LookMission) -> MissionDetail:
    """Read a complete mission: phases, all tasks with dependencies, and metrics."""
    return await call.read(mission_view.get, mission_id=args.mission_id, liveness=call.liveness)


@tool(toolset="control", result=MissionJournal, reads=True, stale_on=JOURNAL, about="mission")
async def overview_journal(call: Call, args: ReadJournal) -> JournalPage:
    """Read a mission's journal, newest first: decisions, issues, milestones, checkpoints."""
    return await call.read(mission_view.read_journal, mission_id=args.mission_id, limit=args.limit, cursor=args.cursor)


@tool(toolset="control", result=MissionChanges, reads=True, stale_on=("task",), about="mission")
async def overview_changes(call: Call, args: LookMission) -> mission_changes.MissionChanges:
    """List the files and lines that a mission's ended tasks changed, with the tasks that changed each."""
    return await call.read(mission_changes.read, mission_id=args.mission_id)


@tool(toolset="control", result=MissionChanges, reads=True)
async def overview_running_changes(call: Call, args: LookMission) -> mission_changes.MissionChanges:
    """List what differs now in the worktrees of a mission's running tasks."""
    return await mission_changes.read_running(call, call.trees, mission_id=args.mission_id)


@tool(toolset="control", result=ExportedMission, reads=True)
async def mission_export(call: Call, args: ExportMission) -> Export:
    """Export a mission with tasks, journal and changed files as Markdown, HTML or JSON."""
    return await call.read(export_view.export, mission_id=args.mission_id, format=args.format, liveness=call.liveness)
