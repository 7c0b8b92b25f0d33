"""Measure a launch in a worktree of its own, next to `git worktree add` and the start of the same program."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.effort import Effort
from bench.report import Row, Target
from bench.rest import Rest
from bench.server import daemon
from bench.snapshot import generate, git
from bench.timing import interleave

SECTION = "a launch"
FILES = 200
FLOOR = "git worktree add + the program"
ADDED_MS = 300.0
PATIENCE = 60.0
PROGRAM = "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()"
"""What it does first shows that it runs."""


def measure(effort: Effort) -> list[Row]:
    with _places() as (launch, start):
        turns = {"ours": lambda: [launch()], "floor": lambda: [start()]}
        series = interleave(turns, rounds=max(7, effort.rounds))
    rounds = zip(series["ours"].rounds, series["floor"].rounds, strict=True)
    added = 1000 * median(median(ours) - median(floor) for ours, floor in rounds)
    return [
        Row(
            section=SECTION,
            what=f"until the program runs in a worktree of {FILES:,} files",
            figure=1000 * series["ours"].p50,
            unit="ms",
            p99=1000 * series["ours"].p99,
            floor=FLOOR,
            floor_figure=1000 * series["floor"].p50,
            ratio=series["ours"].against(series["floor"]),
        ),
        Row(
            section=SECTION,
            what="what the launch adds",
            figure=added,
            unit="ms",
            floor=FLOOR,
            floor_figure=1000 * series["floor"].p50,
            target=Target(ADDED_MS, of="figure"),
        ),
    ]


@contextmanager
def _places() -> Iterator[tuple[Callable[[], float], Callable[[], float]]]:
    """Yield a launch through the daemon, and the same without it; both return the seconds until the program runs."""
    with daemon(tasks=1) as server:
        repository = generate(server.home / "repository", files=FILES)
        signs = server.home / "signs"
        signs.mkdir()
        call = Rest(server.address)
        numbers = itertools.count()
        new = {"name": "Launches", "source_type": "prompt", "source_content": "Launch", "max_parallel_tasks": 1_000}
        place = {"repository_path": str(repository), "auto_create_workspaces": True}
        mission = call("workflow_create", {**new, **place})["id"]
        tasks = [{"name": f"task {number}", "description": "d", "sequence": 1} for number in range(100)]
        call("workflow_set_plan", {"id": mission, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
        ids = iter([task["id"] for task in call("workflow_get", {"id": mission, "include_tasks": True})["tasks"]])

        def launch() -> float:
            sign = signs / str(next(numbers))
            given = {"task_id": next(ids), "adapter": "command", "arguments": [*_command(), str(sign)]}
            begun = time.perf_counter()
            call("execution_launch", {**given, "delivery": "stdout-marker"})
            return _until(sign) - begun

        def start() -> float:
            number = next(numbers)
            sign, path = signs / str(number), server.home / f"bare{number}"
            begun = time.perf_counter()
            git(repository, "worktree", "add", "--quiet", "-b", f"bare{number}", str(path))
            with subprocess.Popen([*_command(), str(sign)], cwd=path, stdin=subprocess.DEVNULL):
                return _until(sign) - begun

        yield launch, start
        while call("execution_list", {"status": ["starting", "running", "waiting"]})["executions"]:
            time.sleep(0.1)


def _command() -> list[str]:
    return [sys.executable, "-IS", "-c", PROGRAM]


def _until(sign: Path) -> float:
    """Return when the program ran."""
    deadline = time.monotonic() + PATIENCE
    while not sign.exists():
        if time.monotonic() > deadline:
            raise RuntimeError("the program did not run")
        time.sleep(0.001)
    return time.perf_counter()
