"""Queries about tasks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, and_, bindparam, func, literal_column, or_, select, update

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.missions.mission import MOVES as MISSION_MOVES
from mission.domain.tasks.states import OPEN, RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import Filter, PagePosition, older_than
from mission.store.tables import missions, tasks

TaskState = tuple[TaskStatus, bool | None]
"""A state, and whether others must be done first; None where that does not matter."""
ZERO = literal_column("0", type_=Integer)
"""Literals in the statement itself, so that the partial index of ready or of waiting tasks is used."""
MAPPER = Mapper(tasks, Task, counters=("waiting_for",))
_OPEN_WORDS = sorted(map(str, OPEN))
_RUNNING_WORDS = sorted(map(str, RUNNING))
_ONGOING_WORDS = sorted(str(status) for status, moves in MISSION_MOVES.items() if moves)
_CHILDREN = MAPPER.select.where(
    tasks.c.parent_id == bindparam("parent_id"), tasks.c.status.in_(bindparam("statuses", expanding=True))
).order_by(tasks.c.created_at)
_OPEN_OF_MISSION = MAPPER.select.where(
    tasks.c.mission_id == bindparam("mission_id"), tasks.c.status.in_(bindparam("statuses", expanding=True))
).order_by(tasks.c.phase_number, tasks.c.created_at)
_OPEN_OF_PHASE = MAPPER.select.where(
    tasks.c.phase_id == bindparam("phase_id"), tasks.c.status.in_(bindparam("statuses", expanding=True))
).order_by(tasks.c.created_at)
_OPEN_OF_AGENT = MAPPER.select.where(
    tasks.c.owner_id == bindparam("owner_id"), tasks.c.status.in_(bindparam("statuses", expanding=True))
)
_OVERLAPPING = (
    select(tasks.c.id)
    .where(
        tasks.c.host_id == bindparam("host_id"),
        tasks.c.tree == bindparam("tree"),
        or_(tasks.c.completed_at.is_(None), tasks.c.completed_at > bindparam("since", type_=UtcTime)),
        tasks.c.started_at.is_not(None),
        tasks.c.id != bindparam("task_id"),
        or_(tasks.c.parent_id.is_(None), tasks.c.parent_id != bindparam("task_id")),
        tasks.c.id != bindparam("parent_id"),
    )
    .order_by(tasks.c.started_at)
    .limit(10)
)
_RENEW = (
    update(tasks)
    .where(tasks.c.owner_id == bindparam("agent_id"), tasks.c.status.in_(bindparam("statuses", expanding=True)))
    .values(lease_until=bindparam("until", type_=UtcTime))
)
_WORK_OF_MISSION = select(tasks.c.changes, tasks.c.metadata, tasks.c.started_at, tasks.c.completed_at).where(
    tasks.c.mission_id == bindparam("mission_id")
)
_SNAPSHOTS_IN_USE = (
    select(tasks.c.snapshots)
    .join(missions, missions.c.id == tasks.c.mission_id)
    .where(
        tasks.c.snapshots.is_not(None),
        tasks.c.host_id == bindparam("host_id"),
        missions.c.status.in_(bindparam("going_on", expanding=True)),
    )
)


class Tasks:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Task:
        """Return the task, or raise an error that says how to find one."""
        task = self.find(id)
        if task is None:
            raise no_task(id)
        return task

    def find(self, id: str) -> Task | None:
        return MAPPER.get(self._connection, id)

    def add(self, task: Task) -> None:
        MAPPER.insert(self._connection, task)

    def save(self, task: Task) -> None:
        MAPPER.save(self._connection, task)

    def open_of_mission(self, mission_id: str) -> list[Task]:
        return self._all(_OPEN_OF_MISSION, mission_id=mission_id, statuses=_OPEN_WORDS)

    def open_of_phase(self, phase_id: str) -> list[Task]:
        return self._all(_OPEN_OF_PHASE, phase_id=phase_id, statuses=_OPEN_WORDS)

    def running_children(self, task_id: str) -> list[Task]:
        return self._all(_CHILDREN, parent_id=task_id, statuses=_RUNNING_WORDS)

    def open_of_agent(self, agent_id: str) -> list[Task]:
        return self._all(_OPEN_OF_AGENT, owner_id=agent_id, statuses=_OPEN_WORDS)

    def overlapping(self, task: Task) -> list[str]:
        """Return other tasks, not its parent or children, that used the same tree at the same time (at most ten)."""
        if task.tree is None or task.started_at is None:
            return []
        rows = self._connection.execute(
            _OVERLAPPING,
            {
                "host_id": task.host_id,
                "tree": task.tree,
                "since": task.started_at,
                "task_id": task.id,
                "parent_id": task.parent_id or "",
            },
        )
        return [row.id for row in rows]

    def renew(self, agent_id: str, *, until: datetime) -> None:
        """Extend the leases of all tasks that the agent holds."""
        self._connection.execute(_RENEW, {"agent_id": agent_id, "until": until, "statuses": _OPEN_WORDS})

    def work_of_mission(self, mission_id: str) -> list[Any]:
        """Return changes, metadata and times of every task of the mission."""
        return list(self._connection.execute(_WORK_OF_MISSION, {"mission_id": mission_id}))

    def snapshots_in_use(self, *, host_id: str) -> list[Any]:
        """Return the snapshots on this host that may still be compared: not those of missions that ended for good."""
        values = {"host_id": host_id, "going_on": _ONGOING_WORDS}
        rows = self._connection.execute(_SNAPSHOTS_IN_USE, values).scalars()
        return [snapshot for snapshots in rows for snapshot in snapshots.values()]

    def page(self, mission_id: str, chosen: Filter, *, limit: int, after: PagePosition | None) -> list[Task]:
        """Return tasks of a mission, newest first."""
        where = [*self._where(mission_id, chosen), *older_than(after, tasks.c)]
        statement = MAPPER.select.where(*where).order_by(tasks.c.created_at.desc(), tasks.c.id.desc()).limit(limit)
        return [MAPPER.entity(row) for row in self._connection.execute(statement)]

    def listed(
        self,
        *,
        mission_id: str | None,
        states: Sequence[TaskState] | None,
        owner_id: str | None,
        limit: int,
        after: PagePosition | None,
    ) -> list[Task]:
        """Return tasks of a mission, or of all that are not archived, newest first."""
        where = older_than(after, tasks.c)
        chosen = select(tasks.c.id)  # sort only ids: whole tasks are long, and an index has the sort key
        if mission_id is not None:
            where.append(tasks.c.mission_id == mission_id)
        else:
            chosen = chosen.join(missions, missions.c.id == tasks.c.mission_id)
            where.append(missions.c.archived_at.is_(None))
        if states is not None:
            where.append(or_(*(_in_state(status, waits) for status, waits in states)))
        if owner_id is not None:
            where.append(tasks.c.owner_id == owner_id)
        newest_first = (tasks.c.created_at.desc(), tasks.c.id.desc())
        chosen = chosen.where(*where).order_by(*newest_first).limit(limit).correlate(None)
        statement = MAPPER.select.where(tasks.c.id.in_(chosen)).order_by(*newest_first)
        return [MAPPER.entity(row) for row in self._connection.execute(statement)]

    def count(self, mission_id: str, chosen: Filter) -> int:
        statement = select(func.count()).select_from(tasks).where(*self._where(mission_id, chosen))
        return int(self._connection.execute(statement).scalar_one())

    def _where(self, mission_id: str, chosen: Filter) -> list[ColumnElement[bool]]:
        return [tasks.c.mission_id == mission_id, *chosen.conditions(tasks.c)]

    def _all(self, statement: Any, **values: Any) -> list[Task]:
        return [MAPPER.entity(row) for row in self._connection.execute(statement, values)]


def _in_state(status: TaskStatus, waits: bool | None) -> ColumnElement[bool]:
    in_status = tasks.c.status == str(status)
    if waits is None:
        return in_status
    return and_(in_status, tasks.c.waiting_for > ZERO if waits else tasks.c.waiting_for == ZERO)


def no_task(id: str) -> NotFound:
    return NotFound(
        f"there is no task {id}",
        action=Action.FIND_TASK,
        task_id=id,
    )
