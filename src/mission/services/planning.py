"""Use cases of a mission's plan: set it, extend it, what comes next, how far it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import merge
from itertools import islice
from statistics import median
from typing import Any

from mission.domain import events
from mission.domain.errors import InvalidState
from mission.domain.graph import check_plan
from mission.domain.ids import new_id
from mission.domain.mission import ENDED, HANDS_OUT_TASKS, PLANNABLE, Mission, MissionStatus
from mission.domain.phase import MOVES as PHASE_MOVES
from mission.domain.phase import Phase
from mission.domain.task import DONE, RUNNING, Task, TaskStatus
from mission.services import claims
from mission.services.claims import Detailed
from mission.store.transaction import Tx

TASKS_PER_PAGE = 200
MEASURED_TASKS = 50
"""How many of the last completed tasks the remaining time is estimated from."""
LISTED_BLOCKED = 50
"""How many blocked tasks the progress lists; how many there are is counted."""
LISTED_GROUP = 20
LISTED_NEXT = 20
NAMED_TASKS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTask:
    """One task of a plan; it waits for the tasks it names."""

    name: str
    description: str
    sequence: int
    parallel_group: str | None = None
    depends_on: Sequence[str] = ()
    requires: Sequence[str] | None = None
    complexity: str | None = None
    files_likely_affected: Sequence[str] | None = None
    id: str = field(default_factory=lambda: new_id("task"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What a mission is going to do, and how."""

    summary: str
    approach: str
    tasks: Sequence[NewTask]
    risks: Sequence[str] = ()
    assumptions: Sequence[str] = ()

    def check(self) -> None:
        """Nothing for a plan that can be followed; otherwise the tasks at fault."""
        check_plan([(task.name, task.depends_on) for task in self.tasks])

    def outline(self) -> dict[str, Any]:
        """The plan without its tasks."""
        return {
            "summary": self.summary,
            "approach": self.approach,
            "risks": list(self.risks),
            "assumptions": list(self.assumptions),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    mission: Mission
    tasks_created: int
    parallel_groups: int
    task_ids: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """A mission as a whole, with a page of its tasks if they were asked for."""

    mission: Mission
    source_content: str | None
    tasks: Sequence[Detailed] | None
    tasks_total: int
    next_offset: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Next:
    """A task that can be begun now."""

    task: Task
    parallel_with: Sequence[str]
    dependencies_done: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextTasks:
    mission: Mission
    tasks: Sequence[Next]
    recommended: int
    all_complete: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    id: str
    tasks: int
    completed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """A task that waits, with the names of what it waits for."""

    task: Task
    by: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    mission: Mission
    total: int
    states: Mapping[tuple[TaskStatus, bool], int]
    """How many tasks stand in each state; the second word says whether they wait for others."""
    held: int
    completed_sequence: int
    current_sequence: int
    blocked: Sequence[Blocked]
    groups: Sequence[Group]
    remaining: int
    seconds_remaining: float | None


def set_plan(tx: Tx, *, mission_id: str, plan: Plan) -> Planned:
    """Give a mission its plan and make the tasks of it; an earlier plan that nobody touched is replaced."""
    mission = tx.missions.get(mission_id)
    _check_plannable(tx, mission)
    tx.plans.clear(mission_id)
    ready = mission if mission.status is MissionStatus.READY else mission.move_to(MissionStatus.READY, at=tx.now)
    planned = replace(
        ready,
        plan=plan.outline(),
        plan_summary=plan.summary,
        total_phases=max(task.sequence for task in plan.tasks),
        updated_at=tx.now,
    )
    return _add(tx, planned, plan.tasks, existing=())


def extend(tx: Tx, *, mission_id: str, new: Sequence[NewTask]) -> Planned:
    """Add tasks to a mission that has not ended; they may wait for tasks it already has, by name or id."""
    mission = tx.missions.get(mission_id)
    if mission.status in ENDED:
        raise InvalidState(
            f"mission {mission.id} is {mission.status} and takes no more tasks",
            hint="Start a new mission.",
            current=str(mission.status),
        )
    existing = tx.plans.outline(mission_id)
    known = {row.name for row in existing}
    ids = {row.id for row in existing}
    wanted = [(task.name, [each for each in task.depends_on if each not in ids]) for task in new]
    check_plan(wanted, known=known, field="tasks")
    if mission.status is MissionStatus.PLANNING:
        mission = mission.move_to(MissionStatus.READY, at=tx.now)
    highest = max(task.sequence for task in new)
    extended = replace(mission, total_phases=max(mission.total_phases, highest), updated_at=tx.now)
    return _add(tx, extended, new, existing=existing)


def set_parallelism(
    tx: Tx,
    *,
    mission_id: str,
    max_parallel: int,
    auto_create_workspaces: bool | None,
    workspace_setup: Mapping[str, Any] | None,
) -> Mission:
    """Change how many tasks of a mission may run side by side, and where; those that run go on."""
    mission = tx.missions.get(mission_id)
    auto = mission.auto_create_workspaces if auto_create_workspaces is None else auto_create_workspaces
    changed = replace(
        mission,
        max_parallel=max_parallel,
        auto_create_workspaces=auto,
        workspace_setup={**(mission.workspace_setup or {}), **(workspace_setup or {})} or None,
        updated_at=tx.now,
    )
    tx.missions.save(changed)
    tx.emit(events.MissionUpdated(mission=changed))
    return changed


def look(tx: Tx, *, mission_id: str, with_tasks: bool, offset: int) -> Overview:
    """The mission and, if asked for, its tasks in the order of the plan, a page at a time."""
    mission = tx.missions.get(mission_id)
    total, _ = tx.missions.task_totals([mission_id]).get(mission_id, (0, 0))
    tasks = tx.plans.page(mission_id, limit=TASKS_PER_PAGE, offset=offset) if with_tasks else []
    depends_on = tx.plans.dependencies([task.id for task in tasks])
    behind = offset + len(tasks)
    return Overview(
        mission=mission,
        source_content=tx.missions.source(mission_id),
        tasks=[Detailed(task=task, depends_on=depends_on[task.id]) for task in tasks] if with_tasks else None,
        tasks_total=total,
        next_offset=behind if with_tasks and behind < total else None,
    )


def next_tasks(tx: Tx, *, mission_id: str, include_failed: bool, limit: int | None) -> NextTasks:
    """Tasks that can be begun now, in the order of the plan, and how many of them the mission lets run.

    Without a limit they are at least as many as may run.
    """
    mission = tx.missions.get(mission_id)
    free = claims.slots(tx, mission)
    startable: list[Task] = []
    if mission.status in HANDS_OUT_TASKS:
        few = max(limit or LISTED_NEXT, free)
        startable = list(islice(_ready(tx, mission_id, include_failed=include_failed, few=few), few))
    counted = sum(task.status in RUNNING for task in startable)  # abandoned ones take a place already
    recommended = min(len(startable), free + counted)
    found = startable[: limit or max(LISTED_NEXT, recommended)]
    depends_on = tx.plans.dependencies([task.id for task in found])
    groups = {
        group: tx.plans.group_members(mission_id, group, limit=LISTED_GROUP)
        for group in {task.parallel_group for task in found if task.parallel_group is not None}
    }
    done, unfinished = tx.plans.sequences(mission_id)
    return NextTasks(
        mission=mission,
        tasks=[
            Next(
                task=task,
                parallel_with=[id for id in groups.get(task.parallel_group or "", ()) if id != task.id],
                dependencies_done=depends_on[task.id],
            )
            for task in found
        ],
        recommended=recommended,
        all_complete=unfinished is None and done > 0,
    )


def progress(tx: Tx, *, mission_id: str) -> Progress:
    """How far a mission is, what waits for what, and how long the rest may take."""
    mission = tx.missions.get(mission_id)
    completed, current = tx.plans.sequences(mission_id)
    states = tx.tallies.states(mission_id)
    remaining = sum(tasks for (status, _), tasks in states.items() if status not in DONE)
    durations = tx.plans.latest_durations(mission_id, limit=MEASURED_TASKS)
    held = [task for task in tx.plans.held(mission_id) if task.is_blocked]
    return Progress(
        mission=mission,
        total=sum(states.values()),
        states=states,
        held=len(held),
        completed_sequence=completed,
        current_sequence=current or 0,
        blocked=_blocked(tx, mission_id, held),
        groups=[Group(id=row.name, tasks=row.tasks, completed=row.done) for row in tx.tallies.groups(mission_id)],
        remaining=remaining,
        seconds_remaining=round(remaining * median(durations) / mission.max_parallel, 3) if durations else None,
    )


def _ready(tx: Tx, mission_id: str, *, include_failed: bool, few: int) -> Iterable[Task]:
    sources: list[Iterable[Task]] = [
        tx.claims.lapsed(mission_id, now=tx.now, limit=few),
        tx.claims.ready(mission_id, TaskStatus.PENDING, few=few),
    ]
    if include_failed:
        sources.append(tx.claims.ready(mission_id, TaskStatus.FAILED, few=few))
    return merge(*sources, key=lambda task: (task.phase_number, task.position))


def _blocked(tx: Tx, mission_id: str, held: Sequence[Task]) -> list[Blocked]:
    """The first blocked tasks: by tasks they wait for, or by what was reported."""
    waiting = tx.plans.waiting(mission_id, limit=LISTED_BLOCKED)
    names = tx.plans.waited_for([task.id for task in waiting])
    return [
        *(Blocked(task=task, by=[]) for task in held[:LISTED_BLOCKED]),
        *(Blocked(task=task, by=names[task.id]) for task in waiting),
    ]


def _check_plannable(tx: Tx, mission: Mission) -> None:
    if mission.status not in PLANNABLE:
        raise InvalidState(
            f"mission {mission.id} is {mission.status}: its plan stands",
            hint="Add tasks with workflow_add_tasks.",
            current=str(mission.status),
            legal=sorted(map(str, PLANNABLE)),
        )
    touched = tx.plans.touched(mission.id, limit=NAMED_TASKS)
    if touched:
        raise InvalidState(
            f"mission {mission.id} has tasks in hand: {', '.join(f'{row.id} {row.name!r}' for row in touched)}",
            hint="A plan is replaced only while nobody has touched its tasks. Add tasks with workflow_add_tasks.",
            current=str(mission.status),
            touched=[row.id for row in touched],
        )


def _add(tx: Tx, mission: Mission, new: Sequence[NewTask], *, existing: Sequence[Any]) -> Planned:
    """Insert the tasks of a plan, with their phases and what they wait for; one event tells of all of them."""
    tx.missions.save(mission)
    phases = _phases(tx, mission, new)
    ids = {row.name: row.id for row in existing} | {row.id: row.id for row in existing}
    ids |= {task.name: task.id for task in new}
    done = {row.id for row in existing if TaskStatus(row.status) in DONE}
    wanted = {task.id: list(dict.fromkeys(ids[name] for name in task.depends_on)) for task in new}
    first = max((row.position for row in existing), default=-1) + 1
    rows = [
        _row(mission, task, phase_id=phases[task.sequence], position=position, now=tx.now)
        | {"waiting_for": sum(id not in done for id in wanted[task.id])}
        for position, task in enumerate(new, start=first)
    ]
    tx.plans.add_tasks(rows)
    tx.plans.add_dependencies([(id, other) for id, others in wanted.items() for other in others])
    tx.tallies.planned(mission.id, rows)
    tx.emit(events.MissionUpdated(mission=mission, tasks_created=len(new)))
    return Planned(
        mission=mission,
        tasks_created=len(new),
        parallel_groups=len({task.parallel_group for task in new if task.parallel_group is not None}),
        task_ids=[task.id for task in new],
    )


def _phases(tx: Tx, mission: Mission, new: Sequence[NewTask]) -> dict[int, str]:
    """The ids of the phases that the tasks stand in, made where they are missing; a closed one takes no more."""
    known = tx.plans.phases(mission.id)
    sequences = sorted({task.sequence for task in new})
    closed = [number for number in sequences if number in known and not PHASE_MOVES[known[number][1]]]
    if closed:
        raise InvalidState(
            f"phase {closed[0]} is {known[closed[0]][1]} and takes no more tasks",
            hint=f"Use a sequence that is not closed, such as {max(known) + 1}.",
            closed_phases=closed,
        )
    made = [
        Phase(
            id=new_id("phase"),
            mission_id=mission.id,
            number=number,
            name=f"Phase {number}",
            planned=True,
            created_at=tx.now,
        )
        for number in sequences
        if number not in known
    ]
    if made:
        tx.phases.add(*made)
    return {number: id for number, (id, _) in known.items()} | {phase.number: phase.id for phase in made}


def _row(mission: Mission, task: NewTask, *, phase_id: str, position: int, now: datetime) -> dict[str, Any]:
    return {
        "id": task.id,
        "mission_id": mission.id,
        "phase_id": phase_id,
        "phase_number": task.sequence,
        "name": task.name,
        "goal": task.description,
        "areas": [],
        "status": TaskStatus.PENDING.value,
        "fence": 0,
        "attempts": 0,
        "position": position,
        "parallel_group": task.parallel_group,
        "requires": list(task.requires) if task.requires else None,
        "complexity": task.complexity,
        "files_likely_affected": list(task.files_likely_affected) if task.files_likely_affected else None,
        "created_at": now,
        "updated_at": now,
    }
