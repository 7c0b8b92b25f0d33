"""Daemon, runner, check, agent and git are killed at every point until a task is proved; the end is always the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import fault_cases
from tests.kill_points import proof_scenarios
from tests.kill_points.matrix import Case, Matrix, first_times, share_of
from tests.kill_points.static_points import points_in
from tests.postgres_databases import Shelf

FOLDERS = (
    "services/checks",
    "services/evidence",
    "runtime/checking",
    "runtime/launching",
    "runtime/runner",
    "runtime/running",
)
REACHED = {
    "report": ["spawn mission.runtime.checking.spare_runner.SpareRunner.start"],
    "red": [],
    "reuse": [
        "write mission.services.checks.gate.complete_by_evidence",
        "write mission.services.checks.gate.open_broken",
        "write mission.services.checks.progress.begin",
        "write mission.services.checks.progress.examined",
        "write mission.services.checks.reading.of_task",
        "write mission.services.checks.reading.open_advice",
    ],
    "withdrawn": ["write mission.services.checks.progress.release", "write mission.services.checks.progress.stopped"],
    "approval": [
        "write mission.services.checks.gate.answer",
        "write mission.services.checks.gate.open_and_begin",
        "write mission.services.checks.progress.advance",
    ],
    "void": ["write mission.services.checks.acceptance.record"],
    "launched": [
        "spawn mission.runtime.running.runner_process.Process.start",
        "write mission.services.executions.ending.ended",
        "write mission.services.executions.state.started",
    ],
}
"""The scenario in which the daemon reaches each of its points."""
RUNNERS = {"void": ["spawn mission.runtime.runner.program.Program._start"]}
"""The same for points of runners."""
EXCUSED = {
    "spawn mission.runtime.checking.check_folder.start_runner": "only if the waiting runner is gone, which is a case",
    "write mission.services.checks.acceptance.record_in_run": "in a run",
    "write mission.services.checks.progress.no_start_tree": "only if a kept file was damaged; else like advance",
    "write mission.services.checks.progress.not_examined": "only if the tree goes away during the checks; like advance",
    "write mission.services.executions.state.heartbeat_all": "every few minutes, and it only moves a time",
}
FIRST_TIMES = [*first_times(REACHED), *first_times(RUNNERS, of="runner")]
SHARES = 24 if fault_cases.WHOLE else 1


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Matrix]:
    folder = tmp_path_factory.mktemp("proof")
    made = Matrix(folder, _sqlite_template, proof_scenarios.SCENARIOS, proof_scenarios.SETTINGS)
    yield made
    made.nursery.close()


def test_each_write_git_command_and_program_of_the_code_has_a_case():
    named = {point for reached in (REACHED, RUNNERS) for points in reached.values() for point in points}

    assert points_in(*FOLDERS) - named == EXCUSED.keys()
    assert named <= points_in(*FOLDERS)


@pytest.mark.faults
@pytest.mark.parametrize("case", fault_cases.sample(FIRST_TIMES, size=3), ids=str)
def test_a_kill_at_a_point_of_the_code_costs_time_and_nothing_else(matrix: Matrix, case: Case):
    matrix.fail_together([case])


@pytest.mark.faults
@pytest.mark.skipif(not fault_cases.WHOLE, reason="in 'make test-faults'")
@pytest.mark.parametrize("share", range(SHARES))
def test_a_kill_at_any_point_that_is_reached_costs_time_and_nothing_else(matrix: Matrix, share: int):
    matrix.fail_together(share_of(matrix.recorded(), share, of=SHARES), by_chance=True)


@pytest.mark.faults
@pytest.mark.parametrize("case", fault_cases.sample(FIRST_TIMES[::3], size=1), ids=str)
def test_a_kill_costs_nothing_on_postgresql_either(matrix: Matrix, postgres_shelf: Shelf, case: Case):
    with postgres_shelf.lent() as url:
        matrix.fail_together([case], database_url=url)
