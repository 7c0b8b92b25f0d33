"""Use cases of a crew: its members, their states, and their current task and mission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.agents.agent import Agent, AgentType, CrewState, Presence
from mission.domain.errors import InvalidAgentState
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.missions.mission import Mission
from mission.domain.tasks.states import RUNNING
from mission.domain.tasks.task import Task
from mission.services.missions import creation as missions
from mission.services.missions.creation import NewMission
from mission.services.paging import Page, cut_page, position_of, row_cursor
from mission.services.repositories.working_trees import TreeLocation, Trees
from mission.services.work import Work
from mission.store.transaction import Tx

AS_AGENT = "Call it as an agent: use the agent's token, or give the agent as agentId."
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
    """A task with the tree and branch it is worked on."""

    task: Task
    worktree: str | None = None
    branch: str | None = None


def get(tx: Tx, *, agent: Agent | None) -> Member:
    """Return the agent itself: its current work and its state."""
    return _member(tx, tx.agents.get(_somebody(agent).id))


def list_members(tx: Tx, *, limit: int, cursor: str | None) -> Page[Member]:
    """Return agents as their crew sees them, the newest first."""
    found = tx.agents.page(limit=limit + 1, after=position_of(cursor, kind="agent"))
    page = cut_page(found, limit=limit, cursor=row_cursor)
    return Page(rows=[_member(tx, agent) for agent in page.rows], next=page.next)


async def current_task(work: Work, trees: Trees, *, agent: Agent | None) -> AtWork:
    """Return the worker's task, its tree and the branch that is checked out there."""
    at_work = await work.read(_current_task, agent=agent)
    if at_work.branch is not None or at_work.worktree is None:
        return at_work
    return replace(at_work, branch=await trees.branch(at_work.worktree, host_id=at_work.task.host_id))


def current_mission(tx: Tx, *, agent: Agent | None) -> Mission:
    """Return the mission that an agent leads, or that a worker's task belongs to."""
    member = get(tx, agent=agent)
    if member.agent.type is AgentType.WORKER and member.task is None:
        raise _without_task(member.agent)
    return tx.missions.get(mission_of(member))


def mission_of(member: Member) -> str:
    if member.mission_id is None:
        raise InvalidAgentState(
            f"{member.agent.type} {member.agent.id} has no current epic",
            action=Action.MAKE_EPIC,
        )
    return member.mission_id


def create_mission(tx: Tx, *, new: NewMission, place: TreeLocation | None, agent: Agent | None) -> Mission:
    """Create a mission; the calling agent leads it."""
    mission = missions.create(tx, new=new, place=place)
    if agent is not None:
        leading = replace(tx.agents.get(agent.id), mission_id=mission.id, updated_at=tx.now)
        tx.agents.save(leading)
        tx.emit(events.AgentUpdated(agent=leading, presence=Presence.ONLINE))
    return mission


def own_task(tx: Tx, *, agent: Agent | None) -> Task:
    """Return the task that the agent works on."""
    return _current_task(tx, agent=agent).task


def _current_task(tx: Tx, *, agent: Agent | None) -> AtWork:
    member = get(tx, agent=agent)
    if member.agent.type is not AgentType.WORKER:
        raise InvalidAgentState(
            f"{member.agent.type} {member.agent.id} is not a WORKER and has no current task",
            action=Action.NAME_CREW_TASK,
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
    """Return the agent's current task: the one it reports, else the last one it moved, else one that waits for it."""
    ranked = sorted(owned, key=lambda task: (task.id == agent.current_task_id, task.status in RUNNING, task.updated_at))
    return ranked[-1] if ranked else None


def _somebody(agent: Agent | None) -> Agent:
    if agent is None:
        raise InvalidAgentState("only agents can call this: the operator has no task, epic or state", hint=AS_AGENT)
    return agent


def _without_task(agent: Agent) -> InvalidAgentState:
    return InvalidAgentState(
        f"{agent.type} {agent.id} has no current task",
        action=Action.WAIT_FOR_TASK,
    )
