"""Queries for the command palette: names and states of what a person can jump to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BindParameter, Connection, and_, bindparam, or_, select

from mission.domain.executions.execution import LIVE
from mission.store.tables import agents, executions, missions, runs, tasks
from mission.store.views.overview import TASK_STATE, has_word

_IDS: BindParameter[Sequence[str]] = bindparam("ids", expanding=True)
_MISSIONS = select(missions.c.id, missions.c.name, missions.c.status, missions.c.outcome, missions.c.updated_at).where(
    missions.c.id.in_(_IDS)
)
_TASKS = (
    select(*TASK_STATE, tasks.c.name, tasks.c.updated_at, missions.c.name.label("mission_name"))
    .join(missions, missions.c.id == tasks.c.mission_id)
    .where(tasks.c.id.in_(_IDS))
)
_AGENTS = select(agents.c.id, agents.c.name, agents.c.declared, agents.c.last_seen_at)
_RUNS = select(
    runs.c.id, runs.c.mission_id, runs.c.state, runs.c.updated_at, missions.c.name.label("mission_name")
).join(missions, missions.c.id == runs.c.mission_id)
_EXECUTIONS = (
    select(
        executions.c.id,
        executions.c.status,
        executions.c.updated_at,
        tasks.c.name.label("task_name"),
        agents.c.name.label("agent_name"),
    )
    .join(tasks, tasks.c.id == executions.c.task_id)
    .outerjoin(agents, agents.c.id == executions.c.agent_id)
)
_LIVE = sorted(map(str, LIVE))


class JumpTargets:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def missions(self, ids: Sequence[str]) -> list[Any]:
        return list(self._connection.execute(_MISSIONS, {"ids": list(ids)}))

    def tasks(self, ids: Sequence[str]) -> list[Any]:
        """Return these tasks with the names of their missions."""
        return list(self._connection.execute(_TASKS, {"ids": list(ids)}))

    def agents(self, words: Sequence[str], *, ids: Sequence[str], limit: int) -> list[Any]:
        """Return these agents and those whose name has every word, the last seen first."""
        named = [has_word(agents.c.name, word) for word in words]
        fits = or_(agents.c.id.in_(list(ids)), *([and_(*named)] if named else []))
        statement = _AGENTS.where(fits).order_by(agents.c.last_seen_at.desc(), agents.c.id)
        return list(self._connection.execute(statement.limit(limit)))

    def runs(self, mission_ids: Sequence[str], *, ids: Sequence[str], limit: int) -> list[Any]:
        """Return these runs and those of these missions, newest first."""
        fits = or_(runs.c.mission_id.in_(list(mission_ids)), runs.c.id.in_(list(ids)))
        return list(self._connection.execute(_RUNS.where(fits).order_by(runs.c.created_at.desc()).limit(limit)))

    def executions(
        self, *, task_ids: Sequence[str], agent_ids: Sequence[str], ids: Sequence[str], limit: int
    ) -> list[Any]:
        """Return these executions, those of these tasks, and the live ones of these agents, newest first."""
        live = executions.c.status.in_(_LIVE) & executions.c.agent_id.in_(list(agent_ids))
        fits = or_(executions.c.task_id.in_(list(task_ids)), live, executions.c.id.in_(list(ids)))
        newest = _EXECUTIONS.where(fits).order_by(executions.c.created_at.desc()).limit(limit)
        return list(self._connection.execute(newest))
