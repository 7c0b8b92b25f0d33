"""Two daemons on one PostgreSQL: nothing is lost, nothing doubled, and they do not get in each other's way."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text

from mission.app import App
from tests.conftest import Front


@pytest.fixture
async def daemons(postgres_settings, clock, tmp_path):
    other = replace(postgres_settings, home=tmp_path / "other-home")
    first, second = App(postgres_settings, role="one", clock=clock), App(other, role="two", clock=clock)
    async with first.running(periodic=False), second.running(periodic=False):
        yield Front(first), Front(second)


async def test_work_on_the_same_missions_goes_on_side_by_side(daemons):
    """Each caller works on all missions in its own order: rows are met in every order there is."""
    missions = [
        (await daemons[0]("start_mission", {"name": f"m{n}", "objective": "y"}))["mission_id"] for n in range(3)
    ]

    async def work(number):
        call = daemons[number % 2]
        for step in range(6):
            mission = missions[(number + step) % 3]
            task = await call(
                "start_task", {"mission_id": mission, "phase": 1, "name": f"{number}-{step}", "goal": "g"}
            )
            await call("log_milestone", {"task_id": task["task_id"], "message": "m"})
            await call("complete_task", {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}})

    await asyncio.gather(*(work(number) for number in range(12)))

    for mission in missions:
        found = await daemons[1](
            "get_context", {"mission_id": mission, "include": ["phase_summary", "tasks", "milestones"], "limit": 1}
        )
        (phase,) = found["phase_summary"]
        assert phase["tasks"] == {"total": 24, "completed": 24, "failed": 0, "in_progress": 0, "pending": 0}
        assert (found["tasks_count"], found["milestones_count"]) == (24, 24)
    deadlocks = await daemons[0].app.database.read(_deadlocks)
    assert deadlocks == 0


async def test_an_agent_that_leaves_does_not_undo_what_it_completed(daemons):
    """Its completion and its goodbye reach two daemons at once: the task is completed or free, and counted so."""
    one, two = daemons
    mission = (await one("start_mission", {"name": "m", "objective": "y"}))["mission_id"]
    for _ in range(10):
        agent = (await one("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
        task = await one("start_task", {"mission_id": mission, "phase": 1, "name": "t", "goal": "g", "agent_id": agent})
        ending = {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}, "agent_id": agent}
        await asyncio.gather(
            one("complete_task", ending), two("agent_unregister", {"id": agent}), return_exceptions=True
        )

    found = await one("get_context", {"mission_id": mission, "include": ["phase_summary", "tasks"]})
    (phase,) = found["phase_summary"]
    statuses = [row["status"] for row in found["tasks"]]
    assert phase["tasks"]["completed"] == statuses.count("SUCCESS")
    assert phase["tasks"]["pending"] == statuses.count("PENDING")
    assert phase["tasks"]["in_progress"] == 0


def _deadlocks(tx):
    tx.connection.execute(text("SELECT pg_stat_force_next_flush()"))
    return tx.connection.execute(
        text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
    ).scalar_one()
