"""Queries about observations: the ledger is only ever added to."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam

from mission.domain.observation import Observation
from mission.store.mapping import Mapper
from mission.store.paging import Position, older_than
from mission.store.tables import observations

_MAPPER = Mapper(observations, Observation)
_BY_EVENT = _MAPPER.select.where(
    observations.c.execution_id == bindparam("execution_id"), observations.c.event_id == bindparam("event_id")
)


class Observations:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, execution_id: str, event_id: str) -> Observation | None:
        """What was accepted under that event id."""
        row = self._connection.execute(_BY_EVENT, {"execution_id": execution_id, "event_id": event_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def add(self, observation: Observation) -> None:
        _MAPPER.insert(self._connection, observation)

    def page(self, execution_id: str, *, type: str | None, limit: int, after: Position | None) -> list[Observation]:
        """Observations of an execution, newest first."""
        where = [observations.c.execution_id == execution_id, *older_than(after, observations.c)]
        if type is not None:
            where.append(observations.c.type == type)
        order = (observations.c.created_at.desc(), observations.c.id.desc())
        statement = _MAPPER.select.where(*where).order_by(*order).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]
