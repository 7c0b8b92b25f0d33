"""What work cost, read from executions and reports."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.overview.costs import Cost
from mission.domain.runs.options import Limits, RunOptions
from mission.domain.runs.run import RunState
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.views.now import costs
from tests.store.rows import NOW, at
from tests.store.runs.samples import run_of

DONE = {"status": ExecutionStatus.COMPLETED, "started_at": at(-20), "ended_at": at(-5)}


def report(tx, *, days=3, offset=timedelta(), mission_id=None, daily=None):
    return costs.report(tx, days=days, offset=offset, mission_id=mission_id, daily=daily or Limits())


def usage(usd, tokens=100):
    return {"cost_usd": usd, "input_tokens": tokens, "output_tokens": 0}


def test_costs_are_summed_by_day_mission_agent_and_task_the_most_expensive_first(tx, rows):
    ada = rows.agent("ada")
    cheap, dear = rows.task(rows.mission("Cheap"), "one"), rows.task(rows.mission("Dear"), "two")
    rows.execution(cheap, agent_id=ada.id, usage=usage(1.0), **DONE)
    rows.execution(dear, agent_id=ada.id, usage=usage(2.5), **DONE)
    rows.execution(dear, usage=usage(0.5), **{**DONE, "ended_at": NOW - timedelta(days=1)})
    rows.execution(dear, usage=usage(9.0), **{**DONE, "ended_at": NOW - timedelta(days=9)})

    found = report(tx)

    assert found.total == Cost(usd=4.0, tokens=300, expenses=3)
    assert found.today == Cost(usd=3.5, tokens=200, expenses=2)
    assert [(row.id, row.cost.usd) for row in found.days] == [
        ("2026-01-15", 3.5),
        ("2026-01-14", 0.5),
        ("2026-01-13", None),
    ]
    assert [(row.name, row.cost.usd) for row in found.missions] == [("Dear", 3.0), ("Cheap", 1.0)]
    assert [(row.name, row.cost.usd) for row in found.tasks] == [("two", 3.0), ("one", 1.0)]
    assert found.agents[0].name == "ada"
    assert report(tx, mission_id=cheap.mission_id).total.usd == 1.0


def test_the_day_is_the_readers(tx, rows):
    rows.execution(rows.task(rows.mission()), usage=usage(1.0), **{**DONE, "ended_at": at(-60 * 11)})

    assert [(row.id, row.cost.usd) for row in report(tx, days=1).days] == [("2026-01-15", None)]
    ahead = report(tx, days=1, offset=timedelta(hours=2))
    assert [(row.id, row.cost.usd) for row in ahead.days] == [("2026-01-15", 1.0)]


def test_a_client_without_prices_and_an_agent_that_nobody_launched_are_unknown_and_never_free(tx, rows):
    mission = rows.mission()
    launched = rows.task(mission, "launched")
    rows.execution(launched, usage={"input_tokens": 7, "output_tokens": 3}, **DONE)
    reported = {"tokens_input": 40, "tokens_output": 2}
    ended = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "completed_at": at(-1)}
    rows.task(mission, "by hand", started_at=at(-9), metadata=reported, **ended)
    rows.task(mission, "still", status=TaskStatus.IN_PROGRESS, started_at=at(-9))
    rows.task(mission, "not begun")

    found = report(tx)

    assert found.total == Cost(usd=None, tokens=52, unknown=3, expenses=3)
    assert costs.of_missions(tx, [mission.id]) == {mission.id: Cost(usd=None, tokens=10, unknown=1, expenses=1)}


def test_an_agent_that_runs_and_has_said_nothing_yet_counts_for_nothing(tx, rows):
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, started_at=at(-2))
    rows.execution(task, status=ExecutionStatus.RUNNING, started_at=at(-2))
    rows.execution(task, status=ExecutionStatus.FAILED)

    assert report(tx).total == Cost()


def test_a_run_is_measured_against_its_budget_and_all_runs_against_that_of_the_day(tx, rows):
    mission = rows.mission("Ledger")
    task = rows.task(mission)
    rows.execution(task, usage=usage(8.0), created_at=at(-60), **DONE)
    rows.execution(task, usage=usage(2.0), created_at=at(-10), **DONE)
    options = RunOptions(budget=Limits(usd=5.0)).as_dict()
    run = run_of(mission.id, state=RunState.RUNNING, created_at=at(-20), options=options)
    tx.runs.add(run)

    found = report(tx, daily=Limits(usd=20.0))

    assert [(row.id, row.name, row.cost.usd) for row in found.runs] == [(run.id, "Ledger", 2.0)]
    assert [(row.run_id, row.limit_usd, row.cost.usd) for row in found.budgets] == [
        (run.id, 5.0, 2.0),
        (None, 20.0, 2.0),
    ]
