"""Queries that find work with problems."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, select

from mission.domain.inbox.health_findings import ATTEMPTS, CRASHED, CRASHES, EXPECTED, UNFINISHED
from mission.domain.missions.mission import ENDED
from mission.store.columns import UtcTime
from mission.store.tables import agents, executions, missions, tasks

_WORDS = {
    "expected": sorted(map(str, EXPECTED)),
    "unfinished": sorted(map(str, UNFINISHED)),
    "crashed": sorted(map(str, CRASHED)),
    "ended": sorted(map(str, ENDED)),
}


def _in_open_missions(statement: Select[Any]) -> Select[Any]:
    return statement.join(missions, missions.c.id == tasks.c.mission_id).where(
        missions.c.status.not_in(bindparam("ended", expanding=True))
    )


_SILENT = _in_open_missions(
    select(
        agents.c.id.label("agent_id"),
        agents.c.name,
        agents.c.last_seen_at,
        func.count().label("tasks"),
        func.min(tasks.c.id).label("task_id"),
    )
    .select_from(tasks)
    .join(agents, agents.c.id == tasks.c.owner_id)
    .where(
        tasks.c.lease_until < bindparam("now", type_=UtcTime),
        tasks.c.status.in_(bindparam("expected", expanding=True)),
    )
    .group_by(agents.c.id, agents.c.name, agents.c.last_seen_at)
)
_CRASHING = _in_open_missions(
    select(tasks.c.id.label("task_id"), tasks.c.name, func.count().label("crashes"))
    .select_from(tasks)
    .join(executions, executions.c.task_id == tasks.c.id)
    .where(
        executions.c.status.in_(bindparam("crashed", expanding=True)),
        tasks.c.status.in_(bindparam("unfinished", expanding=True)),
    )
    .group_by(tasks.c.id, tasks.c.name)
    .having(func.count() >= bindparam("least"))
)
_TRIED_OFTEN = _in_open_missions(
    select(tasks.c.id.label("task_id"), tasks.c.name, tasks.c.attempts).where(
        tasks.c.attempts >= bindparam("least"), tasks.c.status.in_(bindparam("unfinished", expanding=True))
    )
)


class HealthFindings:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def silent(self, *, now: datetime) -> list[dict[str, Any]]:
        """Return agents that hold tasks beyond their lease, with the number of tasks and one of them."""
        return self._rows(_SILENT, now=now)

    def crashing(self) -> list[dict[str, Any]]:
        """Return unfinished tasks whose executions crashed often."""
        return self._rows(_CRASHING, least=CRASHES)

    def tried_often(self) -> list[dict[str, Any]]:
        """Return unfinished tasks that were started often."""
        return self._rows(_TRIED_OFTEN, least=ATTEMPTS)

    def _rows(self, statement: Select[Any], **values: Any) -> list[dict[str, Any]]:
        return [dict(row) for row in self._connection.execute(statement, {**_WORDS, **values}).mappings()]
