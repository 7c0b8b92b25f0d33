"""Tools that start and complete a phase."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from mission.domain.missions.phase import PhaseStatus
from mission.domain.timestamps import seconds_between
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services import phases
from mission.services.phases import PhaseCompletion as Closed
from mission.services.phases import PhaseStart as Opened
from mission.tools.shared.fields import MissionId, Name, PhaseId, PhaseNumber, Texts
from mission.tools.shared.wording import Moment


class StartPhase(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    workflow_id: MissionId = Field(description="Mission or workflow id")
    number: PhaseNumber
    name: Name
    description: str | None = None
    is_parallel: bool = False


class StartedPhase(Result):
    phase_id: str
    workflow_id: str
    mission_id: str
    number: int
    name: str
    is_parallel: bool
    status: str
    started_at: Moment | None
    already_exists: bool

    @classmethod
    def of(cls, opened: Opened) -> StartedPhase:
        phase = opened.phase
        return cls(
            phase_id=phase.id,
            workflow_id=phase.mission_id,
            mission_id=phase.mission_id,
            number=phase.number,
            name=phase.name,
            is_parallel=phase.is_parallel,
            status=phase.status.upper(),
            started_at=phase.started_at,
            already_exists=opened.already_exists,
        )


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
    def of(cls, closed: Closed) -> CompletedPhase:
        phase, tally = closed.phase, closed.tally
        return cls(
            phase_id=phase.id,
            workflow_id=phase.mission_id,
            mission_id=phase.mission_id,
            number=phase.number,
            name=phase.name,
            status=phase.status,
            completed_at=phase.completed_at,
            duration_ms=round((seconds_between(phase.started_at, phase.completed_at) or 0) * 1000),
            tasks=PhaseTasks(
                total=tally.total,
                success=tally.success,
                partial=tally.partial,
                failed=tally.failed,
                in_progress=tally.in_progress,
            ),
            warnings=list(closed.warnings),
        )


@tool(toolset="mission", idempotent=True)
async def start_phase(call: Call, args: StartPhase) -> StartedPhase:
    """Start a phase before its tasks. An existing one is returned unchanged."""
    return await call.write(
        phases.start,
        mission_id=args.workflow_id,
        number=args.number,
        name=args.name,
        description=args.description,
        is_parallel=args.is_parallel,
        answer=StartedPhase.of,
    )


@tool(toolset="mission", idempotent=True)
async def complete_phase(call: Call, args: CompletePhase) -> CompletedPhase:
    """Complete a phase after its tasks. warnings names open ones."""
    return await call.write(
        phases.complete,
        phase_id=args.phase_id,
        status=PhaseStatus(args.status),
        summary=args.summary,
        answer=CompletedPhase.of,
    )
