"""Launched agents as the page shows them, and the tokens and money that agents used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.display_status import task_word
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.services.paging import cut_page, position_of, row_cursor
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionRow:
    """An execution with the names of what it is about; the lease is its agent's, while that owns the task."""

    execution: Execution
    agent_name: str
    task_name: str
    task_word: str
    mission_name: str
    lease_until: datetime | None
    question: str | None
    """What it waits for, if it asked a person."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecutionPage:
    now: datetime
    runs: Sequence[ExecutionRow]
    counts: Mapping[str, int]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SpentByAgent:
    """The usage of an agent, as far as it was reported."""

    agent_id: str
    tokens: int
    cost_usd: float


def list_executions(
    tx: Tx,
    *,
    statuses: Sequence[ExecutionStatus] | None,
    limit: int,
    cursor: str | None,
    mission_id: str | None = None,
    task_id: str | None = None,
) -> ExecutionPage:
    """Return executions of one mission or of all, newest first, and how many there are of each status."""
    words = None if statuses is None else [str(status) for status in statuses]
    after = position_of(cursor, kind="execution")
    rows = tx.execution_views.page(statuses=words, mission_id=mission_id, task_id=task_id, limit=limit + 1, after=after)
    page = cut_page(rows, limit=limit, cursor=lambda row: row_cursor(row[0]))
    live = [execution.id for execution, _ in page.rows if execution.is_live]
    questions = tx.execution_views.questions(live) if live else {}
    return ExecutionPage(
        now=tx.now,
        runs=[_run(execution, row, questions.get(execution.id)) for execution, row in page.rows],
        counts=tx.execution_views.counts(mission_id=mission_id),
        next=page.next,
    )


def spending(tx: Tx, *, agent_ids: Sequence[str]) -> list[SpentByAgent]:
    """Return the usage of each agent. Its clients' counts outrank its own reports: both are for the same work."""
    counted = _summed(tx.execution_views.usage())
    reported = _summed(tx.execution_views.reported_usage(agent_ids))
    return [counted.get(id) or reported[id] for id in agent_ids if id in counted or id in reported]


def _run(execution: Execution, row: Any, question: str | None) -> ExecutionRow:
    owns = row.task_owner_id == execution.agent_id
    return ExecutionRow(
        execution=execution,
        agent_name=row.agent_name or execution.adapter,
        task_name=row.task_name,
        task_word=task_word(
            row.task_status,
            quality=row.task_quality,
            hold=row.task_hold,
            waiting_for=row.task_waiting_for,
            proof_state=row.task_proof_state,
        ),
        mission_name=row.mission_name,
        lease_until=row.task_lease_until if owns else None,
        question=question,
    )


def _summed(used: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, SpentByAgent]:
    found: dict[str, tuple[int, float]] = {}
    for agent_id, figures in used:
        tokens, cost = found.get(agent_id, (0, 0.0))
        more = sum(_number(figures.get(kind)) for kind in ("input_tokens", "output_tokens"))
        more += sum(_number(figures.get(kind)) for kind in ("tokens_input", "tokens_output"))
        found[agent_id] = (tokens + int(more), cost + _number(figures.get("cost_usd")))
    return {id: SpentByAgent(agent_id=id, tokens=tokens, cost_usd=cost) for id, (tokens, cost) in found.items()}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
