"""Crew tools for agents: create one with its access token, read its own work, list all."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from mission.domain.agent import AgentType
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, parse_toolsets, tool
from mission.services.agents import access_tokens as identity
from mission.services.agents.access_tokens import Credentials
from mission.services.crew import members as crew
from mission.tools.crew.records import AgentStatus, CrewMember, CurrentTask, Epic
from mission.tools.shared.fields import MissionId, Name, moment_of


def _known_toolsets(text: str) -> str:
    parse_toolsets(text)
    return text


Toolsets = Annotated[str, AfterValidator(_known_toolsets)]


class CreateAgent(Arguments):
    type: AgentType
    name: Name
    epicId: MissionId | None = None
    supervisorId: str | None = Field(None, description="Default: the creator")
    expiresAt: Annotated[datetime | None, moment_of("expiresAt")] = Field(None, description="Expiry of its token")
    toolsets: Toolsets | None = Field(None, description="Toolsets the token can see; default: its role's")


class CreatedAgent(Result):
    id: str
    type: str
    name: str
    token: str

    @classmethod
    def of(cls, made: Credentials) -> CreatedAgent:
        return cls(id=made.agent.id, type=made.agent.type, name=made.agent.name, token=made.token)


@tool(toolset="crew", secret="token")
async def mcp__agent__create(call: Call, args: CreateAgent) -> CreatedAgent:
    """Create an agent of a type below your own. Its token is shown only once."""
    return await call.write(
        identity.create,
        by=call.identity.agent,
        type=args.type,
        name=args.name,
        mission_id=args.epicId,
        supervisor_id=args.supervisorId,
        expires_at=args.expiresAt,
        toolsets=args.toolsets,
        answer=CreatedAgent.of,
    )


class Nothing(Arguments):
    """No arguments: the tool is about the calling agent."""


class ListMembers(Arguments):
    limit: int = Field(100, ge=1, le=500)
    cursor: str | None = Field(None, description="nextCursor of the previous page")


class MemberList(Result):
    agents: list[CrewMember]
    count: int
    nextCursor: str | None


@tool(toolset="crew", actor="agentId", reads=True)
async def mcp__agent__get_status(call: Call, args: Nothing) -> AgentStatus:
    """Show your identity, state and current work."""
    return AgentStatus.of(await call.read(crew.get, agent=call.identity.agent))


@tool(toolset="crew", actor="agentId", reads=True)
async def mcp__agent__get_task(call: Call, args: Nothing) -> CurrentTask:
    """Read your current task. For workers."""
    return CurrentTask.at(await crew.current_task(call, call.trees, agent=call.identity.agent))


@tool(toolset="crew", actor="agentId", reads=True)
async def mcp__agent__get_epic(call: Call, args: Nothing) -> Epic:
    """Read your current epic; for a worker, its task's."""
    return Epic.of(await call.read(crew.current_mission, agent=call.identity.agent))


@tool(toolset="crew", actor="agentId", reads=True)
async def mcp__supervisor__list_agents(call: Call, args: ListMembers) -> MemberList:
    """List agents with state, epic and task, newest first."""
    page = await call.read(crew.members, limit=args.limit, cursor=args.cursor)
    members = [CrewMember.of(member) for member in page.rows]
    return MemberList(agents=members, count=len(members), nextCursor=page.next)
