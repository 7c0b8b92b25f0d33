"""Queries about executions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.executions.execution import LIVE, Execution, ExecutionStatus
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import executions

_MAPPER = Mapper(executions, Execution)
_LIVE_WORDS = [str(status) for status in LIVE]
_BY_TOKEN = _MAPPER.select.where(executions.c.token_hash == bindparam("token_hash"))
_LIVE = (
    _MAPPER.select.where(
        executions.c.status.in_(bindparam("statuses", expanding=True)), executions.c.host_id == bindparam("host_id")
    )
).order_by(executions.c.created_at, executions.c.id)
_COUNT_LIVE = select(func.count()).where(
    executions.c.status.in_(bindparam("statuses", expanding=True)), executions.c.host_id == bindparam("host_id")
)
_OF_MISSION_SINCE = _MAPPER.select.where(
    executions.c.mission_id == bindparam("mission_id"),
    executions.c.created_at >= bindparam("since", type_=UtcTime),
).order_by(executions.c.created_at, executions.c.id)
_NEWEST_OF_TASK = (
    _MAPPER.select.where(executions.c.task_id == bindparam("task_id"))
    .order_by(executions.c.created_at.desc(), executions.c.id.desc())
    .limit(1)
)
_NEWEST_OF_AGENT = (
    _MAPPER.select.where(executions.c.agent_id == bindparam("agent_id"))
    .order_by(executions.c.created_at.desc(), executions.c.id.desc())
    .limit(1)
)


class Executions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Execution:
        execution = self.find(id)
        if execution is None:
            raise NotFound(f"there is no execution {id[:60]}", action=Action.FIND_EXECUTION, execution_id=id[:60])
        return execution

    def find(self, id: str) -> Execution | None:
        return _MAPPER.get(self._connection, id)

    def by_token(self, token_hash: str) -> Execution | None:
        row = self._connection.execute(_BY_TOKEN, {"token_hash": token_hash}).first()
        return None if row is None else _MAPPER.entity(row)

    def add(self, execution: Execution) -> None:
        _MAPPER.insert(self._connection, execution)

    def save(self, execution: Execution) -> None:
        _MAPPER.save(self._connection, execution)

    def live(self, *, host_id: str) -> list[Execution]:
        """Return executions of a host whose process should be running, oldest first."""
        rows = self._connection.execute(_LIVE, {"statuses": _LIVE_WORDS, "host_id": host_id})
        return [_MAPPER.entity(row) for row in rows]

    def count_live(self, *, host_id: str) -> int:
        return int(self._connection.execute(_COUNT_LIVE, {"statuses": _LIVE_WORDS, "host_id": host_id}).scalar_one())

    def ids(self, *, mission_id: str, statuses: Collection[ExecutionStatus] | None = None) -> list[str]:
        """Return the executions of a mission, oldest first."""
        statement = select(executions.c.id).where(executions.c.mission_id == mission_id)
        if statuses is not None:
            statement = statement.where(executions.c.status.in_([str(status) for status in statuses]))
        return list(self._connection.execute(statement.order_by(executions.c.created_at, executions.c.id)).scalars())

    def of_mission_since(self, mission_id: str, *, since: datetime) -> list[Execution]:
        """Return the executions of a mission that were launched since then, oldest first."""
        rows = self._connection.execute(_OF_MISSION_SINCE, {"mission_id": mission_id, "since": since})
        return [_MAPPER.entity(row) for row in rows]

    def newest_of_task(self, task_id: str) -> Execution | None:
        row = self._connection.execute(_NEWEST_OF_TASK, {"task_id": task_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def newest_of_agent(self, agent_id: str) -> Execution | None:
        row = self._connection.execute(_NEWEST_OF_AGENT, {"agent_id": agent_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def page(
        self,
        *,
        statuses: Sequence[str] | None,
        mission_id: str | None,
        task_id: str | None,
        agent_id: str | None,
        limit: int,
        after: PagePosition | None,
    ) -> list[Execution]:
        """Return executions, newest first."""
        where: list[ColumnElement[bool]] = [*older_than(after, executions.c)]
        if statuses is not None:
            where.append(executions.c.status.in_(list(statuses)))
        for column, value in (("mission_id", mission_id), ("task_id", task_id), ("agent_id", agent_id)):
            if value is not None:
                where.append(executions.c[column] == value)
        order = (executions.c.created_at.desc(), executions.c.id.desc())
        statement: Any = _MAPPER.select.where(*where).order_by(*order).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]
