"""Queries about agents' access tokens, of which only a hash is stored."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from mission.domain.agents.agent import Agent
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import agent_tokens, agents

_AGENTS = Mapper(agents, Agent)
_ADD = Prepared(insert(agent_tokens))
_FIND = (
    select(*_AGENTS.columns, agent_tokens.c.toolsets, agent_tokens.c.expires_at, agent_tokens.c.revoked_at)
    .join(agent_tokens, agent_tokens.c.agent_id == agents.c.id)
    .where(agent_tokens.c.hash == bindparam("hash"))
)
_REVOKE = (
    update(agent_tokens)
    .where(agent_tokens.c.agent_id == bindparam("agent"), agent_tokens.c.revoked_at.is_(None))
    .values(revoked_at=bindparam("now", type_=UtcTime))
)
_OF_AGENT = (
    select(agent_tokens)
    .where(agent_tokens.c.agent_id == bindparam("agent"))
    .order_by(agent_tokens.c.created_at, agent_tokens.c.hash)
)
_PAGE_OF_AGENT = _OF_AGENT.limit(bindparam("limit")).offset(bindparam("offset"))


class AgentTokens:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(
        self, *, hash: str, agent_id: str, toolsets: str | None, created_at: datetime, expires_at: datetime | None
    ) -> None:
        _ADD.run(
            self._connection,
            {
                "hash": hash,
                "agent_id": agent_id,
                "toolsets": toolsets,
                "created_at": created_at,
                "expires_at": expires_at,
                "revoked_at": None,
            },
        )

    def find(self, hash: str) -> tuple[Agent, Any] | None:
        """Return the access token's agent, and the row of the access token itself."""
        row: Any = self._connection.execute(_FIND, {"hash": hash}).first()
        return None if row is None else (_AGENTS.entity(row), row)

    def revoke(self, agent_id: str, *, now: datetime) -> int:
        """Revoke every access token of the agent; return how many there were."""
        return self._connection.execute(_REVOKE, {"agent": agent_id, "now": now}).rowcount

    def of_agent(self, agent_id: str) -> list[dict[str, Any]]:
        """Return the agent's access tokens, the oldest first."""
        return [dict(row._mapping) for row in self._connection.execute(_OF_AGENT, {"agent": agent_id})]

    def page_of_agent(self, agent_id: str, *, limit: int, offset: int) -> list[dict[str, Any]]:
        """Return a page of the agent's access tokens, the oldest first; none is ever removed."""
        values = {"agent": agent_id, "limit": limit, "offset": offset}
        return [dict(row._mapping) for row in self._connection.execute(_PAGE_OF_AGENT, values)]
