"""Use cases of claims: claim a task with a lease, claim the next one, release it, and list available tasks."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import NamedTuple, TypeVar

from mission.domain.agent import Agent
from mission.domain.errors import InvalidState, NotFound
from mission.domain.missions.mission import HANDS_OUT_TASKS, Mission
from mission.domain.tasks import moves
from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.task import HELD, RUNNING, Task, TaskStatus
from mission.services.paging import Page, bad_cursor, cut_page
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import dependencies, journal
from mission.services.tasks import recovery_packet as takeover
from mission.services.tasks import updates as tasks
from mission.services.tasks.recovery_packet import Looked, Recovery
from mission.services.work import Work
from mission.services.workspaces import per_task as housing
from mission.services.workspaces.creation import WorkspaceDetails
from mission.services.workspaces.per_task import PreparedWorktrees, WorktreeNotReady
from mission.store.tasks.claims import FIRST_PLACE, PlanPlace
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

LIKELY = 4
"""How many tasks are tried per claim: other agents may be quicker, and only abandoned tasks have a tree."""
MOST_LAPSED = 200
"""How many abandoned tasks of a mission are tried."""
MOST_ATTEMPTS = 20
"""How often an agent that asks for the next task may lose the race before it is asked to try again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A claimed task with its new owner, or the agent that holds it."""

    task: Task | None = None
    depends_on: Sequence[str] = ()
    holder: str | None = None
    recovery: Recovery | None = None
    workspace: WorkspaceDetails | None = None
    warnings: Sequence[str] = ()


_ABANDONED, _READY = "abandoned", "ready"
_GROUPS = frozenset({_ABANDONED, _READY})


class TakeableTask(NamedTuple):
    """A task that an agent could claim; `places` counts the slots of its mission used up to and including this one."""

    task: Task
    is_abandoned: bool
    places: int

    @property
    def place(self) -> PlanPlace:
        return PlanPlace(self.task.phase_number, self.task.position, self.task.id)

    @property
    def cursor(self) -> str:
        """Return the cursor after this task."""
        return f"{_ABANDONED if self.is_abandoned else _READY} {self.places} {self.task.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskDetail:
    """A task with the ids of its dependencies, and its journal if requested."""

    task: Task
    depends_on: Sequence[str]
    checkpoints: Sequence[JournalEntry] | None = None


async def claim(
    work: Work,
    trees: Trees,
    *,
    task_id: str,
    agent_id: str,
    lease: timedelta,
    report: Report | None = None,
    answer: Callable[[Claim], Answer],
) -> Answer:
    """Claim the task for the agent, with what it needs to continue; or return who already holds it."""
    seen = await work.read(get, task_id=task_id)
    looked = await takeover.look_into(trees, seen)
    houses = await housing.prepare(work, trees, task_id=task_id, agent_id=agent_id, report=report)
    return await work.write(
        claim_prepared, task_id=task_id, agent_id=agent_id, lease=lease, looked=looked, houses=houses, answer=answer
    )


async def claim_next(
    work: Work,
    trees: Trees,
    *,
    mission_id: str | None,
    agent_id: str,
    lease: timedelta,
    report: Report | None = None,
    answer: Callable[[Claim], Answer],
) -> Answer:
    """Choose a task that the agent can do now and claim it for the agent, in one transaction."""
    for attempt in range(MOST_ATTEMPTS):
        likely = (await work.read(available, mission_id=mission_id, agent_id=agent_id, limit=LIKELY)).rows
        looked = {
            id: changes for each in likely for id, changes in (await takeover.look_into(trees, each.task)).items()
        }
        houses: PreparedWorktrees = {}
        if likely:  # agents that raced for one task should not race for the next one too
            chosen = likely[0] if attempt == 0 else random.choice(likely)
            houses = await housing.prepare(work, trees, task_id=chosen.task.id, agent_id=agent_id, report=report)
        try:
            return await work.write(
                claim_next_prepared,
                mission_id=mission_id,
                agent_id=agent_id,
                lease=lease,
                looked=looked,
                houses=houses,
                answer=answer,
            )
        except WorktreeNotReady:
            continue
    raise WorktreeNotReady


def claim_prepared(
    tx: Tx, *, task_id: str, agent_id: str, lease: timedelta, looked: Looked, houses: PreparedWorktrees
) -> Claim:
    """Claim one task; claiming one's own task again renews it."""
    task = tx.tasks.get(task_id)
    if task.owner_id == agent_id and task.lease_until is not None:
        renewed = replace(task, lease_until=tx.now + lease)
        tx.claims.renew(task_id, until=tx.now + lease)
        housed, workspace = housing.assign_worktree(tx, tx.missions.get(task.mission_id), renewed, houses)
        if housed.workspace_id is not None and housed.workspace_id != task.workspace_id:
            (housed,) = tasks.apply(tx, moves.given_workspace(renewed, housed.workspace_id, at=tx.now))
        return _granted(tx, task, housed, workspace, looked, houses)
    task.check_one_of(HELD, "claimed")
    dependencies.check_done(tx, task)
    _check_phase(tx, task)
    mission = tx.missions.get(task.mission_id)
    mission.check_hands_out()
    taken = _taken(tx, mission, task, agent_id=agent_id, lease=lease, looked=looked, houses=houses)
    return taken or Claim(holder=task.owner_id or "operator")


def claim_next_prepared(
    tx: Tx, *, mission_id: str | None, agent_id: str, lease: timedelta, looked: Looked, houses: PreparedWorktrees
) -> Claim:
    """Claim the first task of the plan that the agent can do, within its mission's limit."""
    agent = tx.agents.get(agent_id)
    for id in [mission_id] if mission_id is not None else tx.claims.missions_with_work(now=tx.now):
        mission = tx.missions.get(id)
        unprepared = False
        for task in (each.task for each in _takeable(tx, mission, agent, few=1)):
            if housing.needs_worktree(tx, mission, task, houses):
                unprepared = True
                continue
            claim = _taken(tx, mission, task, agent_id=agent_id, lease=lease, looked=looked, houses=houses)
            if claim is not None:
                return claim
        if unprepared:
            raise WorktreeNotReady
    return Claim()


def available(
    tx: Tx, *, mission_id: str | None, agent_id: str, limit: int, cursor: str | None = None
) -> Page[TaskDetail]:
    """Return tasks that the agent could claim now, no more than their missions let run; only one page is read."""
    agent = tx.agents.get(agent_id)
    shown = _shown_last(tx, mission_id, cursor)
    found = list(islice(_available(tx, mission_id, agent, shown, few=limit + 1), limit + 1))
    page = cut_page(found, limit=limit, cursor=lambda each: each.cursor)
    tasks = [each.task for each in page.rows]
    depends_on = tx.plans.dependencies([task.id for task in tasks])
    return Page(rows=[TaskDetail(task=task, depends_on=depends_on[task.id]) for task in tasks], next=page.next)


def _available(
    tx: Tx, mission_id: str | None, agent: Agent, shown: TakeableTask | None, *, few: int
) -> Iterator[TakeableTask]:
    if mission_id is not None:
        ids = [mission_id]
    else:
        first = tx.missions.get(shown.task.mission_id) if shown is not None else None
        ids = tx.claims.missions_with_work(now=tx.now, since=first)
    for id in ids:
        behind = shown if shown is not None and shown.task.mission_id == id else None
        yield from _takeable(tx, tx.missions.get(id), agent, few=few, behind=behind)


def _shown_last(tx: Tx, mission_id: str | None, cursor: str | None) -> TakeableTask | None:
    """Return the last task shown, from the cursor, and how many slots were used until then."""
    if cursor is None:
        return None
    group, _, rest = cursor.partition(" ")
    places, _, id = rest.partition(" ")
    if group not in _GROUPS or not (places.isascii() and places.isdigit() and len(places) < 10):
        raise bad_cursor("cursor")
    try:
        task = tx.tasks.get(id)
    except NotFound:
        raise bad_cursor("cursor") from None
    if mission_id not in (None, task.mission_id):
        raise bad_cursor("cursor")
    return TakeableTask(task, is_abandoned=group == _ABANDONED, places=int(places))


def release(tx: Tx, *, task_id: str, agent_id: str | None, reason: str | None) -> bool:
    """Release a task. Return whether there was a claim to release."""
    task = tx.tasks.get(task_id)
    task.check_owner(agent_id)
    if task.owner_id is None:
        return False
    if reason is not None:
        journal.checkpoint(
            tx, type=CheckpointType.RECOVERY, task_id=task_id, summary=reason, agent_id=agent_id, fence=None
        )
    tasks.release(tx, task)
    return True


def slots(tx: Tx, mission: Mission) -> int:
    """Return how many more tasks of the mission may run now; 0 while it hands out no tasks."""
    if mission.status not in HANDS_OUT_TASKS:
        return 0
    return max(0, mission.max_parallel - tx.claims.running(mission.id, now=tx.now))


def _takeable(
    tx: Tx, mission: Mission, agent: Agent, *, few: int, behind: TakeableTask | None = None
) -> Iterator[TakeableTask]:
    """Yield tasks without an owner that the agent can do and the mission lets run, abandoned ones first. With `behind`,
    only those after that one."""
    if mission.status not in HANDS_OUT_TASKS:
        return
    given = behind.places if behind is not None else 0
    free = slots(tx, mission) - given
    able = set(agent.capabilities)
    place = behind.place if behind is not None else FIRST_PLACE
    if behind is None or behind.is_abandoned:
        for task in tx.claims.lapsed(mission.id, now=tx.now, limit=MOST_LAPSED, after=place):
            counted = task.status in RUNNING  # it already uses a slot, with any owner
            if (counted or free > 0) and able.issuperset(task.requires or ()):
                free -= not counted
                given += not counted
                yield TakeableTask(task, is_abandoned=True, places=given)
        place = FIRST_PLACE
    if free <= 0:
        return
    for task in tx.claims.ready(mission.id, TaskStatus.PENDING, few=few, after=place):
        if able.issuperset(task.requires or ()):
            free -= 1
            given += 1
            yield TakeableTask(task, is_abandoned=False, places=given)
            if free <= 0:
                return


def _taken(
    tx: Tx,
    mission: Mission,
    task: Task,
    *,
    agent_id: str,
    lease: timedelta,
    looked: Looked,
    houses: PreparedWorktrees,
) -> Claim | None:
    """Claim the task if it is still free. Its event also says where it will be done."""
    move = moves.claimed(task, agent_id, at=tx.now, until=tx.now + lease)
    if not tx.claims.claim(move.after, now=tx.now):
        return None
    housed, workspace = housing.assign_worktree(tx, mission, move.after, houses)
    tasks.apply(tx, replace(move, after=housed), mission=mission)
    return _granted(tx, task, housed, workspace, looked, houses)


def _granted(
    tx: Tx,
    before: Task,
    task: Task,
    workspace: WorkspaceDetails | None,
    looked: Looked,
    houses: PreparedWorktrees,
) -> Claim:
    recovery = takeover.recovery_of(tx, before, looked)
    return Claim(
        task=task,
        depends_on=tx.plans.dependencies([task.id])[task.id],
        holder=task.owner_id,
        recovery=recovery,
        workspace=workspace,
        warnings=[*_lacking(tx, task), *(houses[task.id].warnings if task.id in houses else ())],
    )


def _lacking(tx: Tx, task: Task) -> list[str]:
    """Return a warning for an agent that explicitly claims a task it lacks capabilities for."""
    if not task.requires or task.owner_id is None:
        return []
    lacking = sorted(set(task.requires) - set(tx.agents.get(task.owner_id).capabilities))
    return (
        [f"the task requires {', '.join(lacking)}, which you do not have (update your capabilities if that is wrong)"]
        if lacking
        else []
    )


def _check_phase(tx: Tx, task: Task) -> None:
    phase = tx.phases.get(task.phase_id)
    if phase.closed:
        raise InvalidState(
            f"task {task.id} is in phase {phase.number}, which is {phase.status}",
            hint="Start a new task in an open phase.",
            current=str(phase.status),
        )


def get(tx: Tx, *, task_id: str) -> Task:
    """Return the task."""
    return tx.tasks.get(task_id)
