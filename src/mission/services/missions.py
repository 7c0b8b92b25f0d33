"""Use cases of a mission as a whole: start, complete, list, archive, delete."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from mission.domain import events
from mission.domain.errors import InvalidInput, InvalidState, NotFound
from mission.domain.execution import LIVE
from mission.domain.ids import new_id
from mission.domain.mission import ENDED, Family, Metrics, Mission, MissionStatus, Outcome, Profile
from mission.domain.phase import PhaseStatus
from mission.domain.task import CHANGE_LISTS, Task
from mission.domain.times import seconds_between
from mission.services import tasks
from mission.services.launching import Launcher
from mission.services.trees import Place, Trees
from mission.services.work import Work, digest_of
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

NAMED_TASKS = 20
"""How many tasks an error or a warning names before it only counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewMission:
    """What a caller says about the mission it starts."""

    name: str
    objective: str
    family: Family
    description: str | None = None
    profile: Profile = Profile.STANDARD
    total_phases: int | None = None
    scope: str | None = None
    constraints: str | None = None
    source_type: str = "prompt"
    source_ref: str | None = None
    source_content: str | None = None
    max_parallel: int = 1
    auto_create_workspaces: bool = False
    workspace_setup: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A completed mission, what it came to, and what its caller should know."""

    mission: Mission
    outcome: Outcome
    metrics: Metrics
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A mission in a list, with how far it is."""

    mission: Mission
    tasks_total: int
    tasks_completed: int


async def start(
    work: Work,
    trees: Trees,
    *,
    new: NewMission,
    repository_path: str | None,
    directory: str | None,
    answer: Callable[[Mission], Answer],
) -> Answer:
    """Start a mission in the named repository, or in the one the caller stands in."""
    place = await trees.named(repository_path) or await trees.around(directory)
    return await work.write(create, new=new, place=place, answer=answer)


async def newest_here(work: Work, trees: Trees, *, named: Place | None = None, directory: str | None) -> Mission:
    """The newest open mission of the repository that the caller named or stands in."""
    place = named or await trees.around(directory)
    if place is None:
        raise InvalidInput(
            "mission_id: no mission was named and no repository is known to look for one",
            hint="Give the mission_id; start_mission makes one.",
            field="mission_id",
        )
    return await work.read(_newest_open, place=place)


def _newest_open(tx: Tx, *, place: Place) -> Mission:
    path = str(place.tree.path)
    mission = tx.missions.newest_open(host_id=place.host_id, path=path, common_dir=place.common_dir)
    if mission is None:
        raise NotFound(
            "there is no open mission for this repository",
            hint="Start one with start_mission {name, objective}, then give its mission_id.",
        )
    return mission


def create(tx: Tx, *, new: NewMission, place: Place | None) -> Mission:
    """A new mission, not yet in progress."""
    mission = Mission(
        id=new_id("mission"),
        name=new.name,
        objective=new.objective,
        family=new.family,
        description=new.description,
        profile=new.profile,
        total_phases=new.total_phases or new.profile.phases,
        scope=new.scope,
        constraints=new.constraints,
        source_type=new.source_type,
        source_ref=new.source_ref,
        max_parallel=new.max_parallel,
        auto_create_workspaces=new.auto_create_workspaces,
        workspace_setup=new.workspace_setup,
        repository_id=place.known_to(tx) if place else None,
        repository_path=str(place.tree.path) if place else None,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.missions.add(mission)
    if new.source_content is not None:
        tx.missions.set_source(mission.id, new.source_content)
    tx.emit(events.MissionCreated(mission=mission))
    return mission


def complete(
    tx: Tx,
    *,
    mission_id: str,
    outcome: Outcome,
    summary: str,
    achievements: Sequence[str],
    limitations: Sequence[str],
) -> Finished:
    """End the mission. `completed` wants every task ended; the others close what is open and say so."""
    mission = tx.missions.get(mission_id)
    digest = digest_of([outcome, summary, list(achievements), list(limitations)])
    if mission.completion is not None and mission.completion["digest"] == digest:
        return _finished_before(mission)
    ended = mission.move_to(outcome.status, at=tx.now)
    open_tasks = tx.tasks.open_of_mission(mission_id)
    if open_tasks and outcome is Outcome.COMPLETED:
        raise _still_open(mission, open_tasks)
    warnings = [*_close(tx, mission, open_tasks, failed=outcome is Outcome.FAILED), *_agents_that_run(tx, mission)]
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
    return Finished(mission=ended, outcome=outcome, metrics=metrics, warnings=warnings)


def move(tx: Tx, *, mission_id: str, status: MissionStatus, reason: str | None) -> Mission:
    """Move a mission by hand; one that ends so closes what is open in it, and completed wants every task ended."""
    outcomes = {outcome.status: outcome for outcome in (Outcome.COMPLETED, Outcome.FAILED)}
    if status in outcomes:
        return complete(
            tx, mission_id=mission_id, outcome=outcomes[status], summary=reason or "", achievements=(), limitations=()
        ).mission
    mission = tx.missions.get(mission_id)
    moved = mission.move_to(status, at=tx.now)
    if status in ENDED:
        _close(tx, mission, tx.tasks.open_of_mission(mission_id), failed=True)
        moved = replace(moved, summary=reason)
    tx.missions.save(moved)
    tx.emit(events.MissionUpdated(mission=moved))
    return moved


def measure(tx: Tx, *, mission: Mission) -> Metrics:
    """What the mission came to: distinct changed files, tokens, wall-clock and task time."""
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


def page(
    tx: Tx,
    *,
    statuses: Sequence[str] | None,
    repository_path: str | None,
    archived: bool,
    limit: int,
    offset: int,
) -> tuple[list[Listed], int]:
    """Missions, the most recently active first, and how many there are in all."""
    missions, total = tx.missions.page(
        statuses=statuses, repository_path=repository_path, archived=archived, limit=limit, offset=offset
    )
    totals = tx.missions.task_totals([mission.id for mission in missions])
    listed = []
    for mission in missions:
        tasks, completed = totals.get(mission.id, (0, 0))
        listed.append(Listed(mission=mission, tasks_total=tasks, tasks_completed=completed))
    return listed, total


def archive(tx: Tx, *, mission_id: str, archived: bool) -> Mission:
    """Take an ended mission out of the lists, or bring it back; nothing of it is lost."""
    mission = tx.missions.get(mission_id)
    _check_ended(mission, "archived")
    mission = replace(mission, archived_at=tx.now if archived else None, updated_at=tx.now)
    tx.missions.save(mission)
    tx.emit(events.MissionUpdated(mission=mission))
    return mission


async def remove(work: Work, launcher: Launcher, *, mission_id: str, answer: Callable[[Mission], Answer]) -> Answer:
    """Delete a mission, and with it what its launched agents showed."""
    launched = await work.read(_launched, mission_id=mission_id)
    deleted = await work.write(delete, mission_id=mission_id, answer=answer)
    await launcher.forget(launched)
    return deleted


def delete(tx: Tx, *, mission_id: str) -> Mission:
    """Remove an ended mission with its phases, tasks and journal; events and audit keep their own times."""
    mission = tx.missions.get(mission_id)
    _check_ended(mission, "deleted")
    running = tx.executions.ids(mission_id=mission_id, statuses=LIVE)
    if running:
        raise InvalidState(
            f"agents of mission {mission_id} still run: {', '.join(running[:NAMED_TASKS])}",
            hint="They are being stopped since their mission ended; 'mission stop ID' waits for one to be gone.",
        )
    standing = tx.workspaces.page(mission_id=mission_id, statuses=None, removed=False, limit=NAMED_TASKS, offset=0)
    if standing:
        raise InvalidState(
            f"mission {mission_id} still has worktrees: {', '.join(workspace.id for workspace in standing)}",
            hint="Remove them first with workspace_remove; it says what would be lost.",
        )
    tx.missions.delete(mission_id)
    tx.emit(events.MissionDeleted(mission=mission))
    return mission


def _launched(tx: Tx, *, mission_id: str) -> list[str]:
    return tx.executions.ids(mission_id=mission_id)


def _check_ended(mission: Mission, wanted: str) -> None:
    if mission.status not in ENDED:
        raise InvalidState(
            f"mission {mission.id} is {mission.status} and cannot be {wanted}",
            hint="Complete it first with complete_mission (failed and partial close its open tasks).",
            current=str(mission.status),
        )


def _still_open(mission: Mission, tasks: Sequence[Task]) -> InvalidState:
    named = [f"{task.id} '{task.name}' ({task.status})" for task in tasks[:NAMED_TASKS]]
    more = f" and {len(tasks) - NAMED_TASKS} more" if len(tasks) > NAMED_TASKS else ""
    return InvalidState(
        f"mission {mission.id} still has {len(tasks)} open task(s): {', '.join(named)}{more}",
        hint="Complete or skip them first, or end the mission as 'failed', which skips them.",
        open_tasks=[task.id for task in tasks],
    )


def _close(tx: Tx, mission: Mission, open_tasks: Sequence[Task], *, failed: bool) -> list[str]:
    """Skip what is open and close the phases; what to say about it."""
    warnings = [
        f"task {task.id} '{task.name}' was still {task.status} and is skipped now" for task in open_tasks[:NAMED_TASKS]
    ]
    if len(open_tasks) > NAMED_TASKS:
        warnings.append(f"{len(open_tasks) - NAMED_TASKS} more tasks were still open and are skipped now")
    if open_tasks:
        tasks.skip_all(tx, mission_id=mission.id, tasks=open_tasks)
    return warnings + _close_phases(tx, mission, failed=failed)


def _close_phases(tx: Tx, mission: Mission, *, failed: bool) -> list[str]:
    """A mission that has ended leaves no phase in progress behind, and none of its plan waiting."""
    warnings = []
    for phase in tx.phases.of_mission(mission.id):
        running = phase.status is PhaseStatus.IN_PROGRESS
        if running or (phase.planned and not phase.closed):
            closed = phase.move_to(PhaseStatus.FAILED if failed else PhaseStatus.COMPLETED, at=tx.now)
            tx.phases.save(closed)
            tx.emit(events.PhaseUpdated(phase=closed))
        if running:
            warnings.append(f"phase {phase.number} '{phase.name}' was still in progress and is {closed.status} now")
    return warnings


def _agents_that_run(tx: Tx, mission: Mission) -> list[str]:
    """Their daemon stops them when it hears of the end."""
    running = tx.executions.ids(mission_id=mission.id, statuses=LIVE)
    return [f"execution {id} still runs and is stopped" for id in running[:NAMED_TASKS]]


def _finished_before(mission: Mission) -> Finished:
    stored = mission.completion or {}
    return Finished(
        mission=mission,
        outcome=mission.outcome or Outcome.COMPLETED,
        metrics=Metrics(**stored["metrics"]),
        warnings=stored["warnings"],
    )


def _total(rows: Sequence[Any], key: str) -> int:
    return sum(int((row.metadata or {}).get(key) or 0) for row in rows)
