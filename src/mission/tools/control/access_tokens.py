"""Operator tools for agents' access tokens: list, rotate, revoke."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.agents import access_tokens
from mission.services.agents.access_tokens import AgentTokenList, Credentials, Revoked
from mission.tools.shared.fields import moment_of
from mission.tools.shared.wording import Moment


class OfAgent(Arguments):
    agent_id: str


class ListTokens(OfAgent):
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = None


class RotateToken(Arguments):
    agent_id: str
    expires_at: Annotated[datetime | None, moment_of("expires_at")] = None


class NewToken(Result):
    id: str = attribute("agent.id")
    type: str = attribute("agent.type")
    name: str = attribute("agent.name")
    token: str
    expires_at: Moment | None


class RevokedTokens(Result):
    id: str = attribute("agent.id")
    revoked: int = attribute("count")


class KnownToken(Result):
    created_at: Moment
    expires_at: Moment | None
    revoked_at: Moment | None
    toolsets: str | None


class TokenList(Result):
    id: str
    tokens: list[KnownToken]
    next_cursor: str | None

    @classmethod
    def of(cls, known: AgentTokenList) -> TokenList:
        rows: list[dict[str, Any]] = [{name: row[name] for name in KnownToken.model_fields} for row in known.rows]
        return cls(id=known.agent.id, tokens=[KnownToken(**row) for row in rows], next_cursor=known.next)


@tool(toolset="control", result=TokenList, reads=True)
async def token_list(call: Call, args: ListTokens) -> AgentTokenList:
    """List an agent's current and former tokens, oldest first, without their values."""
    return await call.read(access_tokens.list_tokens, agent_id=args.agent_id, limit=args.limit, cursor=args.cursor)


@tool(toolset="control", result=NewToken, secret="token")
async def token_rotate(call: Call, args: RotateToken) -> Credentials:
    """Issue a new token for an agent and revoke the old ones. The token is shown only once."""
    return await call.finish(access_tokens.rotate, agent_id=args.agent_id, expires_at=args.expires_at)


@tool(toolset="control", result=RevokedTokens, idempotent=True, destructive=True)
async def token_revoke(call: Call, args: OfAgent) -> Revoked:
    """Revoke all tokens of an agent."""
    return await call.finish(access_tokens.revoke, agent_id=args.agent_id)
