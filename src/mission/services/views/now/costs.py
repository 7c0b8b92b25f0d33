"""What work cost: per day, mission, run, agent and task, and against the budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from mission.domain.executions.execution import LIVE
from mission.domain.overview.costs import Cost, Expense, by, total
from mission.domain.runs.options import Limits
from mission.domain.runs.run import RunState
from mission.domain.runs.spending import price, tokens
from mission.store.transaction import Tx

MAX_UNLAUNCHED = 5_000
MAX_ROWS = 50
REPORTED = ("tokens_input", "tokens_output")
ENDED_RUNS = frozenset({RunState.FINISHED, RunState.STOPPED})


@dataclass(frozen=True, kw_only=True, slots=True)
class CostRow:
    """The cost of one day, mission, run, agent or task."""

    id: str
    name: str
    cost: Cost
    mission_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetRow:
    """A limit of money, and what is spent of it; the run is None for the limit of a day."""

    run_id: str | None
    name: str
    limit_usd: float
    cost: Cost


@dataclass(frozen=True, kw_only=True, slots=True)
class CostReport:
    now: datetime
    since: datetime
    total: Cost
    today: Cost
    days: Sequence[CostRow]
    missions: Sequence[CostRow]
    runs: Sequence[CostRow]
    agents: Sequence[CostRow]
    tasks: Sequence[CostRow]
    budgets: Sequence[BudgetRow]


@dataclass(frozen=True, slots=True)
class _Used:
    """The usage of one execution, as `spending` reads it."""

    usage: Mapping[str, Any] | None
    started_at: datetime | None
    ended_at: datetime | None
    is_live: bool


def report(tx: Tx, *, days: int, offset: timedelta, mission_id: str | None, daily: Limits) -> CostReport:
    """Return what the last days cost; `offset` is how far the reader's clock is ahead of UTC."""
    today = (tx.now + offset).date()
    since = _midnight(today - timedelta(days=days - 1), tx.now) - offset
    runs = [run for run in tx.costs.runs_since(since) if mission_id in (None, run.mission_id)]
    expenses = [
        each for each in read(tx, since=since, runs=runs) if mission_id is None or each.mission_id == mission_id
    ]
    of_today = [each for each in expenses if each.day(offset=offset) == today]
    names = _names(tx, expenses, runs)
    missions = {run.id: run.mission_id for run in runs} | {each.task_id: each.mission_id for each in expenses}

    def rows(kind: str, key: Callable[[Expense], str | None]) -> list[CostRow]:
        return [
            CostRow(id=id, name=names[kind].get(id, id), cost=cost, mission_id=missions.get(id))
            for id, cost in [*by(expenses, key).items()][:MAX_ROWS]
        ]

    by_day = by(expenses, lambda each: each.day(offset=offset))
    return CostReport(
        now=tx.now,
        since=since,
        total=total(expenses),
        today=total(of_today),
        days=[
            CostRow(id=str(day), name=str(day), cost=by_day.get(day, Cost()))
            for day in (today - timedelta(days=ago) for ago in range(days))
        ],
        missions=rows("mission", lambda each: each.mission_id),
        runs=rows("run", lambda each: each.run_id),
        agents=rows("agent", lambda each: each.agent_id),
        tasks=rows("task", lambda each: each.task_id),
        budgets=_budgets(tx, runs, names["run"], daily=daily if mission_id is None else Limits()),
    )


def read(tx: Tx, *, since: datetime, runs: Sequence[Any] = ()) -> list[Expense]:
    """Return everything that was spent since a moment, as far as it is known."""
    launched = [_of_execution(row, _run_of(row, runs)) for row in tx.costs.used_since(since)]
    unlaunched = tx.costs.unlaunched_since(since, limit=MAX_UNLAUNCHED)
    return [each for each in (*filter(None, launched), *map(_of_task, unlaunched)) if each.at > since]


def of_missions(tx: Tx, mission_ids: Sequence[str]) -> dict[str, Cost]:
    """Return what each mission with executions cost so far."""
    spent = filter(None, (_of_execution(row, None) for row in tx.costs.used_by(mission_ids)))
    return by(spent, lambda each: each.mission_id)


def _of_execution(row: Any, run_id: str | None) -> Expense | None:
    """Return the expense of an execution; None while it runs and has not reported anything, or if it never ran."""
    used = _Used(row.usage, row.started_at, row.ended_at, row.status in LIVE)
    if not row.usage and (used.is_live or row.started_at is None):
        return None
    spent = tokens(used)
    return Expense(
        mission_id=row.mission_id,
        task_id=row.task_id,
        agent_id=row.agent_id,
        at=row.ended_at or row.updated_at,
        usd=price(used),
        tokens=int(spent) if spent is not None else None,
        run_id=run_id,
    )


def _of_task(row: Any) -> Expense:
    """Return the expense of a task without executions: its agent may have reported tokens, but never a price."""
    reported = [value for name in REPORTED if isinstance(value := (row.metadata or {}).get(name), int)]
    return Expense(
        mission_id=row.mission_id,
        task_id=row.task_id,
        agent_id=row.owner_id,
        at=row.completed_at or row.updated_at,
        usd=None,
        tokens=sum(reported) if reported else None,
    )


def _run_of(row: Any, runs: Iterable[Any]) -> str | None:
    for run in runs:
        if run.mission_id == row.mission_id and run.created_at <= row.created_at <= (run.ended_at or row.created_at):
            return str(run.id)
    return None


def _names(tx: Tx, expenses: Sequence[Expense], runs: Sequence[Any]) -> dict[str, Mapping[str, str]]:
    missions = tx.costs.names("mission", sorted({*(e.mission_id for e in expenses), *(r.mission_id for r in runs)}))
    tasks = [*by(expenses, lambda each: each.task_id)][:MAX_ROWS]
    agents = [*by(expenses, lambda each: each.agent_id)][:MAX_ROWS]
    return {
        "mission": missions,
        "task": tx.costs.names("task", tasks),
        "agent": tx.costs.names("agent", agents),
        "run": {run.id: missions.get(run.mission_id, run.id) for run in runs},
    }


def _budgets(tx: Tx, runs: Sequence[Any], names: Mapping[str, str], *, daily: Limits) -> list[BudgetRow]:
    """Return the limits of money that are in force: of live runs, and of the day, which is one of UTC."""
    found: list[BudgetRow] = []
    for run in runs:
        limit = Limits.from_dict((run.options or {}).get("budget")).usd
        if limit is not None and run.state not in ENDED_RUNS:
            spent = [each for each in read(tx, since=run.created_at, runs=[run]) if each.run_id == run.id]
            found.append(BudgetRow(run_id=run.id, name=names[run.id], limit_usd=limit, cost=total(spent)))
    if daily.usd is not None:
        spent = read(tx, since=_midnight(tx.now.date(), tx.now), runs=runs)
        cost = total(each for each in spent if each.run_id is not None)
        found.append(BudgetRow(run_id=None, name="All runs today", limit_usd=daily.usd, cost=cost))
    return found


def _midnight(day: date, now: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)
