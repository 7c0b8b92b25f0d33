"""Measure runs: fifty agents at once, what ordinary calls cost meanwhile, and the CPU time of a run that only waits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.effort import Effort
from bench.protocol import STATELESS
from bench.report import Row, Target, compared
from bench.rest import Rest
from bench.server import Daemon, daemon
from bench.snapshot import generate
from bench.timing import Series, Turn
from bench.work import http_turn, milestone, new_task, trivial

AGENTS = 50
FILES = 200
SECTION = f"a run with {AGENTS} agents at once"
IDLE_SECTION = "a run that waits"
IDLE_AGENTS = 4
IDLE_SECONDS = 16.0
SETTLED_SECONDS = 1.5
"""After this time all agents have seen that they are to show signs of life, or to stop."""
PATIENCE = 180.0
AGENT = Path(__file__).with_name("run_agent.py")
CALLS = {"log_milestone": milestone, "start_task": new_task, "get_context": trivial}


def measure(effort: Effort) -> list[Row]:
    return [*_crowded(effort), *_idle(effort)]


def _crowded(effort: Effort) -> list[Row]:
    with _running(AGENTS) as run:
        launched = run.wait_for_agents()
        calls = {
            tool: http_turn(run.server, STATELESS, tool, arguments, calls=effort.calls)
            for tool, arguments in CALLS.items()
        }
        quiet, busy = _take_turns(run, calls, rounds=max(3, effort.rounds // 2))
        begun = time.perf_counter()
        (run.folder / "finish").touch()
        merged = run.wait_for_merges()
        seconds = time.perf_counter() - begun
    rows = [
        compared(
            SECTION,
            f"{tool} while they work",
            busy[tool],
            quiet[tool],
            floor_name="while they wait",
            target=Target(1.5),
        )
        for tool in CALLS
    ]
    return [
        *rows,
        Row(section=SECTION, what="all agents run after the start", figure=1000 * launched, unit="ms"),
        Row(section=SECTION, what="merged", figure=merged, unit="rows", target=Target(AGENTS, "at least", of="figure")),
        Row(section=SECTION, what="merges, all together", figure=merged / seconds, unit="/s"),
    ]


def _take_turns(
    run: _Run, calls: Mapping[str, Turn], *, rounds: int
) -> tuple[Mapping[str, Series], Mapping[str, Series]]:
    """Return the times of each call while the agents wait and while they work; one follows the other each time."""
    taken: dict[bool, dict[str, list[Sequence[float]]]] = {work: {tool: [] for tool in calls} for work in (False, True)}
    for number in range(rounds):
        for work in (False, True) if number % 2 == 0 else (True, False):
            run.let_agents(work=work)
            for tool, turn in calls.items():
                taken[work][tool].append(turn())
    quiet, busy = ({tool: Series(times) for tool, times in taken[work].items()} for work in (False, True))
    return quiet, busy


def _idle(effort: Effort) -> list[Row]:
    """Compare the CPU time of two daemons in the same seconds: one has a run whose agents only wait."""
    with daemon(tasks=100) as other, _running(IDLE_AGENTS) as run:
        run.wait_for_agents()
        time.sleep(SETTLED_SECONDS)
        servers = (run.server, other)
        before = [cpu_seconds(each.pid) for each in servers]
        begun = time.perf_counter()
        time.sleep(IDLE_SECONDS if effort.rounds > 5 else IDLE_SECONDS / 2)
        seconds = time.perf_counter() - begun
        ours, theirs = (
            1000 * (cpu_seconds(each.pid) - was) / seconds for each, was in zip(servers, before, strict=True)
        )
        (run.folder / "finish").touch()
        run.wait_for_merges()
    return [
        Row(
            section=IDLE_SECTION,
            what="CPU time of the daemon per second that it adds",
            figure=ours - theirs,
            unit="ms",
            floor="a daemon without a run",
            floor_figure=theirs,
            target=Target(IDLE_MS, of="figure"),
        )
    ]


IDLE_MS = 2.0
"""CPU time per second: 0.2 % of one core, less than what the system reports for a process that does nothing."""


def cpu_seconds(pid: int) -> float:
    """Return the CPU time that a process has used, exactly; its clock has an id that is made from its pid."""
    return time.clock_gettime((~pid << 3) | 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """A run on a daemon of its own, whose agents look at files in a folder."""

    server: Daemon
    folder: Path
    call: Rest
    run_id: str
    agents: int

    def answer_that_no_checks_are_meant(self) -> None:
        self._wait(lambda: bool(self._state()["questions"]))
        self.call("queue_answer", {"id": self._state()["questions"][0]["item_id"], "choice": 1})

    def wait_for_agents(self) -> float:
        """Return the seconds until all agents run."""
        begun = time.perf_counter()
        self._wait(lambda: sum(each.name.startswith("x_") for each in self.folder.iterdir()) >= self.agents)
        return time.perf_counter() - begun

    def wait_for_merges(self) -> int:
        """Return the number of merged tasks once the run has ended."""
        self._wait(lambda: self._state()["counts"]["merged"] >= self.agents or self._state()["ended_at"] is not None)
        return int(self._state()["counts"]["merged"])

    def let_agents(self, *, work: bool) -> None:
        """Let all agents signal once a second, or only wait."""
        if work:
            (self.folder / "active").touch()
        else:
            (self.folder / "active").unlink(missing_ok=True)
        time.sleep(SETTLED_SECONDS)

    def _state(self) -> dict[str, Any]:
        return self.call("run_get", {"run_id": self.run_id})

    def _wait(self, is_reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not is_reached():
            if time.monotonic() > deadline:
                raise RuntimeError(f"the run did not get on: {self._state()}")
            time.sleep(0.1)


@contextmanager
def _running(agents: int) -> Iterator[_Run]:
    """Yield a run with that many tasks, each with an agent of its own."""
    with daemon(tasks=100, settings={"MISSION_AGENT_SLOTS": str(agents), "MISSION_MIN_FREE_GB": "0"}) as server:
        repository = generate(server.home / "repository", files=FILES)
        folder = server.home / "agents"
        folder.mkdir()
        call = Rest(server.address)
        command = [sys.executable, "-IS", str(AGENT), str(folder)]
        plan = {
            "mission": {"name": "Many", "objective": "Measure", "repository": ".", "review": "none"},
            "agents": [{"client": "command", "command": command, "count": agents, "delivery": "stdout-marker"}],
            "tasks": [{"name": f"task {number}", "description": "Make a file"} for number in range(agents)],
        }
        run_id = call("run_start", {"plan": plan, "folder": str(repository)})["run_id"]
        run = _Run(server=server, folder=folder, call=call, run_id=run_id, agents=agents)
        run.answer_that_no_checks_are_meant()
        yield run
