"""Queries for viewers of launched agents: executions with the names of task and agent, and token usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, select

from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import HOLDING, ItemState
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import agents, executions, missions, queue_items, tasks

_EXECUTIONS = Mapper(executions, Execution)
_ROWS = (
    select(
        *_EXECUTIONS.columns,
        agents.c.name.label("agent_name"),
        tasks.c.name.label("task_name"),
        tasks.c.status.label("task_status"),
        tasks.c.quality.label("task_quality"),
        tasks.c.hold.label("task_hold"),
        tasks.c.waiting_for.label("task_waiting_for"),
        tasks.c.proof_state.label("task_proof_state"),
        tasks.c.owner_id.label("task_owner_id"),
        tasks.c.lease_until.label("task_lease_until"),
        missions.c.name.label("mission_name"),
    )
    .join(tasks, tasks.c.id == executions.c.task_id)
    .join(missions, missions.c.id == executions.c.mission_id)
    .outerjoin(agents, agents.c.id == executions.c.agent_id)
    .order_by(executions.c.created_at.desc(), executions.c.id.desc())
)
_COUNTS = select(executions.c.status, func.count().label("many")).group_by(executions.c.status)
_QUESTIONS = (
    select(queue_items.c.execution_id, queue_items.c.subject)
    .where(
        queue_items.c.execution_id.in_(bindparam("ids", expanding=True)),
        queue_items.c.state == str(ItemState.OPEN),
        queue_items.c.kind.in_(sorted(map(str, HOLDING))),
    )
    .order_by(queue_items.c.created_at.desc(), queue_items.c.id)
)
_USAGE = select(executions.c.agent_id, executions.c.usage).where(executions.c.usage.is_not(None))
_REPORTED = select(tasks.c.owner_id, tasks.c.metadata).where(
    tasks.c.owner_id.in_(bindparam("ids", expanding=True)), tasks.c.metadata.is_not(None)
)

Used = tuple[str, Mapping[str, Any]]


def _of(mission_id: str | None) -> list[ColumnElement[bool]]:
    return [] if mission_id is None else [executions.c.mission_id == mission_id]


class ExecutionViews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def page(
        self,
        *,
        statuses: Sequence[str] | None,
        mission_id: str | None,
        limit: int,
        after: PagePosition | None,
        task_id: str | None = None,
    ) -> list[tuple[Execution, Any]]:
        """Return executions, newest first, each with the row that has the names it refers to."""
        statement = _ROWS.where(*older_than(after, executions.c), *_of(mission_id)).limit(limit)
        if task_id is not None:
            statement = statement.where(executions.c.task_id == task_id)
        if statuses is not None:
            statement = statement.where(executions.c.status.in_(list(statuses)))
        rows: list[Any] = list(self._connection.execute(statement))
        return [(_EXECUTIONS.entity(row), row) for row in rows]

    def counts(self, *, mission_id: str | None) -> dict[str, int]:
        """Return how many executions there are by status."""
        return {row.status: int(row.many) for row in self._connection.execute(_COUNTS.where(*_of(mission_id)))}

    def questions(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the oldest open question or blocker of each execution that waits for a person."""
        return {row.execution_id: row.subject for row in self._connection.execute(_QUESTIONS, {"ids": list(ids)})}

    def usage(self) -> Iterator[Used]:
        """Yield the usage that clients reported, by agent."""
        for row in self._connection.execute(_USAGE):
            yield row.agent_id, row.usage

    def reported_usage(self, ids: Sequence[str]) -> Iterator[Used]:
        """Yield the usage that these agents reported with the tasks they ended."""
        for row in self._connection.execute(_REPORTED, {"ids": list(ids)}):
            yield row.owner_id, row.metadata
