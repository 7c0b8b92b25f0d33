"""Tools that start and complete a mission, also under the name workflow."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from mission.domain.missions.mission import Family, Mission, MissionOutcome, Profile
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.missions import completion, creation
from mission.services.missions.completion import FinishedMission
from mission.services.missions.creation import NewMission
from mission.tools.shared.fields import GivenTexts, MissionId, Name, Text, Texts
from mission.tools.shared.wording import Moment, Upper


class StartMission(Arguments):
    name: Name
    objective: Text = Field(description="Measurable goal")
    description: str | None = None
    profile: Profile = Field(Profile.STANDARD, description="Phases: simple 2, standard 3, complex 4+")
    total_phases: int | None = Field(None, ge=1, le=100)
    scope: str | None = None
    constraints: str | None = None
    repository_path: str | None = Field(None, description="Absolute; default: working directory")

    def new(self, family: Family) -> NewMission:
        return NewMission(
            name=self.name,
            objective=self.objective,
            family=family,
            description=self.description,
            profile=self.profile,
            total_phases=self.total_phases,
            scope=self.scope,
            constraints=self.constraints,
        )


class StartedMission(Result):
    mission_id: str = attribute("id")
    workflow_id: str = attribute("id")
    profile: Upper
    total_phases: int
    created_at: Moment


class CompleteMission(Arguments):
    aliases: ClassVar[dict[str, str]] = {"workflow_id": "mission_id"}

    mission_id: MissionId
    status: MissionOutcome
    summary: Text
    achievements: GivenTexts = []
    limitations: GivenTexts = []


class CompleteWorkflow(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    workflow_id: MissionId
    status: MissionOutcome
    summary: Text
    achievements: GivenTexts = []
    limitations: GivenTexts = []


class MissionMetrics(Result):
    total_phases: int
    total_tasks: int
    files_changed: int
    duration: float
    total_duration_seconds: float
    total_duration_minutes: float
    task_seconds: float
    tokens_input: int
    tokens_output: int


class CompletedMission(Result):
    mission_id: str
    workflow_id: str
    status: str
    summary: str
    achievements: Texts
    limitations: Texts
    metrics: MissionMetrics
    completed_at: Moment
    warnings: Texts

    @classmethod
    def of(cls, finished: FinishedMission) -> CompletedMission:
        mission, metrics = finished.mission, finished.metrics
        return cls(
            mission_id=mission.id,
            workflow_id=mission.id,
            status=finished.outcome,
            summary=mission.summary or "",
            achievements=list(mission.achievements),
            limitations=list(mission.limitations),
            metrics=MissionMetrics(
                total_phases=metrics.phases,
                total_tasks=metrics.tasks,
                files_changed=metrics.files_changed,
                duration=metrics.duration_seconds,
                total_duration_seconds=metrics.duration_seconds,
                total_duration_minutes=round(metrics.duration_seconds / 60, 2),
                task_seconds=metrics.task_seconds,
                tokens_input=metrics.tokens_input,
                tokens_output=metrics.tokens_output,
            ),
            completed_at=mission.completed_at or mission.updated_at,
            warnings=list(finished.warnings),
        )


@tool(toolset="mission", result=StartedMission)
async def start_mission(call: Call, args: StartMission) -> Mission:
    """Start a mission: one goal, worked on in phases. Call once, first."""
    return await _start(call, args, Family.MISSION)


@tool(toolset="mission", result=CompletedMission, idempotent=True)
async def complete_mission(call: Call, args: CompleteMission) -> FinishedMission:
    """End a mission. 'completed' requires all tasks to be finished; 'failed' and 'partial' skip open ones."""
    return await _complete(call, args.mission_id, args)


@tool(toolset="mission", result=StartedMission)
async def start_workflow(call: Call, args: StartMission) -> Mission:
    """Alias of start_mission."""
    return await _start(call, args, Family.WORKFLOW)


@tool(toolset="mission", result=CompletedMission, idempotent=True)
async def complete_workflow(call: Call, args: CompleteWorkflow) -> FinishedMission:
    """Alias of complete_mission."""
    return await _complete(call, args.workflow_id, args)


async def _start(call: Call, args: StartMission, family: Family) -> Mission:
    return await creation.start(
        call,
        call.trees,
        new=args.new(family),
        repository_path=args.repository_path,
        directory=call.directory,
    )


async def _complete(call: Call, mission_id: str, args: CompleteMission | CompleteWorkflow) -> FinishedMission:
    return await call.finish(
        completion.complete,
        mission_id=mission_id,
        outcome=args.status,
        summary=args.summary,
        achievements=args.achievements,
        limitations=args.limitations,
    )
