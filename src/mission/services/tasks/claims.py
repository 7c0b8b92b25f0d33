"""Use cases of claims: claim a task with a lease, claim the next one, release it, and list available tasks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice
from typing import NamedTuple

from mission.domain.agents.agent import Agent
from mission.domain.errors import InvalidState, NotFound
from mission.domain.missions.mission import STARTS_TASKS, Mission
from mission.domain.tasks import moves
from mission.domain.tasks.journal import CheckpointType, JournalEntry
from mission.domain.tasks.states import HELD, RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.services.paging import Page, bad_cursor, cut_page
from mission.services.repositories.working_trees import Report, Trees
from mission.services.tasks import dependencies, journal, recovery_packet, updates
from mission.services.tasks.recovery_packet import Recovery, UncommittedChanges
from mission.services.work import Work
from mission.services.workspaces import per_task
from mission.services.workspaces.creation import WorkspaceDetails
from mission.services.workspaces.per_task import PreparedWorktrees, WorktreeNotReady
from mission.store.tasks.claims import FIRST_PLACE, PlanPlace
from mission.store.transaction import Tx

LIKELY = 4
"""How many tasks are tried per claim: other agents may be quicker, and only abandoned tasks have a tree."""
MAX_LAPSED = 200
"""How many abandoned tasks of a mission are tried."""
MAX_ATTEMPTS = 20
"""How often an agent that asks for the next task may lose the race before it is asked to try again."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedClaim:
    """The changes found in the trees of tasks, and the worktrees created, before one of them is claimed."""

    uncommitted: UncommittedChanges
    worktrees: PreparedWorktrees


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
) -> Claim:
    """Claim the task for the agent, with what it needs to continue; or return who already holds it."""
    prepared = await prepare(work, trees, task_id=task_id, agent_id=agent_id, report=report)
    return await work.finish(claim_prepared, task_id=task_id, agent_id=agent_id, lease=lease, prepared=prepared)


async def prepare(
    work: Work, trees: Trees, *, task_id: str, agent_id: str, report: Report | None = None
) -> PreparedClaim:
    """Return what the agent needs to claim the task: the changes left in its tree, and a worktree if it gets one."""
    task = await work.read(get, task_id=task_id)
    return PreparedClaim(
        uncommitted=await recovery_packet.uncommitted_in(work, trees, task),
        worktrees=await per_task.prepare(work, trees, task_id=task_id, agent_id=agent_id, report=report),
    )


async def claim_next(
    work: Work,
    trees: Trees,
    *,
    mission_id: str | None,
    agent_id: str,
    lease: timedelta,
    report: Report | None = None,
) -> Claim:
    """Choose a task that the agent can do now and claim it for the agent, in one transaction."""
    for attempt in range(MAX_ATTEMPTS):
        likely = (await work.read(available, mission_id=mission_id, agent_id=agent_id, limit=LIKELY)).rows
        uncommitted = {
            id: changes
            for each in likely
            for id, changes in (await recovery_packet.uncommitted_in(work, trees, each.task)).items()
        }
        worktrees: PreparedWorktrees = {}
        if likely:  # agents that raced for one task should not race for the next one too
            chosen = likely[0] if attempt == 0 else random.choice(likely)
            worktrees = await per_task.prepare(work, trees, task_id=chosen.task.id, agent_id=agent_id, report=report)
        try:
            return await work.finish(
                claim_next_prepared,
                mission_id=mission_id,
                agent_id=agent_id,
                lease=lease,
                prepared=PreparedClaim(uncommitted=uncommitted, worktrees=worktrees),
            )
        except WorktreeNotReady:
            continue
    raise WorktreeNotReady


def claim_prepared(tx: Tx, *, task_id: str, agent_id: str, lease: timedelta, prepared: PreparedClaim) -> Claim:
    """Claim one task; claiming one's own task again renews it."""
    task = tx.tasks.get(task_id)
    if task.owner_id == agent_id and task.lease_until is not None:
        renewed = replace(task, lease_until=tx.now + lease)
        tx.claims.renew(task_id, until=tx.now + lease)
        mission = tx.missions.get(task.mission_id)
        assigned, workspace = per_task.assign_worktree(tx, mission, renewed, prepared.worktrees)
        if assigned.workspace_id is not None and assigned.workspace_id != task.workspace_id:
            (assigned,) = updates.apply(tx, moves.given_workspace(renewed, assigned.workspace_id, at=tx.now))
        return _granted(tx, task, assigned, workspace, prepared)
    task.check_one_of(HELD, "claimed")
    dependencies.check_done(tx, task)
    _check_phase(tx, task)
    mission = tx.missions.get(task.mission_id)
    mission.check_starts_tasks()
    claimed = _claim(tx, mission, task, agent_id=agent_id, lease=lease, prepared=prepared)
    return claimed or Claim(holder=task.owner_id or "operator")


def claim_next_prepared(
    tx: Tx, *, mission_id: str | None, agent_id: str, lease: timedelta, prepared: PreparedClaim
) -> Claim:
    """Claim the first task of the plan that the agent can do, within its mission's limit."""
    agent = tx.agents.get(agent_id)
    for id in [mission_id] if mission_id is not None else tx.claims.missions_with_work(now=tx.now):
        mission = tx.missions.get(id)
        unprepared = False
        for task in (each.task for each in _takeable(tx, mission, agent, limit=1)):
            if per_task.needs_worktree(tx, mission, task, prepared.worktrees):
                unprepared = True
                continue
            claimed = _claim(tx, mission, task, agent_id=agent_id, lease=lease, prepared=prepared)
            if claimed is not None:
                return claimed
        if unprepared:
            raise WorktreeNotReady
    return Claim()


def available(
    tx: Tx, *, mission_id: str | None, agent_id: str, limit: int, cursor: str | None = None
) -> Page[TaskDetail]:
    """Return tasks that the agent could claim now, no more than their missions let run; only one page is read."""
    agent = tx.agents.get(agent_id)
    shown = _shown_last(tx, mission_id, cursor)
    found = list(islice(_available(tx, mission_id, agent, shown, limit=limit + 1), limit + 1))
    page = cut_page(found, limit=limit, cursor=lambda each: each.cursor)
    tasks = [each.task for each in page.rows]
    depends_on = tx.plans.dependencies([task.id for task in tasks])
    return Page(rows=[TaskDetail(task=task, depends_on=depends_on[task.id]) for task in tasks], next=page.next)


def _available(
    tx: Tx, mission_id: str | None, agent: Agent, shown: TakeableTask | None, *, limit: int
) -> Iterator[TakeableTask]:
    if mission_id is not None:
        ids = [mission_id]
    else:
        first = tx.missions.get(shown.task.mission_id) if shown is not None else None
        ids = tx.claims.missions_with_work(now=tx.now, since=first)
    for id in ids:
        after = shown if shown is not None and shown.task.mission_id == id else None
        yield from _takeable(tx, tx.missions.get(id), agent, limit=limit, after=after)


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
    updates.release(tx, task)
    return True


def slots(tx: Tx, mission: Mission) -> int:
    """Return how many more tasks of the mission may run now; 0 while it hands out no tasks."""
    if mission.status not in STARTS_TASKS:
        return 0
    return max(0, mission.max_parallel - tx.claims.running(mission.id, now=tx.now))


def _takeable(
    tx: Tx, mission: Mission, agent: Agent, *, limit: int, after: TakeableTask | None = None
) -> Iterator[TakeableTask]:
    """Yield tasks without an owner that the agent can do and the mission lets run, abandoned ones first. With `after`,
    only those after that one."""
    if mission.status not in STARTS_TASKS:
        return
    given = after.places if after is not None else 0
    free = slots(tx, mission) - given
    able = set(agent.capabilities)
    place = after.place if after is not None else FIRST_PLACE
    if after is None or after.is_abandoned:
        for task in tx.claims.lapsed(mission.id, now=tx.now, limit=MAX_LAPSED, after=place):
            counted = task.status in RUNNING  # it already uses a slot, with any owner
            if (counted or free > 0) and able.issuperset(task.requires or ()):
                free -= not counted
                given += not counted
                yield TakeableTask(task, is_abandoned=True, places=given)
        place = FIRST_PLACE
    if free <= 0:
        return
    for task in tx.claims.ready(mission.id, TaskStatus.PENDING, chunk=limit, after=place):
        if able.issuperset(task.requires or ()):
            free -= 1
            given += 1
            yield TakeableTask(task, is_abandoned=False, places=given)
            if free <= 0:
                return


def _claim(
    tx: Tx, mission: Mission, task: Task, *, agent_id: str, lease: timedelta, prepared: PreparedClaim
) -> Claim | None:
    """Claim the task if it is still free. Its event also says where it will be done."""
    move = moves.claimed(task, agent_id, at=tx.now, until=tx.now + lease)
    if not tx.claims.claim(move.after, now=tx.now):
        return None
    assigned, workspace = per_task.assign_worktree(tx, mission, move.after, prepared.worktrees)
    updates.apply(tx, replace(move, after=assigned), mission=mission)
    return _granted(tx, task, assigned, workspace, prepared)


def _granted(tx: Tx, before: Task, task: Task, workspace: WorkspaceDetails | None, prepared: PreparedClaim) -> Claim:
    recovery = recovery_packet.recovery_of(tx, before, prepared.uncommitted)
    worktree = prepared.worktrees.get(task.id)
    return Claim(
        task=task,
        depends_on=tx.plans.dependencies([task.id])[task.id],
        holder=task.owner_id,
        recovery=recovery,
        workspace=workspace,
        warnings=[*_lacking(tx, task), *(worktree.warnings if worktree is not None else ())],
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
