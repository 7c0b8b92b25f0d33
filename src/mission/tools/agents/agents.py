"""Tools for agents: register, heartbeat, update, read, unregister."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from mission.domain.agent import Agent, AgentRole, Presence, Runtime
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.agents import registration as agents
from mission.services.agents.registration import AgentFilter, AgentWithPresence
from mission.services.views import agents as agent_states
from mission.services.views.agents import AgentState
from mission.tools.shared.fields import AbsolutePath, GivenTexts, Name, TaskId, Texts
from mission.tools.shared.records import STATE, Done
from mission.tools.shared.wording import Moment


class RegisterAgent(Arguments):
    name: Name
    runtime: Runtime
    role: AgentRole = AgentRole.WORKER
    capabilities: GivenTexts = []
    workspace_path: AbsolutePath | None = None
    metadata: dict[str, Any] | None = None


class RegisteredAgent(Result):
    id: str
    name: str
    status: str

    @classmethod
    def of(cls, seen: AgentWithPresence) -> RegisteredAgent:
        return cls(id=seen.agent.id, name=seen.agent.name, status=seen.presence)


class Heartbeat(Arguments):
    agent_id: str
    current_task_id: TaskId | None = None
    status: Literal["online", "busy"] | None = None


class HeartbeatSeen(Result):
    success: bool
    next_heartbeat_ms: int


class UpdateAgent(Arguments):
    nullable: ClassVar[frozenset[str]] = frozenset({"current_task_id"})

    id: str
    status: Presence | None = None
    current_task_id: TaskId | None = Field(None, description="null clears it")
    workspace_path: AbsolutePath | None = None
    capabilities: GivenTexts | None = Field(None, description="Replaces the registered ones")
    metadata: dict[str, Any] | None = None


class AgentById(Arguments):
    id: str


class AgentRecord(Result):
    id: str
    name: str
    runtime: str
    role: str
    type: str
    status: str
    state: str = STATE
    capabilities: Texts
    current_task_id: str | None
    workspace_path: str | None
    supervisor_id: str | None
    mission_id: str | None
    last_heartbeat: Moment
    metadata: dict[str, Any]
    created_at: Moment

    @classmethod
    def of(cls, shown: AgentState) -> AgentRecord:
        agent: Agent = shown.agent
        return cls(
            id=agent.id,
            name=agent.name,
            runtime=agent.runtime,
            role=agent.role,
            type=agent.type,
            status=shown.presence,
            state=shown.state,
            capabilities=list(agent.capabilities),
            current_task_id=agent.current_task_id,
            workspace_path=agent.workspace_path,
            supervisor_id=agent.supervisor_id,
            mission_id=agent.mission_id,
            last_heartbeat=agent.last_seen_at,
            metadata=dict(agent.metadata or {}),
            created_at=agent.created_at,
        )


class ListAgents(Arguments):
    status: list[Presence] | None = None
    role: AgentRole | None = None
    runtime: str | None = None
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = None


class AgentList(Result):
    agents: list[AgentRecord]
    next_cursor: str | None


@tool(toolset="agents")
async def agent_register(call: Call, args: RegisterAgent) -> RegisteredAgent:
    """Register an agent and mark it online."""
    return await call.write(
        agents.register,
        by=call.identity.agent,
        name=args.name,
        runtime=args.runtime,
        role=args.role,
        capabilities=args.capabilities,
        workspace_path=args.workspace_path,
        metadata=args.metadata,
        answer=RegisteredAgent.of,
    )


@tool(toolset="agents", actor="agent_id", idempotent=True)
async def agent_heartbeat(call: Call, args: Heartbeat) -> HeartbeatSeen:
    """Send a heartbeat; renews leases."""
    next_ms = round(call.rhythm.heartbeat.total_seconds() * 1000)
    return await call.write(
        agents.heartbeat,
        agent_id=call.actor,
        current_task_id=args.current_task_id,
        status=Presence(args.status) if args.status else None,
        rhythm=call.rhythm,
        answer=lambda _seen: HeartbeatSeen(success=True, next_heartbeat_ms=next_ms),
    )


@tool(toolset="agents", actor="id", idempotent=True)
async def agent_update(call: Call, args: UpdateAgent) -> Done:
    """Update an agent's own record."""
    return await call.write(
        agents.update,
        agent_id=call.actor,
        status=args.status,
        current_task_id=args.current_task_id,
        clear_task="current_task_id" in args.model_fields_set and args.current_task_id is None,
        workspace_path=args.workspace_path,
        capabilities=args.capabilities,
        metadata=args.metadata,
        rhythm=call.rhythm,
        answer=lambda _seen: Done(success=True),
    )


@tool(toolset="agents", reads=True, address="/api/agents/{id}", stale_on=("task", "agent"), about="agent")
async def agent_get(call: Call, args: AgentById) -> AgentRecord:
    """Read one agent."""
    return AgentRecord.of(await call.read(agent_states.get, agent_id=args.id, rhythm=call.rhythm))


@tool(toolset="agents", reads=True, address="/api/agents", stale_on=("task", "agent"), fades=True)
async def agent_list(call: Call, args: ListAgents) -> AgentList:
    """List agents, newest first."""
    wanted = AgentFilter(presences=args.status, role=args.role, runtime=args.runtime)
    page = await call.read(
        agent_states.list_agents, wanted=wanted, rhythm=call.rhythm, limit=args.limit, cursor=args.cursor
    )
    return AgentList(agents=[AgentRecord.of(shown) for shown in page.rows], next_cursor=page.next)


@tool(toolset="agents", actor="id", idempotent=True)
async def agent_unregister(call: Call, args: AgentById) -> Done:
    """Take an agent offline and release its tasks."""
    return await call.write(
        agents.unregister, agent_id=call.actor, rhythm=call.rhythm, answer=lambda _seen: Done(success=True)
    )
