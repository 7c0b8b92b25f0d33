"""Queries about claims: one statement decides who gets a task, regardless of earlier reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, and_, bindparam, exists, func, or_, select, update

from mission.domain.missions.mission import STARTS_TASKS, Mission
from mission.domain.missions.phase import MOVES as PHASE_MOVES
from mission.domain.tasks.states import FREE, HELD, OPEN, RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.columns import UtcTime
from mission.store.tables import missions, phases, tasks
from mission.store.tasks.tasks import MAPPER, ZERO

_WORDS = {
    "free": sorted(map(str, FREE)),
    "held": sorted(map(str, HELD)),
    "open": sorted(map(str, OPEN)),
    "running": sorted(map(str, RUNNING)),
    "resting": sorted(map(str, OPEN - RUNNING)),
    "phases": sorted(str(status) for status, moves in PHASE_MOVES.items() if moves),
    "handing": sorted(map(str, STARTS_TASKS)),
}
_NOW = bindparam("now", type_=UtcTime)
_MAX_CHUNK = 200


def _in(column: Column[Any], words: str) -> ColumnElement[bool]:
    return column.in_(bindparam(words, expanding=True))


_CLAIM = (
    update(tasks)
    .where(
        tasks.c.id == bindparam("row_id"),
        tasks.c.waiting_for == 0,
        or_(
            and_(tasks.c.lease_until.is_(None), _in(tasks.c.status, "free")),
            and_(tasks.c.lease_until < _NOW, _in(tasks.c.status, "held")),
        ),
    )
    .values(
        owner_id=bindparam("agent_id"),
        previous_owner_id=bindparam("previous_owner"),
        lease_until=bindparam("until", type_=UtcTime),
        claimed_at=_NOW,
        updated_at=_NOW,
        fence=tasks.c.fence + 1,
        status=bindparam("new_status"),
        hold=bindparam("new_hold", type_=tasks.c.hold.type),
        attempt_started_at=bindparam("new_attempt", type_=UtcTime),
        completed_at=None,
        completion=None,
    )
)
_RENEW = update(tasks).where(tasks.c.id == bindparam("row_id")).values(lease_until=bindparam("until", type_=UtcTime))
_BUSY = select(func.count()).where(
    tasks.c.mission_id == bindparam("mission_id"), tasks.c.waiting_for == ZERO, _in(tasks.c.status, "running")
)
_CLAIMED = select(func.count()).where(
    tasks.c.mission_id == bindparam("mission_id"), tasks.c.lease_until >= _NOW, _in(tasks.c.status, "resting")
)
_IN_OPEN_PHASE = MAPPER.select.join(phases, phases.c.id == tasks.c.phase_id).where(_in(phases.c.status, "phases"))
_BEHIND = or_(
    tasks.c.phase_number > bindparam("phase_number"),
    and_(tasks.c.phase_number == bindparam("phase_number"), tasks.c.position > bindparam("position")),
    and_(
        tasks.c.phase_number == bindparam("phase_number"),
        tasks.c.position == bindparam("position"),
        tasks.c.id > bindparam("last_id"),
    ),
)
_READY = (
    _IN_OPEN_PHASE.where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.waiting_for == ZERO,
        tasks.c.status == bindparam("status"),
        tasks.c.lease_until.is_(None),
        _BEHIND,
    )
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.id)
    .limit(bindparam("limit"))
)
_LAPSED = (
    _IN_OPEN_PHASE.where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.lease_until < _NOW,
        _in(tasks.c.status, "open"),
        _BEHIND,
    )
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.id)
    .limit(bindparam("limit"))
)
_OPEN_PHASES = select(phases.c.id).where(phases.c.mission_id == bindparam("mission_id"), _in(phases.c.status, "phases"))
_STARTABLE = select(func.count()).select_from(
    select(tasks.c.id)
    .where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.phase_id.in_(_OPEN_PHASES),
        or_(
            and_(tasks.c.waiting_for == ZERO, _in(tasks.c.status, "ready"), tasks.c.lease_until.is_(None)),
            and_(tasks.c.lease_until < _NOW, _in(tasks.c.status, "open")),
        ),
    )
    .limit(bindparam("limit"))
    .subquery()
)
_TAKEABLE = or_(
    and_(tasks.c.waiting_for == ZERO, tasks.c.status == bindparam("status"), tasks.c.lease_until.is_(None)),
    and_(tasks.c.lease_until < _NOW, _in(tasks.c.status, "open")),
)
_MISSIONS = (
    select(missions.c.id)
    .where(
        _in(missions.c.status, "handing"),
        missions.c.archived_at.is_(None),
        exists().where(tasks.c.mission_id == missions.c.id, _TAKEABLE),
    )
    .order_by(missions.c.created_at, missions.c.id)
)


class PlanPlace(NamedTuple):
    """A task's position in the order of its mission's plan."""

    phase_number: int
    position: int
    last_id: str


FIRST_PLACE = PlanPlace(0, -1, "")
"""The position before the first task of any plan."""


class Claims:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def claim(self, taken: Task, *, now: datetime) -> bool:
        """Assign the task to its new owner, if it can still be claimed."""
        values = {
            "row_id": taken.id,
            "agent_id": taken.owner_id,
            "previous_owner": taken.previous_owner_id,
            "until": taken.lease_until,
            "new_status": str(taken.status),
            "new_hold": taken.hold.as_dict() if taken.hold is not None else None,
            "new_attempt": taken.attempt_started_at,
            "now": now,
            "free": _WORDS["free"],
            "held": _WORDS["held"],
        }
        return self._connection.execute(_CLAIM, values).rowcount == 1

    def renew(self, task_id: str, *, until: datetime) -> None:
        """Extend the lease of a claim."""
        self._connection.execute(_RENEW, {"row_id": task_id, "until": until})

    def running(self, mission_id: str, *, now: datetime) -> int:
        """Return how many tasks of a mission are claimed."""
        values = {"mission_id": mission_id, "now": now, **_WORDS}
        busy = self._connection.execute(_BUSY, values).scalar_one()
        return int(busy + self._connection.execute(_CLAIMED, values).scalar_one())

    def ready(
        self, mission_id: str, status: TaskStatus, *, chunk: int, after: PlanPlace = FIRST_PLACE
    ) -> Iterator[Task]:
        """Yield unclaimed tasks in that state that wait for nothing, in plan order.

        `chunk` is how many are read at first; more are read on demand.
        """
        while True:
            values = {
                "mission_id": mission_id,
                "status": str(status),
                **after._asdict(),
                "limit": chunk,
                "phases": _WORDS["phases"],
            }
            rows = self._connection.execute(_READY, values).all()
            for row in rows:
                yield MAPPER.entity(row)
            if len(rows) < chunk:
                return
            chunk = min(chunk * 4, _MAX_CHUNK)
            after = PlanPlace(rows[-1].phase_number, rows[-1].position, rows[-1].id)

    def count_startable(self, mission_id: str, states: Collection[TaskStatus], *, now: datetime, limit: int) -> int:
        """Return how many tasks are abandoned, or unclaimed in one of these states and wait for nothing; `limit` at
        most."""
        values = {"mission_id": mission_id, "ready": sorted(map(str, states)), "now": now, "limit": limit, **_WORDS}
        return int(self._connection.execute(_STARTABLE, values).scalar_one())

    def lapsed(self, mission_id: str, *, now: datetime, limit: int, after: PlanPlace = FIRST_PLACE) -> list[Task]:
        """Return tasks whose owner has sent no heartbeat for longer than its lease, in plan order."""
        values = {"mission_id": mission_id, "now": now, "limit": limit, **after._asdict(), **_WORDS}
        return [MAPPER.entity(row) for row in self._connection.execute(_LAPSED, values)]

    def missions_with_work(self, *, now: datetime, since: Mission | None = None) -> list[str]:
        """Return missions that assign tasks and have a claimable one, oldest first; with `since`, from that one."""
        values = {"now": now, "status": str(TaskStatus.PENDING), **_WORDS}
        statement = _MISSIONS
        if since is not None:
            later = missions.c.created_at > since.created_at
            statement = statement.where(
                or_(later, and_(missions.c.created_at == since.created_at, missions.c.id >= since.id))
            )
        return list(self._connection.execute(statement, values).scalars())
