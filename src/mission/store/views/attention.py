"""Queries about work that waits: ready tasks, failing ones, open questions by mission, and signs of life."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, func, or_, select

from mission.domain.executions.execution import LIVE
from mission.domain.inbox.item import ItemState
from mission.domain.missions.estimate import Span
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.states import DONE, TaskStatus
from mission.store.columns import UtcTime
from mission.store.tables import agents, dependencies, executions, missions, phases, queue_items, tasks
from mission.store.tasks.tasks import ZERO
from mission.store.views.overview import OPEN_MISSION, RANK, TASK_ROW

MAX_SPANS = 2_000
_STARTED = sorted(map(str, (MissionStatus.READY, MissionStatus.IN_PROGRESS)))
_DONE = sorted(map(str, DONE))
_LIVE = sorted(map(str, LIVE))
_IDS: BindParameter[str] = bindparam("ids", expanding=True)
_READY = func.sum(phases.c.pending - phases.c.waiting)
_READY_MISSIONS = (
    select(missions.c.id, missions.c.name, missions.c.max_parallel, _READY.label("ready"))
    .join(phases, phases.c.mission_id == missions.c.id)
    .where(*OPEN_MISSION, missions.c.status.in_(_STARTED))
    .group_by(missions.c.id)
    .having(_READY > 0)
    .order_by(RANK, missions.c.updated_at.desc(), missions.c.id)
    .limit(bindparam("limit"))
)
_other = tasks.alias("other")
_FREED_AT = (
    select(func.max(_other.c.completed_at))
    .select_from(dependencies)
    .join(_other, _other.c.id == dependencies.c.depends_on)
    .where(dependencies.c.task_id == tasks.c.id)
    .correlate(tasks)
    .scalar_subquery()
)
_READY_TASKS = (
    select(*TASK_ROW, _FREED_AT.label("freed_at"), tasks.c.created_at)
    .where(
        tasks.c.mission_id.in_(_IDS),
        tasks.c.waiting_for == ZERO,
        tasks.c.status == str(TaskStatus.PENDING),
        or_(tasks.c.lease_until.is_(None), tasks.c.lease_until < bindparam("now", type_=UtcTime)),
    )
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.created_at, tasks.c.id)
    .limit(bindparam("limit"))
)
_FAILING = (
    select(*TASK_ROW, missions.c.name.label("mission_name"))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(*OPEN_MISSION, tasks.c.failed_attempts > ZERO, tasks.c.failed_attempts >= bindparam("times"))
    .where(tasks.c.status.not_in(_DONE))
    .order_by(tasks.c.updated_at, tasks.c.id)
    .limit(bindparam("limit"))
)
_ITEMS_OF = (
    select(queue_items.c.mission_id, func.count().label("items"))
    .where(queue_items.c.mission_id.in_(_IDS), queue_items.c.state == str(ItemState.OPEN))
    .group_by(queue_items.c.mission_id)
)
_ASKED_AT = (
    select(queue_items.c.task_id, func.min(queue_items.c.created_at, type_=UtcTime).label("at"))
    .where(queue_items.c.task_id.in_(_IDS), queue_items.c.state == str(ItemState.OPEN))
    .group_by(queue_items.c.task_id)
)
_WAITING = select(func.count().label("items"), func.min(queue_items.c.created_at, type_=UtcTime).label("oldest")).where(
    queue_items.c.state == str(ItemState.OPEN)
)
_LIVE_EXECUTIONS = select(
    executions.c.id, executions.c.task_id, executions.c.agent_id, executions.c.progress, executions.c.started_at
).where(executions.c.status.in_(_LIVE))
_SEEN = select(agents.c.id, agents.c.last_seen_at).where(agents.c.id.in_(_IDS))
_SPANS = (
    select(tasks.c.mission_id, tasks.c.attempt_started_at, tasks.c.completed_at)
    .where(
        tasks.c.mission_id.in_(_IDS),
        tasks.c.completed_at.is_not(None),
        tasks.c.status == str(TaskStatus.COMPLETED),
        tasks.c.attempt_started_at.is_not(None),
    )
    .order_by(tasks.c.completed_at.desc())
    .limit(MAX_SPANS)
)


class AttentionViews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def ready_missions(self, *, limit: int) -> list[Any]:
        """Return started missions with ready tasks, the most urgent first, and how many tasks are ready."""
        return list(self._connection.execute(_READY_MISSIONS, {"limit": limit}))

    def ready_tasks(self, mission_ids: Sequence[str], *, now: datetime, limit: int) -> list[Any]:
        """Return ready tasks that nobody holds, in plan order, and when the last of their dependencies was done."""
        return list(self._connection.execute(_READY_TASKS, {"ids": list(mission_ids), "now": now, "limit": limit}))

    def failing(self, *, times: int, limit: int) -> list[Any]:
        """Return undone tasks of open missions at which that many attempts failed, the longest unchanged first."""
        return list(self._connection.execute(_FAILING, {"times": times, "limit": limit}))

    def items_of(self, mission_ids: Sequence[str]) -> dict[str, int]:
        """Return how many inbox items are open, by mission."""
        return {row.mission_id: int(row.items) for row in self._connection.execute(_ITEMS_OF, {"ids": [*mission_ids]})}

    def asked_at(self, task_ids: Sequence[str]) -> dict[str, datetime]:
        """Return since when a person is asked about each of the tasks."""
        return {row.task_id: row.at for row in self._connection.execute(_ASKED_AT, {"ids": list(task_ids)})}

    def waiting(self) -> tuple[int, datetime | None]:
        """Return how many inbox items are open, and when the oldest was created."""
        row = self._connection.execute(_WAITING).one()
        return int(row.items), row.oldest

    def live_executions(self) -> list[Any]:
        """Return the executions whose processes run, with their last progress."""
        return list(self._connection.execute(_LIVE_EXECUTIONS))

    def last_seen(self, agent_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when each of the agents was last heard of."""
        return {row.id: row.last_seen_at for row in self._connection.execute(_SEEN, {"ids": list(agent_ids)})}

    def spans(self, mission_ids: Sequence[str]) -> dict[str, list[Span]]:
        """Return the last attempts at completed tasks by mission, the latest first."""
        found: dict[str, list[Span]] = {}
        for row in self._connection.execute(_SPANS, {"ids": list(mission_ids)}):
            found.setdefault(row.mission_id, []).append((row.attempt_started_at, row.completed_at))
        return found
