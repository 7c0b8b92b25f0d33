"""Use cases of a mission's plan: set it, extend it, and limit how many of its tasks run in parallel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.checks.check import Check
from mission.domain.errors import InvalidState
from mission.domain.ids import new_id
from mission.domain.missions.mission import ENDED, PLANNABLE, Mission, MissionStatus
from mission.domain.missions.phase import MOVES as PHASE_MOVES
from mission.domain.missions.phase import Phase
from mission.domain.missions.plan_graph import check_plan
from mission.domain.tasks.states import DONE, TaskStatus
from mission.services.evidence import definitions
from mission.store.transaction import Tx

NAMED_TASKS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class NewTask:
    """One task of a plan, with the names of its dependencies."""

    name: str
    description: str
    sequence: int
    parallel_group: str | None = None
    depends_on: Sequence[str] = ()
    requires: Sequence[str] | None = None
    areas: Sequence[str] = ()
    client: str | None = None
    complexity: str | None = None
    files_likely_affected: Sequence[str] | None = None
    checks: Sequence[Check] = ()
    acceptance: Sequence[str] | None = None
    review: str | None = None
    id: str = field(default_factory=lambda: new_id("task"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A mission's tasks and approach."""

    summary: str
    approach: str
    tasks: Sequence[NewTask]
    risks: Sequence[str] = ()
    assumptions: Sequence[str] = ()

    def check(self) -> None:
        """Raise an error that names the tasks at fault if the plan cannot be followed."""
        check_plan([(task.name, task.depends_on) for task in self.tasks])

    def outline(self) -> dict[str, Any]:
        """Return the plan without its tasks."""
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


def set_plan(tx: Tx, *, mission_id: str, plan: Plan, agent_id: str | None = None) -> Planned:
    """Set a mission's plan and create its tasks; an earlier plan is replaced if none of its tasks was touched."""
    mission = tx.missions.get(mission_id)
    _check_plannable(tx, mission)
    tx.plans.clear(mission_id)
    tx.checks.drop_orphans(mission_id)
    ready = mission if mission.status is MissionStatus.READY else mission.move_to(MissionStatus.READY, at=tx.now)
    planned = replace(
        ready,
        plan=plan.outline(),
        plan_summary=plan.summary,
        total_phases=max(task.sequence for task in plan.tasks),
        updated_at=tx.now,
    )
    return _add(tx, planned, plan.tasks, known=(), agent_id=agent_id)


def extend(tx: Tx, *, mission_id: str, new: Sequence[NewTask], agent_id: str | None = None) -> Planned:
    """Add tasks to a mission that has not ended; they may depend on its existing tasks, by name or id."""
    mission = tx.missions.get(mission_id)
    if mission.status in ENDED:
        raise InvalidState(
            f"mission {mission.id} is {mission.status} and accepts no more tasks",
            hint="Start a new mission.",
            current=str(mission.status),
        )
    known = tx.plans.known(mission_id, (name for task in new for name in (task.name, *task.depends_on)))
    ids = {row.id for row in known}
    wanted = [(task.name, [each for each in task.depends_on if each not in ids]) for task in new]
    check_plan(wanted, known=[row.name for row in known], field="tasks")
    if mission.status is MissionStatus.PLANNING:
        mission = mission.move_to(MissionStatus.READY, at=tx.now)
    highest = max(task.sequence for task in new)
    extended = replace(mission, total_phases=max(mission.total_phases, highest), updated_at=tx.now)
    return _add(tx, extended, new, known=known, agent_id=agent_id)


def set_parallelism(
    tx: Tx,
    *,
    mission_id: str,
    max_parallel: int,
    auto_create_workspaces: bool | None,
    workspace_setup: Mapping[str, Any] | None,
) -> Mission:
    """Change how many tasks of a mission may run in parallel, and where; running tasks continue."""
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


def _check_plannable(tx: Tx, mission: Mission) -> None:
    if mission.status not in PLANNABLE:
        raise InvalidState(
            f"mission {mission.id} is {mission.status}: its plan can no longer be replaced",
            action=Action.ADD_TASKS,
            current=str(mission.status),
            legal=sorted(map(str, PLANNABLE)),
        )
    touched = tx.plans.touched(mission.id, limit=NAMED_TASKS)
    if touched:
        raise InvalidState(
            f"mission {mission.id} already has started tasks: {', '.join(f'{row.id} {row.name!r}' for row in touched)}",
            hint="A plan can be replaced only until one of its tasks is started.",
            action=Action.ADD_TASKS,
            current=str(mission.status),
            touched=[row.id for row in touched],
        )


def _add(tx: Tx, mission: Mission, new: Sequence[NewTask], *, known: Sequence[Any], agent_id: str | None) -> Planned:
    """Insert the tasks of a plan, with their phases, dependencies and checks; one event announces all of them.

    `known` are the existing tasks of the mission that they refer to; `agent_id` is the agent that planned them.
    """
    tx.missions.save(mission)
    phases = _phases(tx, mission, new)
    ids = {row.name: row.id for row in known} | {row.id: row.id for row in known}
    ids |= {task.name: task.id for task in new}
    done = {row.id for row in known if TaskStatus(row.status) in DONE}
    before, _ = tx.missions.task_totals([mission.id]).get(mission.id, (0, 0))
    wanted = {task.id: list(dict.fromkeys(ids[name] for name in task.depends_on)) for task in new}
    rows = [
        _row(mission, task, phase_id=phases[task.sequence], position=position, now=tx.now)
        | {"waiting_for": sum(id not in done for id in wanted[task.id])}
        for position, task in enumerate(new, start=before)
    ]
    tx.plans.add_tasks(rows)
    tx.plans.add_dependencies([(id, other) for id, others in wanted.items() for other in others])
    tx.task_counts.count_plan(mission.id, rows)
    definitions.propose(
        tx, mission=mission, checks={task.id: task.checks for task in new if task.checks}, agent_id=agent_id
    )
    tx.emit(events.MissionUpdated(mission=mission, tasks_created=len(new)))
    return Planned(
        mission=mission,
        tasks_created=len(new),
        parallel_groups=len({task.parallel_group for task in new if task.parallel_group is not None}),
        task_ids=[task.id for task in new],
    )


def _phases(tx: Tx, mission: Mission, new: Sequence[NewTask]) -> dict[int, str]:
    """Return the ids of the tasks' phases, created where they are missing. Raise if a phase is closed."""
    known = tx.plans.phases(mission.id)
    sequences = sorted({task.sequence for task in new})
    closed = [number for number in sequences if number in known and not PHASE_MOVES[known[number][1]]]
    if closed:
        raise InvalidState(
            f"phase {closed[0]} is {known[closed[0]][1]} and accepts no more tasks",
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
        "areas": list(task.areas),
        "status": TaskStatus.PENDING.value,
        "fence": 0,
        "attempts": 0,
        "position": position,
        "parallel_group": task.parallel_group,
        "requires": list(task.requires) if task.requires else None,
        "client": task.client,
        "complexity": task.complexity,
        "files_likely_affected": list(task.files_likely_affected) if task.files_likely_affected else None,
        "acceptance": list(task.acceptance) if task.acceptance else None,
        "review": task.review,
        "created_at": now,
        "updated_at": now,
    }
