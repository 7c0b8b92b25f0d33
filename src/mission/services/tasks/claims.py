"""Use cases of claims: take a task for a while, take the next one, give it back, and what can be taken."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import TypeVar

from mission.domain.agent import Agent
from mission.domain.errors import InvalidState
from mission.domain.missions.mission import HANDS_OUT_TASKS, Mission
from mission.domain.tasks import moves
from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.task import HELD, RUNNING, Task, TaskStatus
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import dependencies, journal
from mission.services.tasks import recovery_packet as takeover
from mission.services.tasks import updates as tasks
from mission.services.tasks.recovery_packet import Looked, Recovery
from mission.services.work import Work
from mission.services.workspaces import per_task as housing
from mission.services.workspaces.creation import WorkspaceDetails
from mission.services.workspaces.per_task import PreparedWorktrees, WorktreeNotReady
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

LIKELY = 4
"""How many tasks are looked at before one is taken: others may be quicker, and only abandoned ones have a tree."""
MOST_LAPSED = 200
"""How many abandoned tasks of a mission are looked at."""
MOST_ATTEMPTS = 20
"""How often an agent that asks for the next task is beaten to it before it is told to try again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """A task in its new owner's hands, or who holds it."""

    task: Task | None = None
    depends_on: Sequence[str] = ()
    holder: str | None = None
    recovery: Recovery | None = None
    workspace: WorkspaceDetails | None = None
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskDetail:
    """A task with the ids of those it depends on, and the journal if it was asked for."""

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
    """Give the task to the agent, with what it needs to go on; or say who already has it."""
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
    """Pick a task that the agent can do now and give it to it, in one transaction."""
    for attempt in range(MOST_ATTEMPTS):
        likely, _ = await work.read(available, mission_id=mission_id, agent_id=agent_id, limit=LIKELY, counted=False)
        looked = {
            id: changes for each in likely for id, changes in (await takeover.look_into(trees, each.task)).items()
        }
        houses: PreparedWorktrees = {}
        if likely:  # agents that lost a task to each other should not meet at the next one again
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
    """Claim one task; asking again for one's own renews it."""
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
    """Claim the first task of the plan that the agent can do, within the limit of its mission."""
    agent = tx.agents.get(agent_id)
    for id in [mission_id] if mission_id is not None else tx.claims.missions_with_work(now=tx.now):
        mission = tx.missions.get(id)
        unprepared = False
        for task in _takeable(tx, mission, agent, few=1):
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
    tx: Tx, *, mission_id: str | None, agent_id: str, limit: int, offset: int = 0, counted: bool = True
) -> tuple[list[TaskDetail], int]:
    """Return tasks that the agent could claim now, no more than their missions let run, and how many there are.

    Unless they are to be `counted`, no more tasks are read than asked for.
    """
    agent = tx.agents.get(agent_id)
    few = offset + limit
    ids = [mission_id] if mission_id is not None else tx.claims.missions_with_work(now=tx.now)
    takeable = (task for id in ids for task in _takeable(tx, tx.missions.get(id), agent, few=few))
    all_found = list(takeable if counted else islice(takeable, few))
    found = all_found[offset:few]
    depends_on = tx.plans.dependencies([task.id for task in found])
    return [TaskDetail(task=task, depends_on=depends_on[task.id]) for task in found], len(all_found)


def release(tx: Tx, *, task_id: str, agent_id: str | None, reason: str | None) -> bool:
    """Give a task back; whether there was a claim to give up."""
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
    """How many more tasks of the mission may run beside those that do; none while it hands out nothing."""
    if mission.status not in HANDS_OUT_TASKS:
        return 0
    return max(0, mission.max_parallel - tx.claims.running(mission.id, now=tx.now))


def _takeable(tx: Tx, mission: Mission, agent: Agent, *, few: int) -> Iterator[Task]:
    """Tasks that wait for an owner, that the agent is able to do and the mission lets run: the abandoned ones first."""
    if mission.status not in HANDS_OUT_TASKS:
        return
    free = slots(tx, mission)
    able = set(agent.capabilities)
    for task in tx.claims.lapsed(mission.id, now=tx.now, limit=MOST_LAPSED):
        counted = task.status in RUNNING  # it takes a place already, whoever has it
        if (counted or free) and able.issuperset(task.requires or ()):
            free -= not counted
            yield task
    for task in tx.claims.ready(mission.id, TaskStatus.PENDING, few=few) if free else ():
        if able.issuperset(task.requires or ()):
            yield task
            free -= 1
            if not free:
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
    """Claim the task if it can still be taken. Its event tells where it will be done, too."""
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
    """What whoever takes a task on purpose should know: it is made for others."""
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
            f"task {task.id} stands in phase {phase.number}, which is {phase.status}",
            hint="Start a new task in an open phase.",
            current=str(phase.status),
        )


def get(tx: Tx, *, task_id: str) -> Task:
    """The task as it stands."""
    return tx.tasks.get(task_id)
