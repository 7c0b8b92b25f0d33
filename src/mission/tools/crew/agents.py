"""Crew tools for agents: create one with its access token, read its own work, list all."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from mission.domain.agents.agent import AgentType
from mission.domain.missions.mission import Mission
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.gateway.toolsets import parse_toolsets
from mission.services.agents import access_tokens
from mission.services.agents.access_tokens import Credentials
from mission.services.crew import members
from mission.services.crew.members import AtWork, Member
from mission.services.paging import Page
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
    id: str = attribute("agent.id")
    type: str = attribute("agent.type")
    name: str = attribute("agent.name")
    token: str


@tool(toolset="crew", result=CreatedAgent, secret="token")
async def mcp__agent__create(call: Call, args: CreateAgent) -> Credentials:
    """Create an agent of a type below your own. Its token is shown only once."""
    return await call.finish(
        access_tokens.create,
        by=call.identity.agent,
        type=args.type,
        name=args.name,
        mission_id=args.epicId,
        supervisor_id=args.supervisorId,
        expires_at=args.expiresAt,
        toolsets=args.toolsets,
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

    @classmethod
    def of(cls, page: Page[Member]) -> MemberList:
        return cls(agents=page.rows, count=len(page.rows), nextCursor=page.next)


@tool(toolset="crew", result=AgentStatus, actor="agentId", reads=True)
async def mcp__agent__get_status(call: Call, args: Nothing) -> Member:
    """Show your identity, state and current work."""
    return await call.read(members.get, agent=call.identity.agent)


@tool(toolset="crew", result=CurrentTask, actor="agentId", reads=True)
async def mcp__agent__get_task(call: Call, args: Nothing) -> AtWork:
    """Read your current task. For workers."""
    return await members.current_task(call, call.trees, agent=call.identity.agent)


@tool(toolset="crew", result=Epic, actor="agentId", reads=True)
async def mcp__agent__get_epic(call: Call, args: Nothing) -> Mission:
    """Read your current epic; for a worker, its task's."""
    return await call.read(members.current_mission, agent=call.identity.agent)


@tool(toolset="crew", result=MemberList, actor="agentId", reads=True)
async def mcp__supervisor__list_agents(call: Call, args: ListMembers) -> Page[Member]:
    """List agents with state, epic and task, newest first."""
    return await call.read(members.list_members, limit=args.limit, cursor=args.cursor)
