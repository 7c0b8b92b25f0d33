"""Use cases of tasks: start one in its tree, and complete it with the truth about what it changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from mission.domain import events
from mission.domain.changes import Changes, Verification, verify_scope
from mission.domain.errors import Conflict, InvalidInput, InvalidState, MissionError
from mission.domain.ids import new_id
from mission.domain.mission import Family, Mission
from mission.domain.phase import Phase, PhaseStatus
from mission.domain.repository import Repository
from mission.domain.task import DONE, RUNNING, CallerType, Quality, Task, TaskStatus
from mission.domain.workspace import Workspace, WorkspaceStatus
from mission.git.errors import ChangesUnknown
from mission.git.snapshot import Snapshot
from mission.services import asking, claims, housing, missions, phases
from mission.services.claims import Looked, Recovery
from mission.services.housing import House, Houses
from mission.services.trees import Place, Report, Trees
from mission.services.work import Work, digest_of
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

NO_TREE = "no working tree is known, so changed files are not tracked: give repository_path to start_task"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What a caller wants to start: a new task, or one that exists already."""

    mission_id: str | None = None
    task_id: str | None = None
    phase_id: str | None = None
    phase: int | None = None
    phase_name: str | None = None
    parent_id: str | None = None
    name: str | None = None
    goal: str | None = None
    areas: Sequence[str] = ()
    caller_type: CallerType | None = None
    agent_name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Owner:
    """Who takes the task: an agent with a lease, or somebody unknown without one."""

    agent_id: str | None
    lease: timedelta
    fence: int | None = None
    keeps: bool = False
    """Whether somebody unknown leaves the task with the owner it has."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Started:
    task: Task
    phase: Phase
    phase_created: bool
    snapshot: Snapshot | None
    warnings: Sequence[str] = ()
    recovery: Recovery | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """What a caller says about the end of its task."""

    status: TaskStatus
    quality: Quality | None
    outcome: Mapping[str, Any]
    metadata: Mapping[str, Any] | None
    phase_complete: bool
    error: str | None = None
    by_hand: bool = False
    """Whether any legal move to the end will do, not only from work in progress."""

    @property
    def digest(self) -> str:
        return digest_of([self.status, self.quality, self.outcome, self.metadata, self.phase_complete, self.error])

    def check(self, task: Task) -> None:
        """Nothing when the task may end so; otherwise what its state allows."""
        if self.by_hand:
            task.check_can_end(self.status)
        else:
            task.check_completable()


@dataclass(frozen=True, kw_only=True, slots=True)
class Completed:
    task: Task
    changes: Changes | None
    verification: Verification
    phase_status: PhaseStatus
    snapshots: Mapping[str, Mapping[str, Any]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Footing:
    """The mission, the tree and the tree's snapshot of a task that is about to start."""

    mission_id: str
    place: Place | None
    snapshot: Snapshot | None
    fresh: bool
    """Whether the snapshot was taken for this start."""
    task: Task | None = None
    """The task, if there is one already."""
    houses: Houses = field(default_factory=dict)
    """The worktree that was made for the task."""

    @asynccontextmanager
    async def kept_by(self, trees: Trees) -> AsyncIterator[None]:
        """Records the start inside; a snapshot that nobody will need is dropped when that is refused."""
        try:
            yield
        except MissionError:
            if self.snapshot is not None and self.fresh:
                await trees.forget({str(self.snapshot.path): self.snapshot.as_dict()})
            raise


@dataclass(frozen=True, kw_only=True, slots=True)
class _Ground:
    """What must be known before a tree can be chosen."""

    mission: Mission
    repository: Repository | None
    task: Task | None
    workspace: Workspace | None


async def start(
    work: Work,
    trees: Trees,
    *,
    wish: Wish,
    owner: Owner,
    repository_path: str | None,
    directory: str | None,
    report: Report | None = None,
    answer: Callable[[Started], Answer],
) -> Answer:
    """Start a task: find its mission and its tree, take the tree's snapshot, then record it."""
    footing = await prepare(work, trees, wish=wish, repository_path=repository_path, directory=directory, report=report)
    taken_over = footing.task is not None and footing.task.owner_id != owner.agent_id
    looked = await claims.look_into(trees, footing.task) if taken_over else {}
    async with footing.kept_by(trees):
        return await work.write(
            begin,
            looked=looked,
            wish=wish,
            mission_id=footing.mission_id,
            owner=owner,
            place=footing.place,
            snapshot=footing.snapshot,
            answer=answer,
        )


async def prepare(
    work: Work,
    trees: Trees,
    *,
    wish: Wish,
    repository_path: str | None,
    directory: str | None,
    report: Report | None = None,
    hands_out: bool = False,
) -> Footing:
    """What a start stands on; `begin` records it. A task that is handed out by it may get a worktree of its own."""
    named = await trees.named(repository_path)
    houses: Houses = {}
    if hands_out and named is None and wish.task_id is not None:
        houses = await housing.prepare(work, trees, task_id=wish.task_id, agent_id=None, report=report)
    named = named or await _new_place(trees, houses.get(wish.task_id or ""))
    ground = await _ground(work, trees, wish=wish, named=named, directory=directory)
    place = named or await _usual_place(trees, ground, directory=directory)
    kept = _kept_snapshot(ground.task, place)
    snapshot = kept or (await trees.snapshot(place, report=report) if place is not None else None)
    return Footing(
        mission_id=ground.mission.id,
        place=place,
        snapshot=snapshot,
        fresh=kept is None,
        task=ground.task,
        houses=houses,
    )


async def look_for_place(
    work: Work, trees: Trees, *, task_id: str, repository_path: str | None, directory: str | None
) -> Place | None:
    """Where a task would be done if it were started now, without a new worktree."""
    named = await trees.named(repository_path)
    ground = await _ground(work, trees, wish=Wish(task_id=task_id), named=named, directory=directory)
    return named or await _usual_place(trees, ground, directory=directory)


async def complete(
    work: Work,
    trees: Trees,
    *,
    task_id: str,
    agent_id: str | None,
    fence: int | None,
    ending: Ending,
    report: Report | None = None,
    record: Callable[..., Completed] | None = None,
    answer: Callable[[Completed], Answer],
) -> Answer:
    """Complete a task: compare its tree with the snapshot from its start, then record both.

    `record` does what `finish` does, and something else in the same transaction.
    """
    task = await work.read(_before_completion, task_id=task_id, agent_id=agent_id, fence=fence, ending=ending)
    changes, warnings = (None, []) if _already(task, ending) else await _changes(trees, task, report=report)
    forgettable: list[Mapping[str, Mapping[str, Any]] | None] = []

    def answered(completed: Completed) -> Answer:
        forgettable.append(completed.snapshots)
        return answer(completed)

    result = await work.write(
        record or finish,
        seen=task,
        agent_id=agent_id,
        fence=fence,
        ending=ending,
        changes=changes,
        warnings=warnings,
        answer=answered,
    )
    if forgettable:  # empty when a remembered answer was repeated
        await trees.forget(forgettable[-1])
    return result


def begin(
    tx: Tx,
    *,
    wish: Wish,
    mission_id: str,
    owner: Owner,
    place: Place | None,
    snapshot: Snapshot | None,
    looked: Looked | None = None,
    houses: Houses | None = None,
) -> Started:
    """Record the start of a task: new, or one that waited, failed or was released."""
    recovery: Recovery | None = None
    if wish.task_id is not None:
        tx.tasks.get(wish.task_id).check_takeable(owner.agent_id, owner.fence, now=tx.now)
    mission = _adopted(tx, phases.begin_mission(tx, mission_id), place)
    if wish.task_id is not None:
        task = tx.tasks.get(wish.task_id)
        if owner.agent_id is None or task.owner_id != owner.agent_id:
            recovery = claims.recovery_of(tx, task, looked or {})
        claims.check_ready(tx, task)
        phase, created = phases.for_task(tx, mission=mission, phase_id=task.phase_id, number=None, name=None)
        started = with_owner(task, owner, tx=tx).move_to(TaskStatus.IN_PROGRESS, at=tx.now).begun_again()
        if houses:
            started, _ = housing.move_in(tx, mission, started, houses)
        started = _in_tree(started, place, snapshot)
        tx.tasks.save(started)
        tx.tallies.moved(task, started)
        asking.moved(tx, task, started)
        tx.emit(events.TaskUpdated(task=started))
    else:
        _check_parent(tx, wish, mission)
        phase, created = phases.for_task(
            tx, mission=mission, phase_id=wish.phase_id, number=wish.phase, name=wish.phase_name
        )
        started = _in_tree(_new_task(tx, wish, mission, phase, owner), place, snapshot)
        tx.tasks.add(started)
        tx.tallies.moved(None, started)
        tx.emit(events.TaskCreated(task=started))
    tell_workflow(tx, mission)
    tx.missions.touch(mission.id, now=tx.now)
    warnings = [] if place is not None else [NO_TREE]
    if phase.number > mission.total_phases:
        warnings.append(f"phase {phase.number} lies beyond the {mission.total_phases} phases this mission expects")
    return Started(
        task=started,
        phase=phase,
        phase_created=created,
        snapshot=snapshot,
        warnings=warnings,
        recovery=recovery,
    )


def finish(
    tx: Tx,
    *,
    seen: Task,
    agent_id: str | None,
    fence: int | None,
    ending: Ending,
    changes: Changes | None,
    warnings: Sequence[str],
) -> Completed:
    """Record the end of a task, unless somebody else changed it since it was looked at."""
    task = tx.tasks.get(seen.id)
    if _already(task, ending):
        return _completed_before(task)
    task.check_owner(agent_id, fence)
    ending.check(task)
    if (task.tree, task.snapshot) != (seen.tree, seen.snapshot):
        raise Conflict(f"task {task.id} moved to another tree meanwhile", hint="Try the same call again.")
    _check_children(tx, task)
    overlapping = tx.tasks.overlapping(task) if changes is not None else []
    nothing = _nothing_changed(task, ending, changes)
    verification = _verify(task, changes, [*warnings, *nothing, *_overlap_warning(overlapping)])
    ended = _ended(tx, task, ending=ending, changes=changes)
    phase_status, phase_warnings = _end_in_phase(tx, task, ended, phase_complete=ending.phase_complete)
    verification = replace(verification, warnings=[*verification.warnings, *phase_warnings])
    ended = replace(
        ended,
        completion={
            "digest": ending.digest,
            "verification": asdict(verification),
            "phase_status": str(phase_status),
        },
    )
    tx.tasks.save(ended)
    asking.moved(tx, task, ended)
    asking.review(tx, ended)
    tx.emit(events.TaskUpdated(task=ended))
    return Completed(
        task=ended,
        changes=changes,
        verification=verification,
        phase_status=phase_status,
        snapshots=task.snapshots if ended.snapshots is None else None,
    )


def with_owner(task: Task, owner: Owner, *, tx: Tx) -> Task:
    """The task in the hands of whoever is about to begin it; a new owner raises the fence."""
    if owner.agent_id is None:
        if owner.keeps:
            return task
        changed = task.owner_id is not None
        return replace(task, owner_id=None, lease_until=None, claimed_at=None, fence=task.fence + changed)
    until = tx.now + owner.lease
    if task.owner_id == owner.agent_id:
        return replace(task, lease_until=until)
    return task.handed_to(owner.agent_id, at=tx.now, until=until)


async def _ground(work: Work, trees: Trees, *, wish: Wish, named: Place | None, directory: str | None) -> _Ground:
    if wish.task_id is not None or wish.mission_id is not None:
        return await work.read(_known_ground, wish=wish)
    mission = await missions.newest_here(work, trees, named=named, directory=directory)
    return await work.read(_known_ground, wish=replace(wish, mission_id=mission.id))


def _known_ground(tx: Tx, *, wish: Wish) -> _Ground:
    task = tx.tasks.get(wish.task_id) if wish.task_id is not None else None
    if task is not None and wish.mission_id not in (None, task.mission_id):
        raise InvalidInput(
            f"task_id: {task.id} belongs to mission {task.mission_id}", hint="Leave mission_id out.", field="task_id"
        )
    mission = tx.missions.get(task.mission_id if task is not None else wish.mission_id or "")
    workspace = tx.workspaces.get(task.workspace_id) if task is not None and task.workspace_id is not None else None
    return _Ground(mission=mission, repository=_repository_of(tx, mission), task=task, workspace=workspace)


async def _new_place(trees: Trees, house: House | None) -> Place | None:
    if house is None or house.made is None:
        return None
    return await trees.at(str(house.made.path), host_id=house.host_id, what="the worktree")


async def _usual_place(trees: Trees, ground: _Ground, *, directory: str | None) -> Place | None:
    """Where a task is done that nobody named a tree for: its workspace, where the caller stands, or the repository."""
    workspace = ground.workspace
    if workspace is None or workspace.status is not WorkspaceStatus.ACTIVE:
        return await trees.of_mission(ground.repository, directory=directory)
    return await trees.workspace(workspace)


def _repository_of(tx: Tx, mission: Mission) -> Repository | None:
    return tx.missions.repository(mission.repository_id) if mission.repository_id else None


def _kept_snapshot(task: Task | None, place: Place | None) -> Snapshot | None:
    """The snapshot to compare with at the end: a task keeps its first one of each tree."""
    if task is None or place is None:
        return None
    kept = (task.snapshots or {}).get(str(place.tree.path))
    return Snapshot.from_dict(kept) if kept is not None else None


def _adopted(tx: Tx, mission: Mission, place: Place | None) -> Mission:
    """A mission that knew no repository belongs to the first one that is worked in."""
    if mission.repository_id is not None or place is None:
        return mission
    adopted = replace(mission, repository_id=place.known_to(tx), repository_path=str(place.tree.path))
    tx.missions.save(adopted)
    tx.emit(events.MissionUpdated(mission=adopted))
    return adopted


def _new_task(tx: Tx, wish: Wish, mission: Mission, phase: Phase, owner: Owner) -> Task:
    task = Task(
        id=new_id("task"),
        mission_id=mission.id,
        phase_id=phase.id,
        phase_number=phase.number,
        parent_id=wish.parent_id,
        name=wish.name or "",
        goal=wish.goal or "",
        areas=list(wish.areas),
        caller_type=wish.caller_type,
        agent_name=wish.agent_name,
        created_at=tx.now,
        updated_at=tx.now,
    )
    return with_owner(task, owner, tx=tx).move_to(TaskStatus.IN_PROGRESS, at=tx.now)


def _in_tree(task: Task, place: Place | None, snapshot: Snapshot | None) -> Task:
    if place is None or snapshot is None:
        return task
    path = str(place.tree.path)
    snapshots = {**(task.snapshots or {}), path: snapshot.as_dict()}
    return replace(task, tree=path, host_id=place.host_id, snapshots=snapshots)


def _check_parent(tx: Tx, wish: Wish, mission: Mission) -> None:
    if wish.parent_id is None:
        return
    parent = tx.tasks.get(wish.parent_id)
    if parent.mission_id != mission.id:
        raise InvalidInput(
            f"parent_task_id: {parent.id} belongs to mission {parent.mission_id}, not to {mission.id}",
            hint="A task and its parent stand in the same mission.",
            field="parent_task_id",
        )


def _check_children(tx: Tx, task: Task) -> None:
    children = tx.tasks.children(task.id, statuses=[str(status) for status in RUNNING])
    if children:
        raise InvalidState(
            f"task {task.id} has child tasks in progress: "
            + ", ".join(f"{child.id} '{child.name}'" for child in children),
            hint="Complete the child tasks first.",
            open_tasks=[child.id for child in children],
        )


def _before_completion(tx: Tx, *, task_id: str, agent_id: str | None, fence: int | None, ending: Ending) -> Task:
    """The task as it stands, or the reason why it cannot be completed, before slow work begins."""
    task = tx.tasks.get(task_id)
    if not _already(task, ending):
        task.check_owner(agent_id, fence)
        ending.check(task)
        _check_children(tx, task)
    return task


async def _changes(trees: Trees, task: Task, *, report: Report | None) -> tuple[Changes | None, list[str]]:
    if task.snapshot is None:
        return None, [NO_TREE]
    if task.host_id != trees.host_id:
        raise InvalidState(
            f"task {task.id} works on host {task.host_id}, this is {trees.host_id}",
            hint=f"Complete it on {task.host_id}: its files can be compared only there.",
            host_id=task.host_id,
        )
    try:
        return await trees.changes(task.snapshot, report=report), []
    except ChangesUnknown as unknown:
        return None, [unknown.message]


def _verify(task: Task, changes: Changes | None, warnings: Sequence[str]) -> Verification:
    verification = verify_scope(changes, list(task.areas))
    return replace(verification, warnings=[*verification.warnings, *warnings])


def _ended(tx: Tx, task: Task, *, ending: Ending, changes: Changes | None) -> Task:
    if task.status is TaskStatus.PAUSED:
        task = task.move_to(TaskStatus.IN_PROGRESS, at=tx.now)  # the owner's own hold ends with its word
    keeps_snapshot = ending.status is TaskStatus.FAILED
    return replace(
        task.move_to(ending.status, at=tx.now),
        quality=ending.quality,
        outcome=dict(ending.outcome),
        error=(ending.error or ending.outcome["summary"]) if keeps_snapshot else None,
        metadata=dict(ending.metadata) if ending.metadata is not None else None,
        changes=changes.as_dict() if changes is not None else None,
        lease_until=None,
        snapshots=task.snapshots if keeps_snapshot else None,
    )


def _end_in_phase(tx: Tx, task: Task, ended: Task, *, phase_complete: bool) -> tuple[PhaseStatus, list[str]]:
    """Count the task as ended in its phase, close the phase if asked, and tell the mission's readers."""
    mission = tx.missions.get(task.mission_id)  # locked first: whoever extends the plan counts before or after us
    if ended.status in DONE:
        tx.tallies.freed(task.id)
    tx.tallies.moved(task, ended)
    tx.missions.touch(mission.id, now=tx.now)
    tell_workflow(tx, mission)
    phase = phases.settle(tx, mission=mission, phase_id=task.phase_id, ending_task=task.id)
    if not phase_complete or phase.completed_at == tx.now:
        return phase.status, []
    if phase.closed:
        return phase.status, [f"phase {phase.number} was {phase.status} already"]
    closed = phases.close(tx, mission=mission, phase=phase, status=PhaseStatus.COMPLETED, ending_task=task.id)
    return closed.phase.status, list(closed.warnings)


def tell_workflow(tx: Tx, mission: Mission) -> None:
    """Missions made by start_workflow tell every move of a task on their own topic too."""
    if mission.family is Family.WORKFLOW:
        tx.emit(events.MissionUpdated(mission=mission))


def _nothing_changed(task: Task, ending: Ending, changes: Changes | None) -> list[str]:
    """A success without a trace in the announced areas is worth a second look: the work may lie elsewhere."""
    if changes is None or changes.paths or not task.areas or ending.status is not TaskStatus.COMPLETED:
        return []
    return [
        f"no file has changed in {task.tree} since start_task; if the work was done elsewhere, "
        "give that folder as repository_path to start_task"
    ]


def _overlap_warning(others: Sequence[str]) -> list[str]:
    if not others:
        return []
    return [
        f"other tasks worked in the same tree at the same time ({', '.join(others)}): "
        "no diff can tell their changes from these; give each task its own worktree"
    ]


def _already(task: Task, ending: Ending) -> bool:
    return task.completion is not None and bool(task.completion["digest"] == ending.digest)


def _completed_before(task: Task) -> Completed:
    stored = task.completion or {}
    return Completed(
        task=task,
        changes=Changes.from_dict(task.changes) if task.changes is not None else None,
        verification=Verification(**stored["verification"]),
        phase_status=PhaseStatus(stored["phase_status"]),
    )
