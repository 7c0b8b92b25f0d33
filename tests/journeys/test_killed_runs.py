"""Daemon, runner, agent, check and git are killed at every point of a run; each result is merged and landed once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import fault_cases
from tests.kill_points import run_scenarios
from tests.kill_points.matrix import Case, Matrix, first_times, share_of
from tests.kill_points.static_points import points_in
from tests.postgres_databases import Shelf

FOLDERS = ("services/runs", "git/integration")
REACHED = {
    "landed": [
        "git mission.git.integration.branch_refs.move_branch",
        "git mission.git.integration.candidates.candidate_commit._Work._finish",
        "git mission.git.integration.conflict_start._Start._attach",
        "git mission.git.integration.files.filters.Filters._rows",
        "git mission.git.integration.files.worktree_update.WorktreeUpdate._git",
        "git mission.git.integration.integration_branch.check_complete",
        "git mission.git.integration.merge_worktree._Place._git",
        "git mission.git.integration.merge_worktree._Place.rebuild",
        "git mission.git.integration.preflight_facts.preflight_facts",
        "git mission.git.integration.trial_merge.git_version",
        "write mission.services.runs.agents.launching._order",
        "write mission.services.runs.holding.hold",
        "write mission.services.runs.lifecycle.finishing._finish",
        "write mission.services.runs.lifecycle.finishing._move",
        "write mission.services.runs.lifecycle.finishing._open_final",
        "write mission.services.runs.lifecycle.landing._ask",
        "write mission.services.runs.lifecycle.landing._landed",
        "write mission.services.runs.lifecycle.landing_cleanup._record",
        "write mission.services.runs.lifecycle.preflight._record",
        "write mission.services.runs.lifecycle.starting._record_plan",
        "write mission.services.runs.merging.advancing._merged",
        "write mission.services.runs.merging.building._built",
        "write mission.services.runs.merging.checking._open",
        "write mission.services.runs.merging.checking._open_tip",
        "write mission.services.runs.merging.conflicts.conflicted",
        "write mission.services.runs.merging.freezing._queue",
        "write mission.services.runs.merging.returning.fail",
        "write mission.services.runs.merging.step_guard.withdraw_unwanted",
        "write mission.services.runs.merging.verdicts.passed",
    ],
    "answered": [
        "write mission.services.runs.agents.asking.open_question",
        "write mission.services.runs.agents.skipping.skip_tasks",
        "write mission.services.runs.lifecycle.controls._resume",
        "write mission.services.runs.lifecycle.landing._answer",
        "write mission.services.runs.merging.freezing._ask",
    ],
    "stopped": [
        "write mission.services.runs.holding.release",
        "write mission.services.runs.lifecycle.controls.release_tasks",
        "write mission.services.runs.lifecycle.controls.stop_run",
        "write mission.services.runs.lifecycle.decisions.apply",
    ],
    "repaired": [
        "git mission.git.integration.integration_branch.foreign_commits",
        "write mission.services.runs.lifecycle.finishing._add_repair",
        "write mission.services.runs.lifecycle.landing._caught_up",
        "write mission.services.runs.lifecycle.landing._note",
        "write mission.services.runs.lifecycle.landing._open",
        "write mission.services.runs.lifecycle.starting._record",
        "write mission.services.runs.merging.submission.answer",
        "write mission.services.runs.merging.submission.submit",
        "write mission.services.runs.merging.tip_following._follow",
    ],
}
"""The scenario in which the daemon reaches each of its points."""
EXCUSED = {
    "git mission.git.integration.branch_refs._is_in_table": "it only reads, and only refs in another format",
    "git mission.git.integration.candidates.submodule_commits._is_published": "it only asks a remote",
    "git mission.git.integration.files.index_lock.LockedIndex.take_copy": "it reads an index in an unusual format",
    "git mission.git.integration.files.staging.Staging._add_filtered": "only with git-lfs; else like _add_plainly",
    "git mission.git.integration.own_git_directory.OwnGitDirectory.run": "runs what others ask for; they are points",
    "git mission.git.integration.preflight_facts._first_commit": "before a run exists, with --init",
    "git mission.git.integration.preflight_facts._identity": "before a run exists, with --init",
    "git mission.git.integration.preflight_facts.init_repository": "before a run exists, with --init",
    "write mission.services.runs.agents.asking._withdraw": "a question that was never needed, by chance",
    "write mission.services.runs.agents.stopping._request_stop": "one write, only if another daemon follows the agent",
    "write mission.services.runs.agents.stopping._tell": "a nudge after minutes of silence",
    "write mission.services.runs.lifecycle.landing._refused": "one write of a question, like open_question",
    "write mission.services.runs.merging.advancing._ask": "one write of a question, like open_question",
    "write mission.services.runs.merging.building._not_made": "one write of a question, like open_question",
    "write mission.services.runs.merging.building._unbuildable": "one write that gives the task back, like fail",
    "write mission.services.runs.merging.freezing.refused": "one write that gives the task back, like fail",
    "write mission.services.runs.merging.returning._stop": "one write of a question, like open_question",
    "write mission.services.runs.merging.step_guard.build_again": "one write that makes a candidate wait again",
    "write mission.services.runs.merging.tip_following._stop": "one write of a question, like open_question",
}
SHARES = 48 if fault_cases.WHOLE else 1


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Matrix]:
    folder = tmp_path_factory.mktemp("runs")
    made = Matrix(folder, _sqlite_template, run_scenarios.SCENARIOS, run_scenarios.SETTINGS)
    yield made
    made.nursery.close()


def test_each_write_git_command_and_program_of_the_code_has_a_case():
    named = {point for points in REACHED.values() for point in points}

    assert points_in(*FOLDERS) - named == EXCUSED.keys()
    assert named <= points_in(*FOLDERS)


@pytest.mark.faults
@pytest.mark.parametrize("case", fault_cases.sample(first_times(REACHED), size=2), ids=str)
def test_a_kill_at_a_point_of_the_code_costs_time_and_nothing_else(matrix: Matrix, case: Case):
    matrix.fail_together([case])


@pytest.mark.faults
@pytest.mark.skipif(not fault_cases.WHOLE, reason="in 'make test-faults'")
@pytest.mark.parametrize("share", range(SHARES))
def test_a_kill_at_any_point_that_is_reached_costs_time_and_nothing_else(matrix: Matrix, share: int):
    matrix.fail_together(share_of(matrix.recorded(), share, of=SHARES), by_chance=True)


@pytest.mark.faults
@pytest.mark.skipif(not fault_cases.WHOLE, reason="in 'make test-faults'")
@pytest.mark.parametrize("case", first_times(REACHED)[::5], ids=str)
def test_a_kill_costs_nothing_on_postgresql_either(matrix: Matrix, postgres_shelf: Shelf, case: Case):
    with postgres_shelf.lent() as url:
        matrix.fail_together([case], database_url=url)
