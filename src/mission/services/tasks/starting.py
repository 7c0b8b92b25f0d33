"""Use cases of a task's start: record its owner, its tree, and the snapshot of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from mission.domain import events
from mission.domain.errors import InvalidInput
from mission.domain.ids import new_id
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import Phase
from mission.domain.tasks import moves
from mission.domain.tasks.moves import TaskMove
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.git.snapshot import Snapshot
from mission.services import phases
from mission.services.repositories.working_trees import NO_TREE, Report, TreeLocation, Trees
from mission.services.tasks import dependencies, preparation, recovery_packet, updates
from mission.services.tasks.preparation import TaskRequest
from mission.services.tasks.recovery_packet import Recovery, UncommittedChanges
from mission.services.work import Work
from mission.services.workspaces import per_task
from mission.services.workspaces.per_task import PreparedWorktrees
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """The new owner of a task: an agent with a lease, or an unknown caller without one."""

    agent_id: str | None
    lease: timedelta
    fence: int | None = None
    keeps: bool = False
    """True if an unknown caller leaves the task with its current owner."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Started:
    task: Task
    phase: Phase
    phase_created: bool
    snapshot: Snapshot | None
    warnings: Sequence[str] = ()
    recovery: Recovery | None = None


async def start(
    work: Work,
    trees: Trees,
    *,
    request: TaskRequest,
    owner: Owner,
    repository_path: str | None,
    directory: str | None,
    report: Report | None = None,
) -> Started:
    """Start a task: find its mission and its tree, take the tree's snapshot, then record it."""
    prepared = await preparation.prepare(
        work, trees, request=request, repository_path=repository_path, directory=directory, report=report
    )
    taken_over = prepared.task is not None and prepared.task.owner_id != owner.agent_id
    uncommitted = await recovery_packet.uncommitted_in(work, trees, prepared.task) if taken_over else {}
    async with prepared.dropped_if_refused(trees):
        return await work.finish(
            record,
            uncommitted=uncommitted,
            request=request,
            mission_id=prepared.mission_id,
            owner=owner,
            place=prepared.place,
            snapshot=prepared.snapshot,
            worktrees=prepared.worktrees,
        )


def record(
    tx: Tx,
    *,
    request: TaskRequest,
    mission_id: str,
    owner: Owner,
    place: TreeLocation | None,
    snapshot: Snapshot | None,
    uncommitted: UncommittedChanges | None = None,
    worktrees: PreparedWorktrees | None = None,
    resumes: bool = False,
) -> Started:
    """Record the start of a task: a new one, or one that was pending, failed or released.

    With `resumes`, an agent may return to its own task that already runs because its question was answered.
    """
    known = tx.tasks.get(request.task_id) if request.task_id is not None else None
    if known is not None:
        known.check_startable(owner.agent_id, owner.fence, now=tx.now)
    mission = _adopted(tx, phases.start_mission(tx, mission_id), place)
    recovery = _recovery(tx, known, owner, uncommitted or {})
    if known is None:
        phase, created = _phase_of_new(tx, request, mission)
        new = _in_tree(_new_task(tx, request, mission, phase, owner), place, snapshot)
        started = updates.add(tx, new, mission=mission)
    else:
        dependencies.check_done(tx, known)
        phase, created = phases.for_task(tx, mission=mission, phase_id=known.phase_id, number=None, name=None)
        move = _start(tx, _with_areas(known, request), owner, resumes=resumes)
        taken, _ = per_task.assign_worktree(tx, mission, move.after, worktrees) if worktrees else (move.after, None)
        (started,) = updates.apply(tx, replace(move, after=_in_tree(taken, place, snapshot)), mission=mission)
    return Started(
        task=started,
        phase=phase,
        phase_created=created,
        snapshot=snapshot,
        warnings=[*_warnings(mission, phase, place), *(snapshot.left_out if snapshot else ())],
        recovery=recovery,
    )


def _with_areas(known: Task, request: TaskRequest) -> Task:
    """Return a planned task with the areas that its agent announces, unless the plan names its own."""
    return known if known.areas or not request.areas else replace(known, areas=request.areas)


def _start(tx: Tx, known: Task, owner: Owner, *, resumes: bool) -> TaskMove:
    owned = with_owner(known, owner, tx=tx)
    if resumes and owned.status is TaskStatus.IN_PROGRESS:
        return moves.resumed_by(known, owned, at=tx.now)
    return moves.started(known, owned, at=tx.now)


def with_owner(task: Task, owner: Owner, *, tx: Tx) -> Task:
    """Return the task with the owner that is about to start it; a new owner raises the fence."""
    if owner.agent_id is None:
        if owner.keeps:
            return task
        changed = task.owner_id is not None
        return replace(task.without_owner(), fence=task.fence + changed)
    until = tx.now + owner.lease
    if task.owner_id == owner.agent_id:
        return replace(task, lease_until=until)
    return task.handed_to(owner.agent_id, at=tx.now, until=until)


def _adopted(tx: Tx, mission: Mission, place: TreeLocation | None) -> Mission:
    """Return the mission; one without a repository adopts the first one that is worked in."""
    if mission.repository_id is not None or place is None:
        return mission
    adopted = replace(mission, repository_id=place.known_to(tx), repository_path=str(place.tree.path))
    tx.missions.save(adopted)
    tx.emit(events.MissionUpdated(mission=adopted))
    return adopted


def _recovery(tx: Tx, known: Task | None, owner: Owner, uncommitted: UncommittedChanges) -> Recovery | None:
    """Return what earlier owners left behind, for an agent that did not own the task before."""
    if known is None or (owner.agent_id is not None and known.owner_id == owner.agent_id):
        return None
    return recovery_packet.recovery_of(tx, known, uncommitted)


def _phase_of_new(tx: Tx, request: TaskRequest, mission: Mission) -> tuple[Phase, bool]:
    """Return the phase of a new task, and whether it was just created."""
    _check_parent(tx, request, mission)
    return phases.for_task(
        tx, mission=mission, phase_id=request.phase_id, number=request.phase, name=request.phase_name
    )


def _warnings(mission: Mission, phase: Phase, place: TreeLocation | None) -> list[str]:
    warnings = [] if place is not None else [NO_TREE]
    if phase.number > mission.total_phases:
        warnings.append(f"phase {phase.number} is beyond the {mission.total_phases} phases this mission expects")
    return warnings


def _new_task(tx: Tx, request: TaskRequest, mission: Mission, phase: Phase, owner: Owner) -> Task:
    task = Task(
        id=new_id("task"),
        mission_id=mission.id,
        phase_id=phase.id,
        phase_number=phase.number,
        parent_id=request.parent_id,
        name=request.name or "",
        goal=request.goal or "",
        areas=list(request.areas),
        caller_type=request.caller_type,
        agent_name=request.agent_name,
        created_at=tx.now,
        updated_at=tx.now,
    )
    return with_owner(task, owner, tx=tx).move_to(TaskStatus.IN_PROGRESS, at=tx.now)


def _in_tree(task: Task, place: TreeLocation | None, snapshot: Snapshot | None) -> Task:
    if place is None or snapshot is None:
        return task
    path = str(place.tree.path)
    snapshots = {**(task.snapshots or {}), path: snapshot.as_dict()}
    return replace(task, tree=path, host_id=place.host_id, snapshots=snapshots)


def _check_parent(tx: Tx, request: TaskRequest, mission: Mission) -> None:
    if request.parent_id is None:
        return
    parent = tx.tasks.get(request.parent_id)
    if parent.mission_id != mission.id:
        raise InvalidInput(
            f"parent_task_id: {parent.id} belongs to mission {parent.mission_id}, not to {mission.id}",
            hint="A task and its parent must be in the same mission.",
            field="parent_task_id",
        )
