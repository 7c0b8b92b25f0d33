"""Queries about runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, or_, text, update

from mission.domain.errors import NotFound
from mission.domain.runs.run import Run
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import LIVE_RUN, runs

_MAPPER = Mapper(runs, Run)
_LIVE = text(LIVE_RUN)
_NEWEST_FIRST = (runs.c.created_at.desc(), runs.c.id.desc())
_LIVE_OF_MISSION = _MAPPER.select.where(_LIVE, runs.c.mission_id == bindparam("mission_id"))
_NEWEST_OF_MISSION = (
    _MAPPER.select.where(runs.c.mission_id == bindparam("mission_id")).order_by(*_NEWEST_FIRST).limit(1)
)
_LIVE_ON_HOST = _MAPPER.select.where(_LIVE, runs.c.host_id == bindparam("host_id")).order_by(runs.c.created_at)
_ABANDONED = _LIVE_ON_HOST.where(
    or_(runs.c.holder_until.is_(None), runs.c.holder_until <= bindparam("now", type_=UtcTime))
)

_HOLD = (
    update(runs)
    .where(runs.c.id == bindparam("run_id"), runs.c.fence == bindparam("earlier"))
    .values(holder=bindparam("held_by"), holder_until=bindparam("until", type_=UtcTime), fence=bindparam("raised"))
)


class Runs:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Run:
        run = self.find(id)
        if run is None:
            raise NotFound(f"there is no run {id[:60]}", hint="'mission runs' lists the runs.", run_id=id[:60])
        return run

    def find(self, id: str) -> Run | None:
        return _MAPPER.get(self._connection, id)

    def add(self, run: Run) -> None:
        _MAPPER.insert(self._connection, run)

    def save(self, run: Run) -> None:
        _MAPPER.save(self._connection, run)

    def live_of_mission(self, mission_id: str) -> Run | None:
        """Return the run that drives the mission now."""
        row = self._connection.execute(_LIVE_OF_MISSION, {"mission_id": mission_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def newest_of_mission(self, mission_id: str) -> Run | None:
        row = self._connection.execute(_NEWEST_OF_MISSION, {"mission_id": mission_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def live_on_host(self, host_id: str) -> list[Run]:
        return self._all(_LIVE_ON_HOST, host_id=host_id)

    def abandoned(self, *, host_id: str, now: datetime) -> list[Run]:
        """List the live runs of a host that no daemon drives, oldest first."""
        return self._all(_ABANDONED, host_id=host_id, now=now)

    def hold(self, run: Run, *, holder: str | None, until: datetime | None, fence: int) -> bool:
        """Record who drives the run, unless somebody else has taken it over; return whether it is recorded."""
        values = {"run_id": run.id, "earlier": run.fence, "held_by": holder, "until": until, "raised": fence}
        return bool(self._connection.execute(_HOLD, values).rowcount)

    def page(
        self, *, mission_id: str | None, states: Sequence[str] | None, limit: int, after: PagePosition | None
    ) -> list[Run]:
        """Return runs, newest first."""
        where: list[ColumnElement[bool]] = [*older_than(after, runs.c)]
        if mission_id is not None:
            where.append(runs.c.mission_id == mission_id)
        if states is not None:
            where.append(runs.c.state.in_(list(states)))
        return self._all(_MAPPER.select.where(*where).order_by(*_NEWEST_FIRST).limit(limit))

    def _all(self, statement: Any, **values: Any) -> list[Run]:
        return [_MAPPER.entity(row) for row in self._connection.execute(statement, values)]
