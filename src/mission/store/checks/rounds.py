"""Queries about rounds of checks."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, or_

from mission.domain.checks.round import HOLDER_LEASE, CheckRound, Purpose, RoundState
from mission.domain.errors import NotFound
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import check_rounds

_MAPPER = Mapper(check_rounds, CheckRound)
_OPEN = check_rounds.c.state == str(RoundState.OPEN)
_NEWEST_FIRST = (check_rounds.c.created_at.desc(), check_rounds.c.id.desc())
_OF_TASK = _MAPPER.select.where(check_rounds.c.task_id == bindparam("task_id")).order_by(*_NEWEST_FIRST)
_REPORTS = _OF_TASK.where(check_rounds.c.purpose == str(Purpose.GATE))
_ABANDONED = _MAPPER.select.where(
    _OPEN,
    check_rounds.c.host_id == bindparam("host_id"),
    or_(
        check_rounds.c.holder_until.is_(None),
        check_rounds.c.holder_until <= bindparam("now", type_=UtcTime),
        check_rounds.c.holder_until > bindparam("latest", type_=UtcTime),
    ),
).order_by(check_rounds.c.created_at, check_rounds.c.id)
_OPEN_ON_HOST = _MAPPER.select.where(_OPEN, check_rounds.c.host_id == bindparam("host_id"))
_OPEN_OF_MISSION = _MAPPER.select.where(_OPEN, check_rounds.c.mission_id == bindparam("mission_id"))
_OF_RUN = _MAPPER.select.where(check_rounds.c.run_id == bindparam("run_id")).order_by(*_NEWEST_FIRST)


class CheckRounds:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> CheckRound:
        round = self.find(id)
        if round is None:
            raise NotFound(f"there is no round of checks {id[:60]}")
        return round

    def find(self, id: str) -> CheckRound | None:
        return _MAPPER.get(self._connection, id)

    def add(self, round: CheckRound) -> None:
        _MAPPER.insert(self._connection, round)

    def save(self, round: CheckRound) -> None:
        _MAPPER.save(self._connection, round)

    def newest_of_task(self, task_id: str) -> CheckRound | None:
        row = self._connection.execute(_OF_TASK.limit(1), {"task_id": task_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def newest_report(self, task_id: str) -> CheckRound | None:
        """Return the newest round that decided about a task; those that only advised do not count."""
        row = self._connection.execute(_REPORTS.limit(1), {"task_id": task_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def open_of_task(self, task_id: str) -> list[CheckRound]:
        rows = self._connection.execute(_OF_TASK.where(_OPEN), {"task_id": task_id})
        return [_MAPPER.entity(row) for row in rows]

    def of_task(self, task_id: str, *, limit: int) -> list[CheckRound]:
        """List the rounds of a task, newest first."""
        rows = self._connection.execute(_OF_TASK.limit(limit), {"task_id": task_id})
        return [_MAPPER.entity(row) for row in rows]

    def abandoned(self, *, host_id: str, now: datetime) -> list[CheckRound]:
        """List the open rounds of a host that no live process drives, oldest first."""
        rows = self._connection.execute(_ABANDONED, {"host_id": host_id, "now": now, "latest": now + HOLDER_LEASE})
        return [_MAPPER.entity(row) for row in rows]

    def open_on_host(self, host_id: str) -> list[CheckRound]:
        return [_MAPPER.entity(row) for row in self._connection.execute(_OPEN_ON_HOST, {"host_id": host_id})]

    def of_run(self, run_id: str, *, purpose: Purpose | None = None) -> list[CheckRound]:
        """List the rounds of a run, newest first."""
        chosen = _OF_RUN if purpose is None else _OF_RUN.where(check_rounds.c.purpose == str(purpose))
        return [_MAPPER.entity(row) for row in self._connection.execute(chosen, {"run_id": run_id})]

    def open_of_mission(self, mission_id: str) -> list[CheckRound]:
        return [_MAPPER.entity(row) for row in self._connection.execute(_OPEN_OF_MISSION, {"mission_id": mission_id})]
