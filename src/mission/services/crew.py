"""Use cases of a crew: what an agent has before it, and tasks and missions that its leaders make and hand out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from mission.domain import events
from mission.domain.agent import Agent, AgentType, CrewState, Presence
from mission.domain.errors import InvalidAgentState, InvalidInput, NotFound, NotOwner
from mission.domain.execution import Execution, ExecutionStatus
from mission.domain.inbox import ItemKind
from mission.domain.mission import Mission
from mission.domain.phase import MOVES as PHASE_MOVES
from mission.domain.task import RUNNING, Task, TaskStatus
from mission.services import agents, asking, claims, missions, planning, steering
from mission.services.claims import Claim
from mission.services.missions import NewMission
from mission.services.planning import NewTask
from mission.services.starting import Owner
from mission.services.steering import Move
from mission.services.trees import Place, Report, Trees
from mission.services.work import Work
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

AS_AGENT = "Call it as an agent: with the agent's token, or name the agent as agentId."
_CRASHED = frozenset({ExecutionStatus.FAILED, ExecutionStatus.LOST})


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """An agent as its crew sees it."""

    agent: Agent
    state: CrewState
    task: Task | None
    mission_id: str | None
    execution_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AtWork:
    """A task with the place it is worked on."""

    task: Task
    worktree: str | None = None
    branch: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskPage:
    tasks: Sequence[Task]
    next: int | None


def look(tx: Tx, *, agent: Agent | None) -> Member:
    """The agent itself: what it works on and how it stands."""
    return _member(tx, tx.agents.get(_somebody(agent).id))


def members(tx: Tx, *, limit: int) -> list[Member]:
    """All agents, the most recently seen first."""
    return [_member(tx, agent) for agent in tx.agents.all(types=None, runtime=None)[:limit]]


async def current_task(work: Work, trees: Trees, *, agent: Agent | None) -> AtWork:
    """The worker's task, the tree it lies in and the branch that is checked out there."""
    at_work = await work.read(_current_task, agent=agent)
    if at_work.branch is not None or at_work.worktree is None:
        return at_work
    return replace(at_work, branch=await trees.branch(at_work.worktree, host_id=at_work.task.host_id))


def current_mission(tx: Tx, *, agent: Agent | None) -> Mission:
    """The mission an agent leads, or that a worker's task belongs to."""
    member = look(tx, agent=agent)
    if member.agent.type is AgentType.WORKER and member.task is None:
        raise _without_task(member.agent)
    return tx.missions.get(mission_of(member))


def mission_of(member: Member) -> str:
    if member.mission_id is None:
        raise InvalidAgentState(
            f"{member.agent.type} {member.agent.id} has no current epic",
            hint="Create one with mcp__epic__create, or give its epicId where that is taken.",
        )
    return member.mission_id


def create_mission(tx: Tx, *, new: NewMission, place: Place | None, agent: Agent | None) -> Mission:
    """A new mission; the agent that makes it leads it from now on."""
    mission = missions.create(tx, new=new, place=place)
    if agent is not None:
        leading = replace(tx.agents.get(agent.id), mission_id=mission.id, updated_at=tx.now)
        tx.agents.save(leading)
        tx.emit(events.AgentUpdated(agent=leading, presence=Presence.ONLINE))
    return mission


def create_task(
    tx: Tx,
    *,
    agent: Agent | None,
    mission_id: str | None,
    title: str,
    description: str,
    depends_on: Sequence[str],
    fields: tuple[str, str],
) -> Task:
    """A new task of the named mission, else of the one the agent leads.

    `fields` is what the caller knows title and depends_on as: errors name them.
    """
    mission_id = _chosen_mission(tx, agent=agent, mission_id=mission_id)
    tx.missions.get(mission_id)
    _check_task(tx, mission_id, title=title, depends_on=depends_on, fields=fields)
    sequence = _sequence(tx, mission_id, depends_on)
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
    answer: Callable[[Task], Answer],
) -> Answer:
    """Hand a free task to an agent; `field` is what the caller knows the agent as."""
    agent = await work.read(agents.find, reference=agent_id, field=field)

    def answered(claim: Claim) -> Answer:
        if claim.task is None:
            raise NotOwner(
                f"task {task_id} belongs to {claim.holder}",
                hint="Wait until it is given back or its lease has lapsed, or assign another task.",
                task_id=task_id,
                owner_id=claim.holder,
            )
        return answer(claim.task)

    return await claims.claim(
        work, trees, task_id=task_id, agent_id=agent.id, lease=lease, report=report, answer=answered
    )


async def move_task(
    work: Work,
    trees: Trees,
    *,
    agent: Agent | None,
    task_id: str | None,
    wanted: Move,
    lease: timedelta,
    directory: str | None,
    report: Report | None,
    answer: Callable[[Task], Answer],
) -> Answer:
    """Move the named task, else the agent's own. What a worker gives into review waits for a person."""
    chosen = task_id or (await work.read(_current_task, agent=agent)).task.id
    owner = Owner(agent_id=agent.id if agent is not None else None, lease=lease, keeps=True)
    if wanted.status is TaskStatus.REVIEW:
        return await work.write(give_into_review, task_id=chosen, wanted=wanted, owner=owner, answer=answer)
    return await steering.move(
        work,
        trees,
        task_id=chosen,
        wanted=wanted,
        owner=owner,
        directory=directory,
        report=report,
        answer=lambda moved: answer(_task_of(moved)),
    )


def give_into_review(tx: Tx, *, task_id: str, wanted: Move, owner: Owner) -> Task:
    """Move a task into review and put it before a person."""
    task = steering.shift(tx, task_id=task_id, wanted=wanted, owner=owner)
    asking.verdict(tx, task, words=wanted.outcome or "", agent_id=owner.agent_id)
    return task


def tasks_of(
    tx: Tx,
    *,
    agent: Agent | None,
    mission_id: str | None,
    fits: Callable[[Task], bool],
    limit: int,
    offset: int,
) -> TaskPage:
    """Tasks of the named mission, else of the agent's, in the order of the plan."""
    mission_id = _chosen_mission(tx, agent=agent, mission_id=mission_id)
    tx.missions.get(mission_id)
    found: list[Task] = []
    while len(found) < limit:
        page = tx.plans.page(mission_id, limit=limit, offset=offset)
        for task in page:
            offset += 1
            if fits(task):
                found.append(task)
            if len(found) == limit:
                return TaskPage(tasks=found, next=offset)
        if len(page) < limit:
            break
    return TaskPage(tasks=found, next=None)


def own_task(tx: Tx, *, agent: Agent | None) -> Task:
    """The task that the agent works on."""
    return _current_task(tx, agent=agent).task


def _current_task(tx: Tx, *, agent: Agent | None) -> AtWork:
    member = look(tx, agent=agent)
    if member.agent.type is not AgentType.WORKER:
        raise InvalidAgentState(
            f"{member.agent.type} {member.agent.id} is no WORKER and has no current task",
            hint="Give the taskId where that is taken; mcp__epic__list_tasks lists them.",
        )
    if member.task is None:
        raise _without_task(member.agent)
    task = member.task
    workspace = tx.workspaces.get(task.workspace_id) if task.workspace_id is not None else None
    if workspace is not None and task.tree in (None, workspace.path):
        return AtWork(task=task, worktree=workspace.path, branch=workspace.branch)
    return AtWork(task=task, worktree=task.tree)


def _member(tx: Tx, agent: Agent) -> Member:
    owned = tx.tasks.open_of_agent(agent.id)
    task = _foremost(agent, owned)
    launched = (agent.metadata or {}).get("launched")
    execution = tx.executions.newest_of_agent(agent.id) if launched else None
    asks = bool(tx.inbox.open_where(kinds=[ItemKind.QUESTION], agent_id=agent.id))
    lapsed = any(each.lease_until is not None and each.lease_until < tx.now for each in owned)
    return Member(
        agent=agent,
        state=CrewState.of(
            asks=asks,
            failed=lapsed or (execution is not None and execution.status in _CRASHED),
            at_work=task is not None or agent.declared is Presence.BUSY,
        ),
        task=task,
        mission_id=agent.mission_id or (task.mission_id if task is not None else None),
        execution_id=_live_id(execution),
    )


def _live_id(execution: Execution | None) -> str | None:
    return execution.id if execution is not None and execution.is_live else None


def _foremost(agent: Agent, owned: Sequence[Task]) -> Task | None:
    """The task an agent is at: the one it says, else the last one it moved, else one that waits for it."""
    ranked = sorted(owned, key=lambda task: (task.id == agent.current_task_id, task.status in RUNNING, task.updated_at))
    return ranked[-1] if ranked else None


def _chosen_mission(tx: Tx, *, agent: Agent | None, mission_id: str | None) -> str:
    return mission_id if mission_id is not None else mission_of(look(tx, agent=agent))


def _check_task(tx: Tx, mission_id: str, *, title: str, depends_on: Sequence[str], fields: tuple[str, str]) -> None:
    """A title of its own, and nothing to wait for that the mission does not have."""
    rows = tx.plans.known(mission_id, (title, *depends_on))
    if any(row.name == title for row in rows):
        raise InvalidInput(
            f"{fields[0]}: mission {mission_id} already has a task '{title}'", hint="Give it another.", field=fields[0]
        )
    known = {name for row in rows for name in (row.id, row.name)}
    missing = [reference for reference in depends_on if reference not in known]
    if missing:
        raise InvalidInput(
            f"{fields[1]}: mission {mission_id} has no task {', '.join(repr(each) for each in missing[:10])}",
            hint="Give ids or titles of tasks that it already has.",
            field=fields[1],
            tasks=missing[:100],
        )


def _sequence(tx: Tx, mission_id: str, depends_on: Sequence[str]) -> int:
    """The last phase that takes tasks, and none before those of what the task waits for."""
    known = tx.plans.phases(mission_id)
    taking = [number for number, (_, status) in known.items() if PHASE_MOVES[status]]
    least = max((task.phase_number for task in _known_tasks(tx, depends_on)), default=1)
    return max([*taking, least]) if taking else max([*(number + 1 for number in known), least])


def _known_tasks(tx: Tx, references: Sequence[str]) -> list[Task]:
    """Those of the references that are ids of tasks; whether the others are names the plan's own check tells."""
    found = []
    for reference in references:
        try:
            found.append(tx.tasks.get(reference))
        except NotFound:
            continue
    return found


def _task_of(moved: object) -> Task:
    task = moved if isinstance(moved, Task) else getattr(moved, "task", None)
    assert isinstance(task, Task)
    return task


def _somebody(agent: Agent | None) -> Agent:
    if agent is None:
        raise InvalidAgentState("no agent calls: the operator has no task, epic or state of its own", hint=AS_AGENT)
    return agent


def _without_task(agent: Agent) -> InvalidAgentState:
    return InvalidAgentState(
        f"{agent.type} {agent.id} has no current task",
        hint="Take one with task_claim_next, or wait until one is assigned to you.",
    )
