"""Tools that start and complete a phase."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from mission.domain.missions.phase import PhaseStatus
from mission.domain.timestamps import seconds_between
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services import phases
from mission.services.phases import PhaseCompletion, PhaseStart
from mission.tools.shared.fields import MissionId, Name, PhaseId, PhaseNumber, Texts
from mission.tools.shared.wording import Moment, Upper


class StartPhase(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    workflow_id: MissionId = Field(description="Mission or workflow id")
    number: PhaseNumber
    name: Name
    description: str | None = None
    is_parallel: bool = False


class StartedPhase(Result):
    phase_id: str = attribute("phase.id")
    workflow_id: str = attribute("phase.mission_id")
    mission_id: str = attribute("phase.mission_id")
    number: int = attribute("phase.number")
    name: str = attribute("phase.name")
    is_parallel: bool = attribute("phase.is_parallel")
    status: Upper = attribute("phase.status")
    started_at: Moment | None = attribute("phase.started_at")
    already_exists: bool


class CompletePhase(Arguments):
    phase_id: PhaseId
    status: Literal["completed", "failed"]
    summary: str | None = None


class PhaseTasks(Result):
    total: int
    success: int
    partial: int
    failed: int
    in_progress: int


class CompletedPhase(Result):
    phase_id: str
    workflow_id: str
    mission_id: str
    number: int
    name: str
    status: str
    completed_at: Moment | None
    duration_ms: int
    tasks: PhaseTasks
    warnings: Texts

    @classmethod
    def of(cls, completed: PhaseCompletion) -> CompletedPhase:
        phase = completed.phase
        return cls(
            phase_id=phase.id,
            workflow_id=phase.mission_id,
            mission_id=phase.mission_id,
            number=phase.number,
            name=phase.name,
            status=phase.status,
            completed_at=phase.completed_at,
            duration_ms=round((seconds_between(phase.started_at, phase.completed_at) or 0) * 1000),
            tasks=completed.tally,
            warnings=completed.warnings,
        )


@tool(toolset="mission", result=StartedPhase, idempotent=True)
async def start_phase(call: Call, args: StartPhase) -> PhaseStart:
    """Start a phase before its tasks. An existing one is returned unchanged."""
    return await call.finish(
        phases.start,
        mission_id=args.workflow_id,
        number=args.number,
        name=args.name,
        description=args.description,
        is_parallel=args.is_parallel,
    )


@tool(toolset="mission", result=CompletedPhase, idempotent=True)
async def complete_phase(call: Call, args: CompletePhase) -> PhaseCompletion:
    """Complete a phase after its tasks. warnings lists open ones."""
    return await call.finish(
        phases.complete,
        phase_id=args.phase_id,
        status=PhaseStatus(args.status),
        summary=args.summary,
    )
