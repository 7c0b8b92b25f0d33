"""Two daemon processes on one PostgreSQL: one is killed, or its clock is set, and nothing in a run happens twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mission.settings import Settings
from tests.driven_runs import WORKER, does
from tests.transports.cli.program import Program, program
from tests.transports.live_server import until

QUICK = str(Path(__file__).with_name("quick_daemon.py"))
PATIENCE = 180.0
SHORT, LONG = "3", "600"
"""How many seconds a silent daemon keeps a run: so short that a test can wait for it, or so long that it never ends."""


@dataclass
class Pair:
    """Two daemons with homes of their own on one database, and a run in one repository."""

    daemons: dict[int, Program]
    """By process id."""
    shifts: dict[int, Path]
    url: str
    repository: Path
    notes: Path
    run: str = ""

    def start(self, *tasks: dict[str, Any]) -> None:
        agent = {"client": "command", "count": 4, "command": [sys.executable, "-u", WORKER, str(self.notes)]}
        about = {"name": "Shop", "objective": "o", "repository": ".", "review": "none", "checks": ["true"]}
        plan = {"mission": about, "agents": [agent], "tasks": list(tasks)}
        [first, _] = self.daemons.values()
        self.run = first.call("run_start", plan=plan, folder=str(self.repository))["run_id"]

    def holder(self) -> int | None:
        """The process that drives the run."""
        with psycopg.connect(self.url) as connection:
            row = connection.execute("SELECT holder FROM runs WHERE id = %s", [self.run]).fetchone()
        return int(row[0].partition("-")[0]) if row and row[0] else None

    def fence(self) -> int:
        with psycopg.connect(self.url) as connection:
            [fence] = connection.execute("SELECT fence FROM runs WHERE id = %s", [self.run]).fetchone() or [0]
        return int(fence)

    def seen(self, by: int) -> dict[str, Any]:
        found: dict[str, Any] = self.daemons[by].call("run_get", run_id=self.run)
        return found

    def stages(self, by: int) -> dict[str, str]:
        return {task["name"]: task["stage"] for task in self.seen(by)["tasks"]}

    def finished(self, by: int) -> dict[str, Any]:
        """The run once it has finished."""
        try:
            until(lambda: self.seen(by)["state"] == "finished", PATIENCE)
        except AssertionError:
            pytest.fail(json.dumps(self.seen(by), indent=1))
        return self.seen(by)

    def other(self, than: int) -> int:
        return next(pid for pid in self.daemons if pid != than)

    def merged(self, branch: str) -> Counter[str]:
        """How often each task was merged, by the commits on the branch."""
        pattern = "--format=%(trailers:key=Mission-Task,valueonly,separator=%x2C)"
        log = subprocess.run(
            ["git", "log", "--merges", pattern, branch], cwd=self.repository, check=True, capture_output=True, text=True
        )
        return Counter(log.stdout.split())

    def launched(self) -> Counter[str]:
        """How often an agent was started for each task, by the agents' own account."""
        return Counter((self.notes / "starts").read_text().split())


@pytest.fixture(params=[SHORT])
def pair(
    request: pytest.FixtureRequest, postgres_settings: Settings, repository: Path, tmp_path: Path
) -> Iterator[Pair]:
    common = {
        "MISSION_DATABASE_URL": postgres_settings.database_url,
        "MISSION_HOST_ID": postgres_settings.host_id,
        "MISSION_AGENT_SLOTS": "4",
        "MISSION_MIN_FREE_GB": "0",
    }
    notes = tmp_path / "notes"
    notes.mkdir()
    with ExitStack() as stack:
        daemons, shifts = {}, {}
        for name in ("a", "b"):
            shift = tmp_path / f"shift-{name}"
            shift.write_text("0")
            home = tmp_path / name
            home.mkdir(mode=0o700)
            made = stack.enter_context(program(home, **common))
            made.program = [sys.executable, QUICK, request.param, str(shift)]
            process = made.start()
            stack.callback(process.communicate)
            stack.callback(process.kill)
            daemons[process.pid], shifts[process.pid] = made, shift
        yield Pair(
            daemons=daemons, shifts=shifts, url=postgres_settings.database_url, repository=repository, notes=notes
        )


def test_the_other_daemon_takes_over_after_a_kill_and_nothing_happens_twice(pair: Pair) -> None:
    gate = pair.notes / "gate"
    pair.start(
        does("merged before", "write one.txt first"),
        does("works", f"wait {gate}", "write two.txt second"),
        does(
            "is checked",
            "write three.txt third",
            depends_on=["merged before"],  # its check holds up the queue
            checks=[f"test ! -f three.txt || until test -f {gate}; do sleep 0.05; done"],
        ),
        does("comes later", "write four.txt fourth", depends_on=["works", "is checked"]),
    )
    first = until(pair.holder)
    stages = {"merged before": "merged", "works": "working", "is checked": "checking", "comes later": "waiting"}
    until(lambda: pair.stages(first) == stages, PATIENCE)
    before, killed = pair.fence(), until(pair.holder)  # on a slow machine, no longer the first

    os.kill(killed, signal.SIGKILL)
    taker = pair.other(killed)
    until(lambda: pair.holder() == taker, PATIENCE)
    gate.touch()
    run = pair.finished(taker)

    assert pair.fence() > before
    assert {(task["stage"], task["attempts"], task["revisions"]) for task in run["tasks"]} == {("merged", 0, 0)}
    tasks = [task["task_id"] for task in run["tasks"]]
    assert pair.merged(run["branch"]) == dict.fromkeys(tasks, 1)
    assert sorted(pair.launched().values()) == [1, 1, 1, 1]
    assert run["spent"]["launches"] == 4


@pytest.mark.parametrize("pair", [LONG], indirect=True)
def test_a_daemon_whose_clock_is_set_neither_takes_nor_loses_a_run(pair: Pair) -> None:
    gate = pair.notes / "gate"
    pair.start(does("works", f"wait {gate}", "write one.txt first"), does("later", "write x x", depends_on=["works"]))
    driver = until(pair.holder)
    until(lambda: pair.stages(driver)["works"] == "working", PATIENCE)
    before = pair.fence()

    pair.shifts[driver].write_text("-86400")
    pair.shifts[pair.other(driver)].write_text("86400")
    gate.touch()
    run = pair.finished(pair.other(driver))

    assert pair.fence() == before
    assert pair.merged(run["branch"]) == {task["task_id"]: 1 for task in run["tasks"]}
    assert (run["spent"]["launches"], run["spent"]["minutes"] < 60) == (2, True)
