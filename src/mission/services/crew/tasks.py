"""Use cases of a crew's tasks: leaders create, assign and list them, and workers move their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mission.domain.agents.agent import Agent
from mission.domain.errors import InvalidInput, NotOwner
from mission.domain.missions.phase import MOVES as PHASE_MOVES
from mission.domain.runs.run import Run
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.agents import registration as agents
from mission.services.crew import members as crew
from mission.services.inbox import task_requests
from mission.services.missions import planning
from mission.services.missions.planning import NewTask
from mission.services.paging import LARGEST_CHUNK, last_shown
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import candidates, claims, status_changes
from mission.services.tasks.claims import PreparedClaim
from mission.services.tasks.completion import Gate
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import Moved, StatusChange
from mission.services.work import Work
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPage:
    """Some tasks, and where the next ones begin: after a task, or at an offset from the first."""

    tasks: Sequence[Task]
    next: str | None
    next_offset: int | None


def create(
    tx: Tx,
    *,
    agent: Agent | None,
    mission_id: str | None,
    title: str,
    description: str,
    depends_on: Sequence[str],
    fields: tuple[str, str],
) -> Task:
    """Create a task in the named mission, else in the one the agent leads.

    `fields` are the caller's names for title and depends_on, used in errors.
    """
    mission_id = _chosen_mission(tx, agent=agent, mission_id=mission_id)
    tx.missions.get(mission_id)
    waited_for = _waited_for(tx, mission_id, title=title, depends_on=depends_on, fields=fields)
    sequence = _sequence(tx, mission_id, least=max((row.phase_number for row in waited_for), default=1))
    new = NewTask(name=title, description=description, sequence=sequence, depends_on=depends_on)
    planning.extend(tx, mission_id=mission_id, new=[new])
    return tx.tasks.get(new.id)


async def assign(
    work: Work,
    trees: Trees,
    *,
    task_id: str,
    agent_id: str,
    field: str,
    lease: timedelta,
    report: Report | None,
) -> Task:
    """Assign a free task to an agent; `field` is the caller's name for the agent."""
    agent = await work.read(agents.find, reference=agent_id, field=field)
    prepared = await claims.prepare(work, trees, task_id=task_id, agent_id=agent.id, report=report)
    return await work.finish(assign_prepared, task_id=task_id, agent_id=agent.id, lease=lease, prepared=prepared)


def assign_prepared(tx: Tx, *, task_id: str, agent_id: str, lease: timedelta, prepared: PreparedClaim) -> Task:
    """Claim the task in the agent's name. Raise NotOwner if another agent holds it."""
    claim = claims.claim_prepared(tx, task_id=task_id, agent_id=agent_id, lease=lease, prepared=prepared)
    if claim.task is None:
        raise NotOwner(
            f"task {task_id} belongs to {claim.holder}",
            hint="Wait until it is released or its lease has expired, or assign another task.",
            task_id=task_id,
            owner_id=claim.holder,
        )
    return claim.task


async def move(
    work: Work,
    trees: Trees,
    gate: Gate,
    *,
    agent: Agent | None,
    task_id: str | None,
    wanted: StatusChange,
    lease: timedelta,
    directory: str | None,
    report: Report | None,
) -> Moved:
    """Move the named task, else the agent's own. A worker's task in review waits for a person."""
    chosen = task_id or (await work.read(crew.own_task, agent=agent)).id
    owner = Owner(agent_id=agent.id if agent is not None else None, lease=lease, keeps=True)
    if wanted.status is TaskStatus.REVIEW:
        return await work.finish(submit_for_review, task_id=chosen, wanted=wanted, owner=owner)
    return await status_changes.move(
        work,
        trees,
        gate,
        task_id=chosen,
        wanted=wanted,
        owner=owner,
        directory=directory,
        report=report,
    )


def submit_for_review(tx: Tx, *, task_id: str, wanted: StatusChange, owner: Owner) -> Task:
    """Move a task into review and ask a person to decide; in a run its result is checked and merged first."""
    reported = tx.tasks.get(task_id)
    if (run := candidates.run_of(tx, reported)) is not None:
        return _report_to_run(tx, run, reported, wanted=wanted, owner=owner)
    task = status_changes.shift(tx, task_id=task_id, wanted=wanted, owner=owner)
    task_requests.verdict(tx, task, words=wanted.outcome or "", agent_id=owner.agent_id)
    return task


def _report_to_run(tx: Tx, run: Run, task: Task, *, wanted: StatusChange, owner: Owner) -> Task:
    """Take the report of a worker who wants a review."""
    task.check_owner(owner.agent_id, owner.fence)
    done = replace(wanted, status=TaskStatus.COMPLETED).result()
    done = replace(done, outcome={**done.outcome, "manual_review_needed": True})
    done.check(task)
    candidates.submit(tx, run=run, task=task, report=done.as_dict(), agent_id=owner.agent_id)
    return tx.tasks.get(task.id)


def list_tasks(
    tx: Tx,
    *,
    agent: Agent | None,
    mission_id: str | None,
    fits: Callable[[Task], bool],
    limit: int,
    offset: int,
    cursor: str | None,
) -> TaskPage:
    """Return tasks of the named mission, else of the agent's, in plan order.

    The cursor is the id of the last task shown; offsets are counted from there.
    """
    mission_id = _chosen_mission(tx, agent=agent, mission_id=mission_id)
    tx.missions.get(mission_id)
    last = last_shown(tx, mission_id, cursor)
    found: list[tuple[int, Task]] = []
    chunk = limit + 1
    while len(found) <= limit:
        rows = tx.plans.page(mission_id, limit=chunk, offset=offset, after=last)
        found += [(place, task) for place, task in enumerate(rows, start=offset) if fits(task)]
        if len(rows) < chunk:
            break
        offset += chunk
        chunk = min(chunk * 4, LARGEST_CHUNK)
    more = len(found) > limit
    return TaskPage(
        tasks=[task for _, task in found[:limit]],
        next=found[limit - 1][1].id if more else None,
        next_offset=found[limit][0] if more and last is None else None,
    )


def _chosen_mission(tx: Tx, *, agent: Agent | None, mission_id: str | None) -> str:
    return mission_id if mission_id is not None else crew.mission_of(crew.get(tx, agent=agent))


def _waited_for(
    tx: Tx, mission_id: str, *, title: str, depends_on: Sequence[str], fields: tuple[str, str]
) -> Sequence[Any]:
    """Return the dependencies of a new task. Raise if the mission lacks one, or already has a task with that title."""
    rows = tx.plans.known(mission_id, (title, *depends_on))
    if any(row.name == title for row in rows):
        raise InvalidInput(
            f"{fields[0]}: mission {mission_id} already has a task '{title}'",
            hint="Choose another title.",
            field=fields[0],
        )
    known = {name for row in rows for name in (row.id, row.name)}
    missing = [reference for reference in depends_on if reference not in known]
    if missing:
        raise InvalidInput(
            f"{fields[1]}: mission {mission_id} has no task {', '.join(repr(each) for each in missing[:10])}",
            hint="Give ids or titles of existing tasks in the mission.",
            field=fields[1],
            tasks=missing[:100],
        )
    return rows


def _sequence(tx: Tx, mission_id: str, *, least: int) -> int:
    """Return the last phase from `least` on that accepts tasks, else a new one."""
    known = tx.plans.phases(mission_id)
    taking = [number for number, (_, status) in known.items() if PHASE_MOVES[status] and number >= least]
    return max(taking) if taking else max(known, default=0) + 1
