"""Many processes on one store claim the tasks of one plan: each exactly once, none lost, no call refused."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.effort import Effort
from bench.report import Row, Target
from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings

PROCESSES = 32
TASKS = 1_000
SECTION = f"{PROCESSES} processes claim {TASKS:,} tasks of one SQLite file"
CALLER = Caller(transport="bench")


def measure(effort: Effort) -> list[Row]:  # noqa: ARG001
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        home = Path(folder)
        agents = asyncio.run(_prepare(home))
        begun = time.perf_counter()
        claimers = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.claiming", folder, agent], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            for agent in agents
        ]
        ended = [(*claimer.communicate(), claimer.returncode) for claimer in claimers]
        seconds = time.perf_counter() - begun
    taken = Counter(line for out, _, _ in ended for line in out.decode().split())
    failed = sum(code != 0 for _, _, code in ended)
    return [
        _row("different tasks claimed", len(taken), Target(TASKS, "at least", of="figure")),
        _row("tasks claimed more than once", sum(times > 1 for times in taken.values()), Target(0, of="figure")),
        _row("processes that ended with an error", failed, Target(0, of="figure")),
        Row(section=SECTION, what="claims, all together", figure=TASKS / seconds, unit="/s"),
    ]


async def _prepare(home: Path) -> list[str]:
    app = App(Settings(home=home), role="the benchmark")
    async with app.running(periodic=False):

        async def call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
            return await app.gateway(tool, arguments, CALLER)

        new = {"name": "W", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": TASKS}
        mission = (await call("workflow_create", new))["id"]
        tasks = [{"name": f"task {number}", "description": "d", "sequence": 1} for number in range(TASKS)]
        await call("workflow_set_plan", {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
        return [
            (await call("agent_register", {"name": f"agent {number}", "runtime": "custom"}))["id"]
            for number in range(PROCESSES)
        ]


def _row(what: str, figure: int, target: Target) -> Row:
    return Row(section=SECTION, what=what, figure=figure, unit="rows", target=target)


async def _claim(home: Path, agent: str) -> None:
    """Claim tasks until there are none left, and print each."""
    app = App(Settings(home=home), role="a claimer")
    async with app.running(periodic=False):
        while (taken := await app.gateway("task_claim_next", {"agent_id": agent}, CALLER))["success"]:
            print(taken["task"]["id"], flush=True)


if __name__ == "__main__":
    asyncio.run(_claim(Path(sys.argv[1]), sys.argv[2]))
