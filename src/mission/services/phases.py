"""Use cases of phases: start, complete, and find the phase of a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.ids import new_id
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import Phase, PhaseCounts, PhaseStatus, current_phase
from mission.services.work import digest_of
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseStart:
    phase: Phase
    already_exists: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseCompletion:
    phase: Phase
    tally: PhaseCounts
    warnings: Sequence[str] = ()


def start(tx: Tx, *, mission_id: str, number: int, name: str, description: str | None, is_parallel: bool) -> PhaseStart:
    """Start a phase; an existing one is returned as it is, and started if it was pending."""
    mission = start_mission(tx, mission_id)
    phase = tx.phases.by_number(mission_id, number)
    if phase is None:
        phase = _add(tx, mission, number=number, name=name, description=description, is_parallel=is_parallel)
        return PhaseStart(phase=phase, already_exists=False)
    if phase.status is PhaseStatus.PENDING:
        phase = phase.move_to(PhaseStatus.IN_PROGRESS, at=tx.now)
        _save(tx, mission, phase)
    return PhaseStart(phase=phase, already_exists=True)


def complete(tx: Tx, *, phase_id: str, status: PhaseStatus, summary: str | None) -> PhaseCompletion:
    """Close a phase that is in progress; the warnings name tasks that are still open."""
    phase = tx.phases.get(phase_id)
    digest = digest_of([status, summary])
    if phase.completion is not None and phase.status is status and phase.completion["digest"] in {digest, ""}:
        return PhaseCompletion(
            phase=phase, tally=PhaseCounts(**phase.completion["tally"]), warnings=phase.completion["warnings"]
        )
    if phase.status is PhaseStatus.PENDING:
        raise InvalidState(
            f"phase {phase.number} ({phase.id}) has not started",
            action=Action.START_PHASE,
            current="pending",
        )
    mission = tx.missions.get(phase.mission_id)
    return close(tx, mission=mission, phase=phase, status=status, summary=summary, digest=digest)


def close(
    tx: Tx,
    *,
    mission: Mission,
    phase: Phase,
    status: PhaseStatus,
    summary: str | None = None,
    digest: str = "",
    ending_task: str | None = None,
) -> PhaseCompletion:
    """Close a phase and notify its mission's readers; the task that ends with it counts as ended."""
    open_tasks = [task for task in tx.tasks.open_of_phase(phase.id) if task.id != ending_task]
    warnings = [f"task {task.id} '{task.name}' is still {task.status}" for task in open_tasks]
    tally = {name: getattr(phase.counts, name) for name in PhaseCounts.__dataclass_fields__}
    closed = replace(
        phase.move_to(status, at=tx.now),
        summary=summary,
        completion={"digest": digest, "tally": tally, "warnings": warnings},
    )
    _save(tx, mission, closed)
    return PhaseCompletion(phase=closed, tally=phase.counts, warnings=warnings)


def settle(tx: Tx, *, mission: Mission, phase_id: str, ending_task: str | None = None) -> Phase:
    """Return the phase after one of its tasks has ended: a planned phase closes with its last task."""
    phase = tx.phases.get(phase_id)
    if phase.planned and not phase.closed and not phase.counts.open and not phase.counts.failed:
        return close(tx, mission=mission, phase=phase, status=PhaseStatus.COMPLETED, ending_task=ending_task).phase
    return phase


def for_task(
    tx: Tx, *, mission: Mission, phase_id: str | None, number: int | None, name: str | None
) -> tuple[Phase, bool]:
    """Return the open phase that a task starts in, and whether it was just created."""
    number = _number(tx, mission, phase_id=phase_id, number=number)
    phase = tx.phases.by_number(mission.id, number)
    if phase is None:
        return _add(tx, mission, number=number, name=name or f"Phase {number}"), True
    numbers = [other.number for other in tx.phases.of_mission(mission.id) if not other.closed] if phase.closed else []
    started = phase.start(at=tx.now, open_phases=numbers)
    if started is not phase:
        _save(tx, mission, started)
    return started, False


def start_mission(tx: Tx, mission_id: str) -> Mission:
    """Return the mission, set to in progress if it was not yet."""
    mission = tx.missions.get(mission_id)
    started = mission.start(at=tx.now)
    if started is not mission:
        tx.missions.save(started)
        tx.emit(events.MissionUpdated(mission=started))
    return started


def _number(tx: Tx, mission: Mission, *, phase_id: str | None, number: int | None) -> int:
    """Return the number of the phase that was meant: by its id, by its number, or the current one."""
    if phase_id is not None:
        phase = tx.phases.get(phase_id)
        if phase.mission_id != mission.id or (number is not None and number != phase.number):
            raise InvalidInput(
                f"phase_id: {phase_id} is phase {phase.number} of mission {phase.mission_id}",
                hint="Give a phase of the same mission, or omit phase_id.",
                field="phase_id",
            )
        return phase.number
    return number or current_phase(tx.phases.of_mission(mission.id), total=mission.total_phases)


def _add(
    tx: Tx,
    mission: Mission,
    *,
    number: int,
    name: str,
    description: str | None = None,
    is_parallel: bool = False,
) -> Phase:
    phase = Phase(
        id=new_id("phase"),
        mission_id=mission.id,
        number=number,
        name=name,
        description=description,
        is_parallel=is_parallel,
        created_at=tx.now,
    ).move_to(PhaseStatus.IN_PROGRESS, at=tx.now)
    tx.phases.add(phase)
    tx.missions.touch(mission.id, now=tx.now)
    tx.emit(events.PhaseCreated(phase=phase))
    tx.emit(events.MissionUpdated(mission=mission))
    return phase


def _save(tx: Tx, mission: Mission, phase: Phase) -> None:
    tx.phases.save(phase)
    tx.missions.touch(mission.id, now=tx.now)
    tx.emit(events.PhaseUpdated(phase=phase))
    tx.emit(events.MissionUpdated(mission=mission))
