"""Queries about observations: rows are only added, and removed long after their execution has ended."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, select

from mission.domain.executions.observation import Observation
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import executions, observations

_MAPPER = Mapper(observations, Observation)
_BY_EVENT = _MAPPER.select.where(
    observations.c.execution_id == bindparam("execution_id"), observations.c.event_id == bindparam("event_id")
)
_EXPIRED = delete(observations).where(
    observations.c.id.in_(
        select(observations.c.id)
        .join(executions, executions.c.id == observations.c.execution_id)
        .where(executions.c.ended_at < bindparam("before", type_=UtcTime))
        .limit(bindparam("limit"))
    )
)


class Observations:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, execution_id: str, event_id: str) -> Observation | None:
        """Return the observation accepted under that event id."""
        row = self._connection.execute(_BY_EVENT, {"execution_id": execution_id, "event_id": event_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def add(self, observation: Observation) -> None:
        _MAPPER.insert(self._connection, observation)

    def page(self, execution_id: str, *, type: str | None, limit: int, after: PagePosition | None) -> list[Observation]:
        """Return observations of an execution, newest first."""
        where = [observations.c.execution_id == execution_id, *older_than(after, observations.c)]
        if type is not None:
            where.append(observations.c.type == type)
        order = (observations.c.created_at.desc(), observations.c.id.desc())
        statement = _MAPPER.select.where(*where).order_by(*order).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]

    def remove_before(self, moment: datetime, *, limit: int) -> int:
        """Remove observations of executions that ended before the moment, as many as one transaction should. Those of
        running ones stay, however old: a repeated event must be recognized."""
        return self._connection.execute(_EXPIRED, {"before": moment, "limit": limit}).rowcount
