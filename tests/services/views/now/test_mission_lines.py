"""Missions as a list: their order, and what each row shows."""

from __future__ import annotations

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.missions.mission import MissionStatus
from mission.domain.overview.costs import Cost
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.services.views.now import mission_lines
from tests.store.rows import at


def listed(tx):
    page = mission_lines.list_missions(tx, text="", statuses=None, archived=False, limit=9, offset=0)
    return page.missions


def test_what_needs_you_comes_first_then_what_runs_then_plans_then_the_rest(tx, rows):
    rows.mission("quiet", status=MissionStatus.IN_PROGRESS, updated_at=at(9))
    rows.mission("ended", status=MissionStatus.COMPLETED, updated_at=at(8))
    rows.mission("planned", status=MissionStatus.READY, updated_at=at(7))
    for name, minutes in (("older", 1), ("newer", 2)):
        running = rows.mission(name, status=MissionStatus.IN_PROGRESS, updated_at=at(minutes))
        rows.task(running, status=TaskStatus.IN_PROGRESS, owner_id="a_1")
    asks = rows.mission("asks", status=MissionStatus.IN_PROGRESS, updated_at=at(0))
    rows.item(mission_id=asks.id)
    rows.item(mission_id=asks.id)

    assert [(line.row.name, line.group, line.items) for line in listed(tx)] == [
        ("asks", "needs_you", 2),
        ("newer", "running", 0),
        ("older", "running", 0),
        ("planned", "planning", 0),
        ("quiet", "rest", 0),
        ("ended", "rest", 0),
    ]


def test_a_row_shows_agents_cost_and_an_estimate_once_enough_tasks_ended(tx, rows):
    ada = rows.agent("ada")
    mission = rows.mission(status=MissionStatus.IN_PROGRESS, max_parallel=2)
    running = rows.task(mission, status=TaskStatus.IN_PROGRESS, owner_id=ada.id, started_at=at(-1))
    rows.execution(running, status=ExecutionStatus.RUNNING, usage={"cost_usd": 0.5})
    [line] = listed(tx)
    assert [(each.agent, each.word) for each in line.hands] == [("ada", "working")]
    assert (line.cost, line.estimate) == (Cost(usd=0.5, expenses=1), None)

    done = {"status": TaskStatus.COMPLETED, "quality": Quality.SUCCESS, "completed_at": at(-10)}
    for _ in range(5):
        rows.task(mission, started_at=at(-20), **done)

    [line] = listed(tx)
    assert line.estimate is not None
    assert line.estimate.range == (300, 300)


def test_work_without_a_price_is_unknown_and_no_work_costs_nothing(tx, rows):
    rows.task(rows.mission("idle", updated_at=at(1)))
    worked = rows.mission("worked", updated_at=at(0))
    rows.task(worked, status=TaskStatus.COMPLETED, quality=Quality.SUCCESS, completed_at=at(0))

    assert [(line.row.name, line.cost) for line in listed(tx)] == [
        ("idle", Cost()),
        ("worked", Cost(unknown=1, expenses=1)),
    ]
