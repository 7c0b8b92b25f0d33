"""Measure completing a task through the gate: next to the bare runner with the same command, and without checks."""

from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.effort import Effort
from bench.report import Row, Target, compared
from bench.rest import Rest
from bench.server import daemon
from bench.snapshot import generate
from bench.timing import Series, interleave
from mission.domain.ids import new_id
from mission.runtime.checking.check_process import Checks
from mission.services.checks.check_runner import CheckStart

SECTION = "proof"
FILES = 200
COMMAND = "true"
ADDED_MS = 15.0


def measure(effort: Effort) -> list[Row]:
    calls = max(3, effort.calls // 8)
    with _gated() as (rest, missions, repository, runner):
        numbers = itertools.count()

        def completing(mission: str, *, before: Callable[[str], object] | None = None) -> list[float]:
            times = []
            for _ in range(calls):
                task = _changed_task(rest, mission, repository, next(numbers))
                if before is not None:
                    before(task)
                started = time.perf_counter()
                rest("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "done"}})
                times.append(time.perf_counter() - started)
            return times

        def run_checks(task: str) -> None:
            rest("task_checks", {"task_id": task, "run": True})

        turns: dict[str, Callable[[], Sequence[float]]] = {
            "plain": lambda: completing(missions["plain"]),
            "gated": lambda: completing(missions["fresh"]),
            "reused": lambda: completing(missions["reused"], before=run_checks),
            "bare": lambda: [runner() for _ in range(calls)],
        }
        series = interleave(turns, rounds=effort.snapshots)
    return _rows(series)


def _rows(series: Mapping[str, Series]) -> list[Row]:
    plain, bare = series["plain"], series["bare"]
    gated = series["gated"]
    rounds = zip(gated.rounds, bare.rounds, plain.rounds, strict=True)
    added = 1000 * median(median(ours) - median(runner) - median(call) for ours, runner, call in rounds)
    return [
        compared(SECTION, f"complete_task with the check '{COMMAND}'", gated, bare, floor_name="bare runner"),
        Row(
            section=SECTION,
            what="what the gate adds to the bare runner and a plain complete_task",
            figure=added,
            unit="ms",
            floor="bare runner + complete_task",
            floor_figure=1000 * (bare.p50 + plain.p50),
            target=Target(ADDED_MS, of="figure"),
        ),
        compared(
            SECTION,
            "complete_task with reused evidence",
            series["reused"],
            plain,
            floor_name="complete_task without checks",
            target=Target(1.5),
        ),
    ]


@contextmanager
def _gated() -> Iterator[tuple[Rest, dict[str, str], Path, Callable[[], float]]]:
    """Yield a daemon with a mission of each kind, a repository, and the bare runner."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder, daemon(tasks=100) as server:
        repository = generate(Path(folder) / "repository", files=FILES)
        rest = Rest(server.address)
        missions = {}
        for name, check in {
            "plain": None,
            "fresh": {"run": COMMAND, "reuse": False},
            "reused": {"run": COMMAND},
        }.items():
            arguments = {"name": name, "objective": "Measure", "repository_path": str(repository)}
            missions[name] = rest("start_mission", arguments)["mission_id"]
            if check is not None:
                rest("checks_set", {"scope": "mission", "id": missions[name], "checks": [check]})
        yield rest, missions, repository, _bare_runner(Path(folder), repository)


def _changed_task(rest: Rest, mission: str, repository: Path, number: int) -> str:
    """Start a task and change a file in its tree."""
    arguments = {"mission_id": mission, "name": f"Task {number}", "goal": "g", "repository_path": str(repository)}
    task: str = rest("start_task", arguments)["task_id"]
    (repository / "changed.txt").write_text(f"{number}\n")
    return task


def _bare_runner(folder: Path, repository: Path) -> Callable[[], float]:
    """Return a function that runs the same command under the runner alone and returns the seconds."""
    checks = Checks(folder / "checks", mask=lambda text: text)

    async def run() -> float:
        start = CheckStart(
            evidence_id=new_id("evidence"),
            command=COMMAND,
            directory=repository,
            environment={"PATH": os.environ["PATH"]},
            seconds=60,
        )
        begun = time.perf_counter()
        await checks.start(start)
        await checks.wait(start.evidence_id)
        return time.perf_counter() - begun

    return lambda: asyncio.run(run())
