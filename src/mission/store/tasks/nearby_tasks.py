"""Queries about the context of a task: the source, earlier work, and concurrent work."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, or_, select

from mission.domain.tasks.states import OPEN, RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.columns import UtcTime
from mission.store.tables import missions, phases, tasks
from mission.store.tasks.tasks import MAPPER

_RUNNING_WORDS = sorted(map(str, RUNNING))
_OPEN_WORDS = sorted(map(str, OPEN))
_SOURCE_START = select(func.substr(missions.c.source_content, 1, bindparam("characters"))).where(
    missions.c.id == bindparam("mission_id")
)
_ENTRIES = select(tasks.c.entries).where(tasks.c.id == bindparam("task_id"))
_NEW = or_(
    bindparam("since", type_=UtcTime).is_(None),
    tasks.c.updated_at > bindparam("since", type_=UtcTime),
)
_EARLIER = MAPPER.select.where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.phase_number < bindparam("phase_number"),
    tasks.c.completed_at.is_not(None),
    tasks.c.status.not_in(bindparam("open", expanding=True)),
    _NEW,
).order_by(tasks.c.completed_at.desc(), tasks.c.id)
_ENDED_BEFORE = select(func.sum(phases.c.success + phases.c.partial + phases.c.failed + phases.c.skipped)).where(
    phases.c.mission_id == bindparam("mission_id"), phases.c.number < bindparam("phase_number")
)
_BESIDE = MAPPER.select.where(tasks.c.phase_id == bindparam("phase_id"), tasks.c.id != bindparam("task_id"), _NEW)
_RUNNING_BESIDE = _BESIDE.where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.waiting_for == 0,
    tasks.c.status.in_(bindparam("running", expanding=True)),
).order_by(tasks.c.position)
_OTHERS_BESIDE = _BESIDE.where(tasks.c.status.not_in(bindparam("running", expanding=True))).order_by(tasks.c.created_at)

_IN_HAND = MAPPER.select.where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.waiting_for == 0,
    tasks.c.status.in_(bindparam("running", expanding=True)),
).order_by(tasks.c.phase_number, tasks.c.position)
_ENDED_LAST = MAPPER.select.where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.completed_at.is_not(None),
    tasks.c.status == bindparam("completed"),
).order_by(tasks.c.completed_at.desc(), tasks.c.id)


class NearbyTasks:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def source_start(self, mission_id: str, *, characters: int) -> str:
        """Return the beginning of the text that the mission was created from."""
        values = {"mission_id": mission_id, "characters": characters}
        return self._connection.execute(_SOURCE_START, values).scalar() or ""

    def entries(self, task_id: str) -> int:
        """Return the number of entries in the task's journal, which is the number of the last one."""
        return int(self._connection.execute(_ENTRIES, {"task_id": task_id}).scalar_one())

    def earlier(self, task: Task, *, since: datetime | None, limit: int) -> list[Task]:
        """Return tasks of earlier phases that have ended, the latest first."""
        return self._all(_EARLIER, limit=limit, since=since, **_place(task), open=_OPEN_WORDS)

    def ended_before(self, task: Task) -> int:
        """Return how many tasks of earlier phases have ended."""
        return int(self._connection.execute(_ENDED_BEFORE, _place(task)).scalar() or 0)

    def same_phase(self, task: Task, *, since: datetime | None, limit: int) -> list[Task]:
        """Return other tasks of the same phase, active ones first."""
        values = {"phase_id": task.phase_id, "task_id": task.id, "since": since, "running": _RUNNING_WORDS}
        running = self._all(_RUNNING_BESIDE, limit=limit, mission_id=task.mission_id, **values)
        left = limit - len(running)
        return running + (self._all(_OTHERS_BESIDE, limit=left, **values) if left else [])

    def in_hand(self, mission_id: str, *, limit: int) -> list[Task]:
        """Return the active tasks of a mission, in plan order."""
        return self._all(_IN_HAND, limit=limit, mission_id=mission_id, running=_RUNNING_WORDS)

    def completed_last(self, mission_id: str, *, limit: int) -> list[Task]:
        """Return the completed tasks of a mission, the latest first."""
        return self._all(_ENDED_LAST, limit=limit, mission_id=mission_id, completed=TaskStatus.COMPLETED.value)

    def _all(self, statement: Select[Any], *, limit: int, **values: Any) -> list[Task]:
        return [MAPPER.entity(row) for row in self._connection.execute(statement.limit(limit), values)]


def _place(task: Task) -> dict[str, Any]:
    return {"mission_id": task.mission_id, "phase_number": task.phase_number}
