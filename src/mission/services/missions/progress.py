"""A mission's progress: its tasks in plan order, what comes next, what is blocked, and the estimated time left."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

from mission.domain.missions.estimate import MEASURED_TASKS, Estimate, estimate, typical_task
from mission.domain.missions.mission import STARTS_TASKS, Mission
from mission.domain.tasks.states import DONE, RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.paging import cut_page, last_shown
from mission.services.tasks import claims
from mission.services.tasks.claims import TaskDetail
from mission.store.tasks.claims import FIRST_PLACE, PlanPlace
from mission.store.transaction import Tx

TASKS_PER_PAGE = 200
LISTED_BLOCKED = 50
"""How many blocked tasks the progress lists; all of them are counted."""
LISTED_GROUP = 20
LISTED_NEXT = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionSummary:
    """A mission as a whole, with a page of its tasks if requested."""

    mission: Mission
    source_content: str | None
    tasks: Sequence[TaskDetail] | None
    tasks_total: int
    next_offset: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class NextTask:
    """A task that can be started now."""

    task: Task
    parallel_with: Sequence[str]
    dependencies_done: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class NextTasks:
    mission: Mission
    tasks: Sequence[NextTask]
    recommended: int
    all_complete: bool
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    id: str
    tasks: int
    completed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """A blocked task, with the names of what it waits for."""

    task: Task
    by: Sequence[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionProgress:
    mission: Mission
    total: int
    states: Mapping[tuple[TaskStatus, bool], int]
    """How many tasks are in each state; the second part says whether they wait for others."""
    held: int
    completed_sequence: int
    current_sequence: int
    blocked: Sequence[Blocked]
    groups: Sequence[Group]
    remaining: int
    estimate: Estimate | None


def get(tx: Tx, *, mission_id: str, with_tasks: bool, offset: int) -> MissionSummary:
    """Return the mission and, if requested, a page of its tasks in plan order."""
    mission = tx.missions.get(mission_id)
    total, _ = tx.missions.task_totals([mission_id]).get(mission_id, (0, 0))
    tasks = tx.plans.page(mission_id, limit=TASKS_PER_PAGE, offset=offset) if with_tasks else []
    depends_on = tx.plans.dependencies([task.id for task in tasks])
    end = offset + len(tasks)
    return MissionSummary(
        mission=mission,
        source_content=tx.missions.source(mission_id),
        tasks=[TaskDetail(task=task, depends_on=depends_on[task.id]) for task in tasks] if with_tasks else None,
        tasks_total=total,
        next_offset=end if with_tasks and end < total else None,
    )


def next_tasks(tx: Tx, *, mission_id: str, include_failed: bool, limit: int | None, cursor: str | None) -> NextTasks:
    """Return the tasks that can be started now, in plan order, and how many of them the mission lets run.

    Without a limit there are at least as many as may run. The cursor is the id of the last task shown.
    """
    mission = tx.missions.get(mission_id)
    after = _place_of(tx, mission_id, cursor)
    free = claims.slots(tx, mission)
    shown = max(limit or LISTED_NEXT, free)
    startable: list[Task] = []
    if mission.status not in STARTS_TASKS:
        recommended = 0
    elif limit is not None and limit < free:  # more may run than are shown: the others are only counted
        startable = _ready(tx, mission_id, include_failed=include_failed, limit=limit + 1, after=FIRST_PLACE)
        recommended = tx.claims.count_startable(mission_id, _states(include_failed), now=tx.now, limit=free)
    else:
        startable = _ready(tx, mission_id, include_failed=include_failed, limit=shown + 1, after=FIRST_PLACE)
        counted = sum(task.status in RUNNING for task in startable[:shown])  # abandoned ones already take a place
        recommended = min(len(startable[:shown]), free + counted)
    size = limit or max(LISTED_NEXT, recommended)
    if startable and after != FIRST_PLACE:
        startable = _ready(tx, mission_id, include_failed=include_failed, limit=size + 1, after=after)
    page = cut_page(startable, limit=size, cursor=lambda task: task.id)
    found = page.rows
    depends_on = tx.plans.dependencies([task.id for task in found])
    named = {task.parallel_group for task in found if task.parallel_group is not None}
    groups = tx.plans.group_members(mission_id, named, limit=LISTED_GROUP)
    done, unfinished = tx.plans.sequences(mission_id)
    return NextTasks(
        mission=mission,
        tasks=[
            NextTask(
                task=task,
                parallel_with=[id for id in groups.get(task.parallel_group or "", ()) if id != task.id],
                dependencies_done=depends_on[task.id],
            )
            for task in found
        ],
        recommended=recommended,
        all_complete=unfinished is None and done > 0,
        next=page.next,
    )


def measure(tx: Tx, *, mission_id: str) -> MissionProgress:
    """Return a mission's progress, what waits for what, and the estimated time for the rest."""
    mission = tx.missions.get(mission_id)
    completed, current = tx.plans.sequences(mission_id)
    states = tx.task_counts.states(mission_id)
    remaining = sum(tasks for (status, _), tasks in states.items() if status not in DONE)
    total = sum(states.values())
    typical = typical_task(tx.plans.latest_completed(mission_id, limit=MEASURED_TASKS), total=total)
    began = tx.plans.longest_running(mission_id)
    held = [task for task in tx.plans.held(mission_id) if task.is_blocked]
    return MissionProgress(
        mission=mission,
        total=total,
        states=states,
        held=len(held),
        completed_sequence=completed,
        current_sequence=current or 0,
        blocked=_blocked(tx, mission_id, held),
        groups=[Group(id=row.name, tasks=row.tasks, completed=row.done) for row in tx.task_counts.groups(mission_id)],
        remaining=remaining,
        estimate=estimate(
            total=total,
            remaining=remaining,
            typical=typical,
            running=[] if began is None else [(tx.now - began).total_seconds()],
            parallel=mission.max_parallel,
        ),
    )


def _place_of(tx: Tx, mission_id: str, cursor: str | None) -> PlanPlace:
    """Return the place in the plan that the cursor names."""
    last = last_shown(tx, mission_id, cursor)
    return FIRST_PLACE if last is None else PlanPlace(last.phase_number, last.position, last.id)


def _ready(tx: Tx, mission_id: str, *, include_failed: bool, limit: int, after: PlanPlace) -> list[Task]:
    """Return the first tasks after a place in the plan that can be started now."""
    sources: list[Iterable[Task]] = [
        tx.claims.lapsed(mission_id, now=tx.now, limit=limit, after=after),
        *(tx.claims.ready(mission_id, status, chunk=limit, after=after) for status in _states(include_failed)),
    ]
    return list(islice(merge(*sources, key=lambda task: (task.phase_number, task.position, task.id)), limit))


def _states(include_failed: bool) -> tuple[TaskStatus, ...]:
    return (TaskStatus.PENDING, TaskStatus.FAILED) if include_failed else (TaskStatus.PENDING,)


def _blocked(tx: Tx, mission_id: str, held: Sequence[Task]) -> list[Blocked]:
    """Return the first blocked tasks: blocked by dependencies, or by a reported block."""
    waiting = tx.plans.waiting(mission_id, limit=LISTED_BLOCKED)
    names = tx.plans.waited_for([task.id for task in waiting])
    return [
        *(Blocked(task=task, by=[]) for task in held[:LISTED_BLOCKED]),
        *(Blocked(task=task, by=names[task.id]) for task in waiting),
    ]
