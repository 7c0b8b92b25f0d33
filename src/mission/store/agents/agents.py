"""Queries about agents."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, exists, func, select

from mission.domain.actions import Action
from mission.domain.agents.agent import Agent, AgentType
from mission.domain.errors import AgentNotFound
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import agents, executions, messages

_MAPPER = Mapper(agents, Agent)
_BY_NAME = (
    _MAPPER.select.where(agents.c.name == bindparam("name"), agents.c.declared != bindparam("offline"))
    .order_by(agents.c.last_seen_at.desc(), agents.c.id)
    .limit(2)
)
_STAYING = _MAPPER.select.where(
    agents.c.last_seen_at >= bindparam("since"), agents.c.declared != bindparam("offline")
).order_by(agents.c.last_seen_at.desc(), agents.c.id)
_LEADING = _MAPPER.select.where(
    agents.c.mission_id == bindparam("mission_id"), agents.c.type != bindparam("worker")
).order_by(agents.c.created_at.desc(), agents.c.id)

_COUNT = select(func.count()).select_from(agents)
_LAUNCHED = select(executions.c.agent_id).where(executions.c.mission_id == bindparam("mission_id"))
_DELETE_LAUNCHED = delete(agents).where(
    agents.c.id.in_(_LAUNCHED),
    ~exists().where(executions.c.agent_id == agents.c.id, executions.c.mission_id != bindparam("mission_id")),
    ~exists().where(messages.c.sender_id == agents.c.id),
)
_SEEN = agents.update().where(agents.c.id == bindparam("agent")).values(last_seen_at=bindparam("now"))


class Agents:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Agent:
        agent = _MAPPER.get(self._connection, id)
        if agent is None:
            raise AgentNotFound(f"there is no agent {id}", action=Action.REGISTER_AGENT, agent_id=id)
        return agent

    def staying_by_name(self, name: str) -> list[Agent]:
        """Return agents of that name that have not left, the most recently seen first; at most two."""
        rows = self._connection.execute(_BY_NAME, {"name": name, "offline": "offline"})
        return [_MAPPER.entity(row) for row in rows]

    def staying_since(self, since: datetime) -> list[Agent]:
        """Return the agents that have not left and were seen since then, the most recently seen first."""
        rows = self._connection.execute(_STAYING, {"since": since, "offline": "offline"})
        return [_MAPPER.entity(row) for row in rows]

    def leading(self, mission_id: str) -> list[Agent]:
        """Return the mission's orchestrators and supervisors, the newest first."""
        rows = self._connection.execute(_LEADING, {"mission_id": mission_id, "worker": AgentType.WORKER.value})
        return [_MAPPER.entity(row) for row in rows]

    def add(self, agent: Agent) -> None:
        _MAPPER.insert(self._connection, agent)

    def save(self, agent: Agent) -> None:
        _MAPPER.save(self._connection, agent)

    def delete_launched(self, mission_id: str) -> None:
        """Delete the agents that were launched for this mission alone, unless a message is from them."""
        self._connection.execute(_DELETE_LAUNCHED, {"mission_id": mission_id})

    def mark_seen(self, id: str, *, now: datetime) -> None:
        """Record when the agent was last active."""
        self._connection.execute(_SEEN, {"agent": id, "now": now})

    def count(self) -> int:
        return int(self._connection.execute(_COUNT).scalar_one())

    def page(
        self,
        *,
        types: Sequence[AgentType] | None = None,
        runtime: str | None = None,
        since: datetime | None = None,
        limit: int,
        after: PagePosition | None,
    ) -> list[Agent]:
        """Return agents, the newest first; those that left are kept, so there may be many."""
        newest_first = (agents.c.created_at.desc(), agents.c.id.desc())
        statement = _MAPPER.select.where(*older_than(after, agents.c)).order_by(*newest_first).limit(limit)
        if types is not None:
            statement = statement.where(agents.c.type.in_([kind.value for kind in types]))
        if runtime is not None:
            statement = statement.where(agents.c.runtime == runtime)
        if since is not None:
            statement = statement.where(agents.c.last_seen_at >= since)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]
