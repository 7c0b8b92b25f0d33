"""Use cases of agents: register, send heartbeats, leave; leaving releases the agent's tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from mission.domain import events
from mission.domain.actions import Action
from mission.domain.agents.agent import MISSED_HEARTBEATS, Agent, AgentRole, AgentType, Presence, is_silent
from mission.domain.agents.agent_name import check_name, comparable_name
from mission.domain.errors import AgentNotFound, InvalidInput, InvalidState, PermissionDenied
from mission.domain.ids import PREFIXES, expect_kind, is_id, new_id
from mission.services.paging import Page, cut_page, fitting, position_of, row_cursor
from mission.services.tasks import updates
from mission.store.sql.pages import PagePosition
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class LivenessSettings:
    """Intervals: how often agents should send heartbeats, and how long a claim lasts without one."""

    heartbeat: timedelta
    lease: timedelta

    @property
    def silence(self) -> timedelta:
        """Return how long an agent may be silent and still count as present."""
        return self.heartbeat * MISSED_HEARTBEATS


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentWithPresence:
    """An agent and its presence as readers see it."""

    agent: Agent
    presence: Presence


def find(tx: Tx, *, reference: str, field: str = "agent_id") -> Agent:
    """Return the agent with that id, or with that name if only one live agent has it.

    `field` is the caller's name for the reference, used in errors.
    """
    if reference.startswith(f"{PREFIXES['agent']}_"):
        return tx.agents.get(reference)
    staying = tx.agents.staying_by_name(reference)
    named = (
        _present(tx, staying) or staying
    )  # a crashed agent passes its name to its successor, and keeps it if there is none
    if len(named) == 1:
        return named[0]
    if not named and is_id(reference):
        expect_kind(reference, "agent", field=field)
    if named:
        raise InvalidInput(
            f"{field}: several live agents have the name '{reference[:100]}'",
            hint=f"Give the id: {' or '.join(agent.id for agent in named)}.",
            field=field,
        )
    raise AgentNotFound(
        f"there is no agent '{reference[:100]}'",
        action=Action.FIND_AGENT,
        agent_id=reference[:100],
        field=field,
    )


def register(
    tx: Tx,
    *,
    by: Agent | None,
    name: str,
    runtime: str,
    role: AgentRole,
    capabilities: Sequence[str],
    workspace_path: str | None,
    metadata: Mapping[str, Any] | None,
) -> AgentWithPresence:
    """Register a new agent, online from now on; `by` is the calling agent, if any.

    An agent that registers under its own name, or a client session that registers again, keeps its identity.
    """
    if role is AgentRole.COORDINATOR and by is not None and by.type is not AgentType.SUPERVISOR:
        raise PermissionDenied(
            "only the operator or a SUPERVISOR can register a coordinator", hint="Register as a worker instead."
        )
    if (known := _known(tx, by=by, name=name, metadata=metadata)) is not None:
        return _again(tx, known, capabilities=capabilities, workspace_path=workspace_path, metadata=metadata)
    agent = Agent(
        id=new_id("agent"),
        name=name_for(tx, by=by, name=name),
        runtime=runtime,
        type=role.type,
        capabilities=list(capabilities),
        workspace_path=workspace_path,
        metadata=dict(metadata or {}),
        supervisor_id=by.id if by is not None and by.type.commands(role.type) else None,
        created_at=tx.now,
        updated_at=tx.now,
        last_seen_at=tx.now,
    )
    tx.agents.add(agent)
    registered = AgentWithPresence(agent=agent, presence=Presence.ONLINE)
    tx.emit(events.AgentCreated(agent=agent, presence=registered.presence))
    return registered


def name_for(tx: Tx, *, by: Agent | None, name: str) -> str:
    """Return the name if a new agent may have it: an agent cannot give one that looks like a live agent's name.

    The operator can, for example for several launched agents of one client; each is then addressed by its id.
    """
    check_name(name)
    taken = _living_namesake(tx, name) if by is not None else None
    if taken is None:
        return name
    raise InvalidState(
        f"agent {taken.id} is live and has the name '{taken.name[:100]}'",
        hint=f"Choose another name. If you are that agent, act as {taken.id}; you need not register again.",
        agent_id=taken.id,
    )


def _living_namesake(tx: Tx, name: str) -> Agent | None:
    wanted = comparable_name(name)
    living = tx.agents.staying_since(tx.now - tx.silence)
    return next((agent for agent in living if comparable_name(agent.name) == wanted), None)


def _known(tx: Tx, *, by: Agent | None, name: str, metadata: Mapping[str, Any] | None) -> Agent | None:
    """Return the agent that registers itself again, if it is known."""
    if by is not None:
        return tx.agents.get(by.id) if by.name == name else None
    session = (metadata or {}).get("session_id")
    named = _present(tx, tx.agents.staying_by_name(name)) if session is not None else []
    return next((agent for agent in named if (agent.metadata or {}).get("session_id") == session), None)


def _again(
    tx: Tx,
    agent: Agent,
    *,
    capabilities: Sequence[str],
    workspace_path: str | None,
    metadata: Mapping[str, Any] | None,
) -> AgentWithPresence:
    agent = replace(
        agent,
        declared=Presence.ONLINE,
        capabilities=list(capabilities) or agent.capabilities,
        workspace_path=workspace_path or agent.workspace_path,
        metadata={**(agent.metadata or {}), **(metadata or {})},
        last_seen_at=tx.now,
        updated_at=tx.now,
    )
    tx.agents.save(agent)
    registered = AgentWithPresence(agent=agent, presence=agent.presence(now=tx.now, silence=tx.silence))
    tx.emit(events.AgentUpdated(agent=agent, presence=registered.presence))
    return registered


def _present(tx: Tx, agents: Sequence[Agent]) -> list[Agent]:
    return [agent for agent in agents if not is_silent(agent.last_seen_at, now=tx.now, silence=tx.silence)]


def heartbeat(
    tx: Tx, *, agent_id: str, current_task_id: str | None, status: Presence | None, liveness: LivenessSettings
) -> AgentWithPresence:
    """Record a heartbeat: the agent counts as present, and the leases of its tasks are renewed."""
    agent = tx.agents.get(agent_id)
    before = agent.presence(now=tx.now, silence=liveness.silence)
    revived = Presence.ONLINE if agent.declared is Presence.OFFLINE else agent.declared
    agent = replace(
        agent,
        last_seen_at=tx.now,
        declared=status or revived,
        current_task_id=_existing_task(tx, current_task_id) or agent.current_task_id,
    )
    tx.tasks.renew(agent_id, until=tx.now + liveness.lease)
    return _save(tx, agent, liveness, before=before)


def acknowledge_heartbeat(
    tx: Tx, *, agent_id: str, current_task_id: str | None, status: Presence | None, liveness: LivenessSettings
) -> timedelta:
    """Record a heartbeat and return when the next one is due."""
    heartbeat(tx, agent_id=agent_id, current_task_id=current_task_id, status=status, liveness=liveness)
    return liveness.heartbeat


def update(
    tx: Tx,
    *,
    agent_id: str,
    status: Presence | None,
    current_task_id: str | None,
    clear_task: bool,
    workspace_path: str | None,
    capabilities: Sequence[str] | None,
    metadata: Mapping[str, Any] | None,
    liveness: LivenessSettings,
) -> AgentWithPresence:
    """Change what the agent reports about itself; metadata is merged key by key."""
    agent = tx.agents.get(agent_id)
    task_id = None if clear_task else (_existing_task(tx, current_task_id) or agent.current_task_id)
    agent = replace(
        agent,
        declared=status or agent.declared,
        current_task_id=task_id,
        workspace_path=workspace_path or agent.workspace_path,
        capabilities=agent.capabilities if capabilities is None else list(capabilities),
        metadata={**(agent.metadata or {}), **(metadata or {})},
        last_seen_at=agent.last_seen_at if status is Presence.OFFLINE else tx.now,
        updated_at=tx.now,
    )
    return _save(tx, agent, liveness, before=None)


def unregister(tx: Tx, *, agent_id: str, liveness: LivenessSettings) -> AgentWithPresence:
    """Take the agent offline and release all its tasks."""
    return leave(tx, agent_id=agent_id, keeping=None, liveness=liveness)


def leave(tx: Tx, *, agent_id: str, keeping: str | None, liveness: LivenessSettings) -> AgentWithPresence:
    """Take the agent offline and release its tasks, except the one in `keeping`."""
    agent = tx.agents.get(agent_id)
    for task in tx.tasks.open_of_agent(agent_id):
        if task.id != keeping:
            updates.release(tx, task)
    agent = replace(agent, declared=Presence.OFFLINE, current_task_id=None, updated_at=tx.now)
    return _save(tx, agent, liveness, before=None)


def returned(tx: Tx, *, agent_id: str, task_id: str, liveness: LivenessSettings) -> AgentWithPresence:
    """Bring the agent back online with that task as its current one."""
    agent = replace(tx.agents.get(agent_id), declared=Presence.ONLINE, current_task_id=task_id, last_seen_at=tx.now)
    return _save(tx, agent, liveness, before=None)


def get(tx: Tx, *, agent_id: str, liveness: LivenessSettings) -> AgentWithPresence:
    """Return the agent with that id or name, and its presence."""
    agent = find(tx, reference=agent_id, field="id")
    return AgentWithPresence(agent=agent, presence=agent.presence(now=tx.now, silence=liveness.silence))


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentFilter:
    """Filter for agents; an empty filter matches all."""

    presences: Sequence[Presence] | None = None
    role: AgentRole | None = None
    runtime: str | None = None


def list_agents(
    tx: Tx, *, wanted: AgentFilter, liveness: LivenessSettings, limit: int, cursor: str | None
) -> Page[AgentWithPresence]:
    """Return agents in the order of registration, newest first; a heartbeat does not change the order."""
    found = _found(tx, wanted, liveness, limit=limit + 1, after=position_of(cursor, kind="agent"))
    return cut_page(found, limit=limit, cursor=lambda each: row_cursor(each.agent))


def every(tx: Tx, *, wanted: AgentFilter, liveness: LivenessSettings) -> list[AgentWithPresence]:
    """Return all matching agents."""
    return _found(tx, wanted, liveness, limit=tx.agents.count(), after=None)


def _found(
    tx: Tx, wanted: AgentFilter, liveness: LivenessSettings, *, limit: int, after: PagePosition | None
) -> list[AgentWithPresence]:
    types, presences = None, wanted.presences
    if wanted.role is not None:
        workers = wanted.role is AgentRole.WORKER
        types = [AgentType.WORKER] if workers else [AgentType.ORCHESTRATOR, AgentType.SUPERVISOR]
    present = presences is not None and Presence.OFFLINE not in presences
    since = tx.now - liveness.silence if present else None

    def presence(agent: Agent) -> Presence:
        return agent.presence(now=tx.now, silence=liveness.silence)

    found = fitting(
        lambda chunk, after: tx.agents.page(types=types, runtime=wanted.runtime, since=since, limit=chunk, after=after),
        fits=lambda agent: presences is None or presence(agent) in presences,
        limit=limit,
        after=after,
    )
    return [AgentWithPresence(agent=agent, presence=presence(agent)) for agent in found]


def _existing_task(tx: Tx, task_id: str | None) -> str | None:
    return tx.tasks.get(task_id).id if task_id is not None else None


def _save(tx: Tx, agent: Agent, liveness: LivenessSettings, *, before: Presence | None) -> AgentWithPresence:
    """Store the agent; publish an event only if something visible to readers has changed."""
    tx.agents.save(agent)
    presence = agent.presence(now=tx.now, silence=liveness.silence)
    if presence is not before:
        tx.emit(events.AgentUpdated(agent=agent, presence=presence))
    return AgentWithPresence(agent=agent, presence=presence)
