"""Plans: measure a large one in one call, and whether its size affects requests for work, on both databases."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import ExitStack
from typing import Any

from sqlalchemy import text

from bench.effort import Effort
from bench.inprocess import DATABASES, Local, local
from bench.report import Row, Target, compared
from bench.timing import Series, Turn, interleave
from mission.store.transaction import Tx

SIZES = (100, 10_000)
SECTION = "plans of {database}: 10,000 tasks compared with 100"
READY = "next task of {database}: 10,000 ready tasks"
PLAIN = "task_get"


class Planned:
    """One plan of a size and one agent."""

    def __init__(self, place: Local, tasks: list[dict[str, Any]]) -> None:
        self.place = place
        new = {"name": "W", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": 20}
        self.mission_id = place.call("workflow_create", new)["id"]
        plan = {"summary": "s", "approach": "a", "tasks": tasks}
        begun = time.perf_counter()
        place.call("workflow_set_plan", {"id": self.mission_id, "plan": plan})
        self.plan_seconds = time.perf_counter() - begun
        self.agent_id = place.call("agent_register", {"name": "ada", "runtime": "custom"})["id"]
        place.runner.run(place.app.database.write(_gather_statistics))

    def turns(self, calls: int) -> dict[str, Turn]:
        mission = {"workflow_id": self.mission_id}
        ask, turn = self.place.ask, self.place.turn
        return {
            "workflow_next_tasks": turn(calls, lambda: ask("workflow_next_tasks", mission)),
            "workflow_progress": turn(calls, lambda: ask("workflow_progress", mission)),
            "task_claim_next": turn(calls, self._claim, after=self._release),
        }

    def ready_turns(self, calls: int) -> dict[str, Turn]:
        mission = {"workflow_id": self.mission_id}
        agent = {**mission, "agent_id": self.agent_id}
        task = {"id": self.place.call("workflow_next_tasks", mission)["tasks"][0]["id"]}
        ask, turn = self.place.ask, self.place.turn
        return {
            PLAIN: turn(calls, lambda: ask("task_get", task)),
            "workflow_next_tasks": turn(calls, lambda: ask("workflow_next_tasks", mission)),
            "workflow_next_tasks, limit 1": turn(calls, lambda: ask("workflow_next_tasks", {**mission, "limit": 1})),
            "task_get_available": turn(calls, lambda: ask("task_get_available", agent)),
            "task_get_available, limit 1": turn(calls, lambda: ask("task_get_available", {**agent, "limit": 1})),
            "task_claim_next": turn(calls, self._claim, after=self._release),
        }

    def _claim(self) -> Coroutine[Any, Any, dict[str, Any]]:
        return self.place.ask("task_claim_next", {"agent_id": self.agent_id, "workflow_id": self.mission_id})

    async def _release(self, claimed: dict[str, Any]) -> None:
        await self.place.ask("task_release", {"agent_id": self.agent_id, "task_id": claimed["task"]["id"]})


def _gather_statistics(tx: Tx) -> None:
    """Gather statistics, as a PostgreSQL server does by itself within a minute after so many new rows."""
    if tx.connection.dialect.name == "postgresql":
        tx.connection.execute(text("ANALYZE"))


def tasks_of(size: int) -> list[dict[str, Any]]:
    """Return a plan in which each task of a phase waits for one of the previous phase, in twenty groups."""
    wide = max(20, size // 20)
    return [
        {
            "name": f"task {number}",
            "description": "Change the parser so that it accepts empty input",
            "sequence": 1 + number // wide,
            "parallel_group": f"group {number % 20}",
            "depends_on": [f"task {number - wide}"] if number >= wide else [],
        }
        for number in range(size)
    ]


def ready_tasks(size: int) -> list[dict[str, Any]]:
    """Return a plan in which nothing waits for anything else."""
    goal = "Change the parser so that it accepts empty input"
    return [{"name": f"task {number}", "description": goal, "sequence": 1} for number in range(size)]


def measure(effort: Effort) -> list[Row]:
    rows: list[Row] = []
    for database in DATABASES:
        section = SECTION.format(database=database)
        with ExitStack() as stack:
            runner = stack.enter_context(asyncio.Runner())
            planned = {size: Planned(stack.enter_context(local(runner, database)), tasks_of(size)) for size in SIZES}
            subjects: dict[str, Turn] = {}
            for size, each in planned.items():
                subjects |= {f"{tool} {size}": turn for tool, turn in each.turns(effort.calls).items()}
            series = interleave(subjects, rounds=effort.rounds)
            rows += [_row(section, tool, series) for tool in planned[SIZES[0]].turns(1)]
            rows.append(
                Row(
                    section=section,
                    what="workflow_set_plan, 10,000 tasks",
                    figure=planned[SIZES[1]].plan_seconds * 1000,
                    unit="ms",
                    target=Target(1000, of="figure"),
                )
            )
        rows += _ready_rows(database, effort)
    return rows


def _ready_rows(database: str, effort: Effort) -> list[Row]:
    """Return how the cost of asking for work depends on how much of it is ready."""
    section = READY.format(database=database)
    with ExitStack() as stack:
        runner = stack.enter_context(asyncio.Runner())
        subjects: dict[str, Turn] = {}
        for size in SIZES:
            planned = Planned(stack.enter_context(local(runner, database)), ready_tasks(size))
            subjects |= {f"{tool} {size}": turn for tool, turn in planned.ready_turns(effort.calls).items()}
        tools = list(planned.ready_turns(1))
        series = interleave(subjects, rounds=effort.rounds)
    few, many = SIZES
    plain = series[f"{PLAIN} {many}"]
    growth = [
        compared(
            section,
            tool,
            series[f"{tool} {many}"],
            series[f"{tool} {few}"],
            floor_name="at 100 ready",
            target=Target(1.2),
        )
        for tool in tools
    ]
    compared_to_plain = [
        compared(
            section,
            tool,
            series[f"{tool} {many}"],
            plain,
            floor_name=f"{PLAIN}, a plain read",
            target=Target(1.5) if tool.endswith("limit 1") else None,
        )
        for tool in tools[1:]
    ]
    return [*growth, *compared_to_plain]


def _row(section: str, tool: str, series: dict[str, Series]) -> Row:
    large, small = (series[f"{tool} {size}"] for size in reversed(SIZES))
    return compared(section, tool, large, small, floor_name="at 100 tasks", target=Target(1.5))
