"""Fill a store with one mission of many tasks, and remove what a measurement added."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from mission.app import App
from mission.domain.ids import new_id
from mission.domain.missions.mission import Family
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.task import CallerType
from mission.services.missions import creation as missions
from mission.services.tasks import journal, preparation, starting
from mission.settings import Settings
from mission.store.transaction import Tx

MEASURED = "measured by the benchmark"
ENTRIES = 60
"""The number of each kind: more than one page of get_context."""


@dataclass(frozen=True, slots=True)
class Planted:
    mission_id: str
    task_ids: Sequence[str]


async def plant(home: Path, *, tasks: int) -> Planted:
    """Create a store with one mission in one phase, through the store's own transactions."""
    app = App(Settings(home=home), role="the benchmark")
    async with app.running(periodic=False):
        return await app.database.write(_plant, count=tasks)


def trim(database: Path) -> None:
    """Remove the measured tasks and entries, so that the store keeps its size over the rounds."""
    with sqlite3.connect(database, timeout=30) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        removed = connection.execute("DELETE FROM tasks WHERE name = ?", (MEASURED,)).rowcount
        connection.execute("UPDATE phases SET in_progress = in_progress - ?", (removed,))
        connection.execute("DELETE FROM journal WHERE summary = ?", (MEASURED,))
    connection.close()


def count_measured(database: Path) -> int:
    """Return how many entries the measured calls have left."""
    return _number(database, "SELECT count(*) FROM journal WHERE summary = ?", MEASURED)


def newest_event(database: Path) -> int:
    return _number(database, "SELECT seq FROM event_counter")


def _number(database: Path, query: str, *values: str) -> int:
    connection = sqlite3.connect(database, timeout=30)
    found = connection.execute(query, values).fetchone()[0]
    connection.close()
    return int(found)


def _plant(tx: Tx, *, count: int) -> Planted:
    new = missions.NewMission(name="A mission to measure", objective="Find out how fast it is", family=Family.MISSION)
    mission = missions.create(tx, new=new, place=None)
    request = preparation.TaskRequest(
        mission_id=mission.id,
        phase=1,
        name="Task 0",
        goal="Change the parser so that it accepts empty input",
        areas=["src/parser", "tests"],
        caller_type=CallerType.SUBAGENT,
        agent_name="parser-agent",
    )
    owner = starting.Owner(agent_id=None, lease=timedelta(minutes=15))
    first = starting.record(tx, request=request, mission_id=mission.id, owner=owner, place=None, snapshot=None).task
    ids = [first.id]
    for number in range(1, count):
        moment = tx.now - timedelta(seconds=number)
        task = replace(first, id=new_id("task"), name=f"Task {number}", created_at=moment, started_at=moment)
        tx.tasks.add(task)
        tx.task_counts.count_move(None, task)
        ids.append(task.id)
    for number in range(ENTRIES):
        _log(tx, ids[number % count], number)
    return Planted(mission.id, ids)


def _log(tx: Tx, task_id: str, number: int) -> None:
    decision = {
        "category": "library",
        "question": f"Which parser, case {number}?",
        "options_considered": ["by hand", "generated"],
        "chosen": "by hand",
        "reasoning": "It is short, and its errors say what is wrong.",
        "trade_offs": None,
    }
    milestone = {"message": f"{number} of the cases pass", "progress": 50.0, "metadata": None}
    for kind, summary, detail in (
        (EntryKind.DECISION, "by hand", decision),
        (EntryKind.MILESTONE, "cases pass", milestone),
    ):
        journal.log(tx, kind=kind, task_id=task_id, summary=summary, detail=detail, agent_id=None, fence=None)
