"""Queries about phases and the number of their tasks in each state."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.missions.phase import Phase, PhaseCounts, PhaseStatus
from mission.store.missions.task_counts import COUNT_BUCKETS
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import phases

_MAPPER = Mapper(phases, Phase)
_SELECT = select(*_MAPPER.columns, *(phases.c[name] for name in COUNT_BUCKETS))
_BY_ID = _SELECT.where(phases.c.id == bindparam("id"))
_BY_NUMBER = _SELECT.where(phases.c.mission_id == bindparam("mission_id"), phases.c.number == bindparam("number"))
_OF_MISSION = _SELECT.where(phases.c.mission_id == bindparam("mission_id")).order_by(phases.c.number)


class Phases:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Phase:
        row = self._connection.execute(_BY_ID, {"id": id}).first()
        if row is None:
            raise NotFound(
                f"there is no phase {id}",
                action=Action.FIND_PHASE,
                phase_id=id,
            )
        return _entity(row)

    def by_number(self, mission_id: str, number: int) -> Phase | None:
        row = self._connection.execute(_BY_NUMBER, {"mission_id": mission_id, "number": number}).first()
        return None if row is None else _entity(row)

    def of_mission(self, mission_id: str) -> list[Phase]:
        """Return all phases of a mission, by number."""
        return [_entity(row) for row in self._connection.execute(_OF_MISSION, {"mission_id": mission_id})]

    def add(self, *phases: Phase) -> None:
        _MAPPER.insert(self._connection, *phases)

    def save(self, phase: Phase) -> None:
        _MAPPER.save(self._connection, phase)


def _entity(row: Row[Any]) -> Phase:
    values = row._mapping
    return Phase(
        **{column.name: values[column.name] for column in _MAPPER.columns} | {"status": PhaseStatus(values["status"])},
        counts=PhaseCounts(**{name: values[name] for name in COUNT_BUCKETS}),
    )
