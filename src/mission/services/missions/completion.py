"""Use cases of a mission's end and of manual status changes: close what is open, and measure the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidState
from mission.domain.missions.mission import ENDED, Metrics, Mission, MissionOutcome, MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.plural import counted
from mission.domain.tasks.task import CHANGE_LISTS, Task
from mission.domain.timestamps import seconds_between
from mission.services.executions import commands
from mission.services.inbox import task_requests
from mission.services.tasks import updates
from mission.services.work import digest_of
from mission.store.transaction import Tx

NAMED_TASKS = 20
"""How many tasks an error or a warning names before it only counts them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FinishedMission:
    """A completed mission, its metrics, and the warnings for its caller."""

    mission: Mission
    outcome: MissionOutcome
    metrics: Metrics
    warnings: Sequence[str] = ()


def complete(
    tx: Tx,
    *,
    mission_id: str,
    outcome: MissionOutcome,
    summary: str,
    achievements: Sequence[str],
    limitations: Sequence[str],
) -> FinishedMission:
    """End the mission. `completed` requires all tasks to be ended; the others close open tasks and warn about them."""
    mission = tx.missions.get(mission_id)
    digest = digest_of([outcome, summary, list(achievements), list(limitations)])
    if mission.completion is not None and mission.completion["digest"] == digest:
        return _finished_before(mission)
    ended = mission.move_to(outcome.status, at=tx.now)
    open_tasks = tx.tasks.open_of_mission(mission_id)
    if open_tasks and outcome is MissionOutcome.COMPLETED:
        raise _still_open(mission, open_tasks)
    warnings = [
        *_close(tx, mission, open_tasks, failed=outcome is MissionOutcome.FAILED),
        *_stop_agents(tx, mission),
    ]
    metrics = measure(tx, mission=ended)
    ended = replace(
        ended,
        outcome=outcome,
        summary=summary,
        achievements=list(achievements),
        limitations=list(limitations),
        completion={"digest": digest, "metrics": asdict(metrics), "warnings": warnings},
    )
    tx.missions.save(ended)
    tx.emit(events.MissionUpdated(mission=ended))
    return FinishedMission(mission=ended, outcome=outcome, metrics=metrics, warnings=warnings)


def move(tx: Tx, *, mission_id: str, status: MissionStatus, reason: str | None) -> Mission:
    """Change a mission's status by hand; an end closes what is open, and `completed` requires all tasks to be ended."""
    outcomes = {outcome.status: outcome for outcome in (MissionOutcome.COMPLETED, MissionOutcome.FAILED)}
    if status in outcomes:
        return complete(
            tx, mission_id=mission_id, outcome=outcomes[status], summary=reason or "", achievements=(), limitations=()
        ).mission
    mission = tx.missions.get(mission_id)
    moved = mission.move_to(status, at=tx.now)
    if status in ENDED:
        _close(tx, mission, tx.tasks.open_of_mission(mission_id), failed=True)
        _stop_agents(tx, mission)
        moved = replace(moved, summary=reason)
    tx.missions.save(moved)
    tx.emit(events.MissionUpdated(mission=moved))
    return moved


def measure(tx: Tx, *, mission: Mission) -> Metrics:
    """Return the mission's metrics: distinct changed files, tokens, wall-clock and task time."""
    rows = tx.tasks.work_of_mission(mission.id)
    files = {path for row in rows if row.changes for kind in CHANGE_LISTS for path in row.changes[kind]}
    return Metrics(
        phases=len(tx.phases.of_mission(mission.id)),
        tasks=len(rows),
        files_changed=len(files),
        duration_seconds=seconds_between(mission.created_at, mission.completed_at or tx.now) or 0.0,
        task_seconds=round(sum(seconds_between(row.started_at, row.completed_at) or 0.0 for row in rows), 3),
        tokens_input=_total(rows, "tokens_input"),
        tokens_output=_total(rows, "tokens_output"),
    )


def _still_open(mission: Mission, tasks: Sequence[Task]) -> InvalidState:
    named = [f"{task.id} '{task.name}' ({task.status})" for task in tasks[:NAMED_TASKS]]
    more = f" and {len(tasks) - NAMED_TASKS} more" if len(tasks) > NAMED_TASKS else ""
    return InvalidState(
        f"mission {mission.id} still has {counted(len(tasks), 'open task')}: {', '.join(named)}{more}",
        hint="Complete or skip them first, or end the mission as 'failed', which skips them.",
        open_tasks=[task.id for task in tasks],
    )


def _close(tx: Tx, mission: Mission, open_tasks: Sequence[Task], *, failed: bool) -> list[str]:
    """Skip the open tasks and close the phases. Return the warnings."""
    warnings = [
        f"task {task.id} '{task.name}' was still {task.status} and is now skipped" for task in open_tasks[:NAMED_TASKS]
    ]
    if len(open_tasks) > NAMED_TASKS:
        warnings.append(f"{len(open_tasks) - NAMED_TASKS} more tasks were still open and are now skipped")
    if open_tasks:
        updates.skip_all(tx, mission_id=mission.id, tasks=open_tasks)
    task_requests.mission_ended(tx, mission_id=mission.id)
    return warnings + _close_phases(tx, mission, failed=failed)


def _close_phases(tx: Tx, mission: Mission, *, failed: bool) -> list[str]:
    """Close the phases of a mission that has ended: none stays in progress or pending. Return the warnings."""
    warnings = []
    for phase in tx.phases.of_mission(mission.id):
        running = phase.status is PhaseStatus.IN_PROGRESS
        if running or (phase.planned and not phase.closed):
            closed = phase.move_to(PhaseStatus.FAILED if failed else PhaseStatus.COMPLETED, at=tx.now)
            tx.phases.save(closed)
            tx.emit(events.PhaseUpdated(phase=closed))
        if running:
            warnings.append(f"phase {phase.number} '{phase.name}' was still in progress and is now {closed.status}")
    return warnings


def _stop_agents(tx: Tx, mission: Mission) -> list[str]:
    """Request the stop of the agents that still run. Return the warnings."""
    running = commands.stop_all(tx, mission_id=mission.id)
    return [f"execution {id} is still running and is being stopped" for id in running[:NAMED_TASKS]]


def _finished_before(mission: Mission) -> FinishedMission:
    stored = mission.completion or {}
    return FinishedMission(
        mission=mission,
        outcome=mission.outcome or MissionOutcome.COMPLETED,
        metrics=Metrics(**stored["metrics"]),
        warnings=stored["warnings"],
    )


def _total(rows: Sequence[Any], key: str) -> int:
    return sum(int((row.metadata or {}).get(key) or 0) for row in rows)
