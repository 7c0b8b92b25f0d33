"""Agents of a crew: make one with a token of its own."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from mission.domain.agent import AgentType
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, parse_toolsets, tool
from mission.services import identity
from mission.services.identity import Credentials
from mission.tools.fields import MissionId, Name, moment_of


def _known_toolsets(text: str) -> str:
    parse_toolsets(text)
    return text


Toolsets = Annotated[str, AfterValidator(_known_toolsets)]


class CreateAgent(Arguments):
    type: AgentType
    name: Name
    epicId: MissionId | None = None
    supervisorId: str | None = Field(None, description="Default: whoever creates it")
    expiresAt: Annotated[datetime | None, moment_of("expiresAt")] = Field(None, description="When its token ends")
    toolsets: Toolsets | None = Field(None, description="What its token lists; default: its role's")


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
    """Make an agent of a type below your own. Its token is shown this once."""
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
