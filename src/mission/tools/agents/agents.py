"""Tools for agents: register, heartbeat, update, read, unregister."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from mission.domain.agents.agent import AgentRole, Presence, Runtime
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.agents import registration
from mission.services.agents.registration import AgentFilter, AgentWithPresence
from mission.services.paging import Page
from mission.services.views import agents
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
    id: str = attribute("agent.id")
    name: str = attribute("agent.name")
    status: str = attribute("presence")


class Heartbeat(Arguments):
    agent_id: str
    current_task_id: TaskId | None = None
    status: Literal["online", "busy"] | None = None


class HeartbeatSeen(Result):
    success: bool
    next_heartbeat_ms: int

    @classmethod
    def of(cls, due_in: timedelta) -> HeartbeatSeen:
        return cls(success=True, next_heartbeat_ms=round(due_in.total_seconds() * 1000))


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


Metadata = Annotated[dict[str, Any], BeforeValidator(lambda given: given or {})]
"""What an agent reports about itself; empty if it reports nothing."""


class AgentRecord(Result):
    id: str = attribute("agent.id")
    name: str = attribute("agent.name")
    runtime: str = attribute("agent.runtime")
    role: str = attribute("agent.role")
    type: str = attribute("agent.type")
    status: str = attribute("presence")
    state: str = STATE
    capabilities: Texts = attribute("agent.capabilities")
    current_task_id: str | None = attribute("agent.current_task_id")
    workspace_path: str | None = attribute("agent.workspace_path")
    supervisor_id: str | None = attribute("agent.supervisor_id")
    mission_id: str | None = attribute("agent.mission_id")
    last_heartbeat: Moment = attribute("agent.last_seen_at")
    metadata: Metadata = attribute("agent.metadata")
    created_at: Moment = attribute("agent.created_at")


class ListAgents(Arguments):
    status: list[Presence] | None = None
    role: AgentRole | None = None
    runtime: str | None = None
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = None


class AgentList(Result):
    agents: list[AgentRecord] = attribute("rows")
    next_cursor: str | None = attribute("next")


@tool(toolset="agents", result=RegisteredAgent)
async def agent_register(call: Call, args: RegisterAgent) -> AgentWithPresence:
    """Register an agent and mark it online."""
    return await call.finish(
        registration.register,
        by=call.identity.agent,
        name=args.name,
        runtime=args.runtime,
        role=args.role,
        capabilities=args.capabilities,
        workspace_path=args.workspace_path,
        metadata=args.metadata,
    )


@tool(toolset="agents", result=HeartbeatSeen, actor="agent_id", idempotent=True)
async def agent_heartbeat(call: Call, args: Heartbeat) -> timedelta:
    """Send a heartbeat; renews leases."""
    return await call.finish(
        registration.acknowledge_heartbeat,
        agent_id=call.actor,
        current_task_id=args.current_task_id,
        status=Presence(args.status) if args.status else None,
        liveness=call.liveness,
    )


@tool(toolset="agents", result=Done, actor="id", idempotent=True)
async def agent_update(call: Call, args: UpdateAgent) -> AgentWithPresence:
    """Update an agent's own record."""
    return await call.finish(
        registration.update,
        agent_id=call.actor,
        status=args.status,
        current_task_id=args.current_task_id,
        clear_task="current_task_id" in args.model_fields_set and args.current_task_id is None,
        workspace_path=args.workspace_path,
        capabilities=args.capabilities,
        metadata=args.metadata,
        liveness=call.liveness,
    )


@tool(
    toolset="agents",
    result=AgentRecord,
    reads=True,
    address="/api/agents/{id}",
    stale_on=("task", "agent"),
    about="agent",
)
async def agent_get(call: Call, args: AgentById) -> AgentState:
    """Read one agent."""
    return await call.read(agents.get, agent_id=args.id, liveness=call.liveness)


@tool(toolset="agents", result=AgentList, reads=True, address="/api/agents", stale_on=("task", "agent"), fades=True)
async def agent_list(call: Call, args: ListAgents) -> Page[AgentState]:
    """List agents, newest first."""
    wanted = AgentFilter(presences=args.status, role=args.role, runtime=args.runtime)
    return await call.read(
        agents.list_agents, wanted=wanted, liveness=call.liveness, limit=args.limit, cursor=args.cursor
    )


@tool(toolset="agents", result=Done, actor="id", idempotent=True)
async def agent_unregister(call: Call, args: AgentById) -> AgentWithPresence:
    """Take an agent offline and release its tasks."""
    return await call.finish(registration.unregister, agent_id=call.actor, liveness=call.liveness)
