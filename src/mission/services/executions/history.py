"""Read the record of executions: list them, get one in detail, and list its observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mission.domain.executions.command import ExecutionCommand
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.executions.observation import Observation
from mission.services.paging import Page, cut_page, position_of, row_cursor
from mission.store.transaction import Tx

SHOWN_MESSAGES = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionDetail:
    """An execution with the names of what it is about, and the operators' messages to it, newest first."""

    execution: Execution
    task_name: str
    agent_name: str
    messages: Sequence[ExecutionCommand]


def list_executions(
    tx: Tx,
    *,
    statuses: Sequence[ExecutionStatus] | None,
    mission_id: str | None,
    task_id: str | None,
    agent_id: str | None,
    limit: int,
    cursor: str | None,
) -> Page[Execution]:
    """Return executions, newest first."""
    rows = tx.executions.page(
        statuses=[str(status) for status in statuses] if statuses is not None else None,
        mission_id=mission_id,
        task_id=task_id,
        agent_id=agent_id,
        limit=limit + 1,
        after=position_of(cursor, kind="execution"),
    )
    return cut_page(rows, limit=limit, cursor=row_cursor)


def get(tx: Tx, *, execution_id: str) -> ExecutionDetail:
    execution = tx.executions.get(execution_id)
    return ExecutionDetail(
        execution=execution,
        task_name=tx.tasks.get(execution.task_id).name,
        agent_name=tx.agents.get(execution.agent_id).name,
        messages=tx.commands.messages(execution_id, limit=SHOWN_MESSAGES),
    )


def observations(tx: Tx, *, execution_id: str, type: str | None, limit: int, cursor: str | None) -> Page[Observation]:
    """Return the observations of an execution, newest first."""
    tx.executions.get(execution_id)
    after = position_of(cursor, kind="observation")
    rows = tx.observations.page(execution_id, type=type, limit=limit + 1, after=after)
    return cut_page(rows, limit=limit, cursor=row_cursor)
