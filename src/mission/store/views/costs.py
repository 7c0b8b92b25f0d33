"""Queries about what work used: executions, tasks of agents that nobody launched, runs, and changed lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, exists, func, or_, select

from mission.domain.executions.execution import LIVE
from mission.domain.tasks.states import RUNNING
from mission.store.columns import UtcTime
from mission.store.tables import agents, candidates, executions, missions, runs, task_patches, tasks

_SINCE = bindparam("since", type_=UtcTime)
_IDS: BindParameter[str] = bindparam("ids", expanding=True)
_LIVE = sorted(map(str, LIVE))
_RUNNING = sorted(map(str, RUNNING))
_USED = select(
    executions.c.id,
    executions.c.mission_id,
    executions.c.task_id,
    executions.c.agent_id,
    executions.c.usage,
    executions.c.status,
    executions.c.created_at,
    executions.c.started_at,
    executions.c.ended_at,
    executions.c.updated_at,
)
_USED_SINCE = _USED.where(or_(executions.c.updated_at > _SINCE, executions.c.status.in_(_LIVE)))
_USED_BY_MISSIONS = _USED.where(executions.c.mission_id.in_(_IDS))
_UNLAUNCHED = (
    select(
        tasks.c.mission_id,
        tasks.c.id.label("task_id"),
        tasks.c.owner_id,
        tasks.c.metadata,
        tasks.c.updated_at,
        tasks.c.completed_at,
    )
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(
        missions.c.updated_at > _SINCE,
        tasks.c.started_at.is_not(None),
        or_(
            tasks.c.completed_at > _SINCE,
            and_(tasks.c.completed_at.is_(None), tasks.c.waiting_for == 0, tasks.c.status.in_(_RUNNING)),
        ),
        ~exists().where(executions.c.task_id == tasks.c.id),
    )
    .limit(bindparam("limit"))
)
_RUNS = select(
    runs.c.id, runs.c.mission_id, runs.c.state, runs.c.options, runs.c.created_at, runs.c.ended_at, runs.c.landing
).where(or_(runs.c.ended_at.is_(None), runs.c.ended_at > _SINCE))
_MERGED = select(func.count()).select_from(candidates).where(candidates.c.merged_at > _SINCE)
_CHANGED = (
    select(task_patches.c.lines, task_patches.c.added, task_patches.c.removed)
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .join(task_patches, task_patches.c.task_id == tasks.c.id)
    .where(missions.c.updated_at > _SINCE, tasks.c.completed_at > _SINCE)
    .limit(bindparam("limit"))
)
_NAMED = {"mission": missions, "task": tasks, "agent": agents}


class CostViews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def used_since(self, since: datetime) -> list[Any]:
        """Return the executions that run, or were heard of after a moment, with what they used."""
        return list(self._connection.execute(_USED_SINCE, {"since": since}))

    def used_by(self, mission_ids: Sequence[str]) -> list[Any]:
        """Return the executions of these missions with what they used."""
        return list(self._connection.execute(_USED_BY_MISSIONS, {"ids": list(mission_ids)}))

    def unlaunched_since(self, since: datetime, *, limit: int) -> list[Any]:
        """Return tasks that are worked on, or ended after a moment, without any execution."""
        return list(self._connection.execute(_UNLAUNCHED, {"since": since, "limit": limit}))

    def runs_since(self, since: datetime) -> list[Any]:
        """Return the runs that are live, or ended after a moment."""
        return list(self._connection.execute(_RUNS, {"since": since}))

    def merged_since(self, since: datetime) -> int:
        """Return how many results were merged after a moment."""
        return int(self._connection.execute(_MERGED, {"since": since}).scalar_one())

    def changed_since(self, since: datetime, *, limit: int) -> list[Any]:
        """Return the counted lines of tasks that ended after a moment."""
        return list(self._connection.execute(_CHANGED, {"since": since, "limit": limit}))

    def names(self, kind: str, ids: Sequence[str]) -> Mapping[str, str]:
        """Return the names of missions, tasks or agents."""
        table = _NAMED[kind]
        named = select(table.c.id, table.c.name).where(table.c.id.in_(_IDS))
        return {row.id: row.name for row in self._connection.execute(named, {"ids": list(ids)})}
