"""How the end of a process becomes the outcome of a check."""

from __future__ import annotations

import pytest

from mission.domain.checks.evidence import EvidenceState as S
from mission.domain.checks.evidence import Role
from mission.git.tree_identity import TreeDrift
from mission.services.checks.check_runner import CheckExit
from mission.services.checks.outcomes import MAX_FILES, MAX_LEFT_FILES, outcome_of


@pytest.mark.parametrize(
    ("end", "state", "words"),
    [
        (CheckExit(exit_code=0), S.PASSED, None),
        (CheckExit(exit_code=1), S.FAILED, None),
        (CheckExit(signal="SIGSEGV"), S.FAILED, "SIGSEGV"),
        (CheckExit(exit_code=126), S.ERROR, "not executable"),
        (CheckExit(exit_code=127), S.ERROR, "not found"),
        (CheckExit(timed_out=True), S.FAILED, "timed out"),
        (CheckExit(idle=True), S.FAILED, "no CPU"),
        (CheckExit(lost=True), S.LOST, "gone"),
        (CheckExit(stopped=True), S.LOST, "stopped"),
        (CheckExit(error="no space left"), S.ERROR, "no space left"),
        (CheckExit(exit_code=0, error="no space left"), S.ERROR, "no space left"),
        (CheckExit(), S.FAILED, None),
    ],
)
def test_each_end_has_one_outcome(end, state, words):
    outcome = outcome_of(end, drift=TreeDrift(), tests=None, role=Role.RESULT)

    assert outcome.state is state
    assert (words or "") in (outcome.reason or "")


@pytest.mark.parametrize("role", [Role.START, Role.RED])
@pytest.mark.parametrize("end", [CheckExit(signal="SIGKILL"), CheckExit(exit_code=137)])
def test_a_kill_on_the_tree_before_the_task_is_no_failure_that_excuses_or_proves_it(role, end):
    killed = outcome_of(end, drift=TreeDrift(), tests=None, role=role)
    crashed = outcome_of(CheckExit(signal="SIGSEGV"), drift=TreeDrift(), tests=None, role=role)
    result = outcome_of(end, drift=TreeDrift(), tests=None, role=Role.RESULT)

    assert (killed.state, crashed.state, result.state) == (S.LOST, S.FAILED, S.FAILED)


@pytest.mark.parametrize("code", [0, 1])
def test_whatever_the_command_says_a_changed_tree_voids_it(code):
    drift = TreeDrift(modified=["src/app.py"])

    outcome = outcome_of(CheckExit(exit_code=code), drift=drift, tests=None, role=Role.RESULT)

    assert (outcome.state, outcome.files) == (S.VOID, ["src/app.py"])


def test_a_tree_that_cannot_be_compared_is_never_passed():
    outcome = outcome_of(CheckExit(exit_code=0), drift="the repository is gone", tests=None, role=Role.RESULT)

    assert (outcome.state, outcome.reason) == (S.ERROR, "the repository is gone")


def test_an_untracked_file_voids_a_check_only_if_the_task_changed_it():
    drift = TreeDrift(modified=["old.log", "tracked.py"], untracked={"old.log": "id"})
    ours = TreeDrift(modified=["old.log"], untracked={"old.log": "id"})

    tracked = outcome_of(CheckExit(exit_code=0), drift=drift, tests=None, role=Role.RESULT)
    before = outcome_of(CheckExit(exit_code=0), drift=ours, tests=None, role=Role.RESULT)
    changed = outcome_of(CheckExit(exit_code=0), drift=ours, tests=None, role=Role.RESULT, changed={"old.log"})

    assert (tracked.state, tracked.files) == (S.VOID, ["tracked.py"])
    assert (before.state, before.left) == (S.PASSED, {"old.log": "id"})
    assert (changed.state, changed.left) == (S.VOID, {})


def test_a_start_tree_may_be_written_to():
    drift = TreeDrift(modified=["src/app.py"])

    assert outcome_of(CheckExit(exit_code=1), drift=drift, tests=None, role=Role.START).state is S.FAILED


def test_lists_of_files_are_bounded():
    drift = TreeDrift(
        modified=[f"m{number}" for number in range(MAX_FILES + 1)],
        left={f"l{number}": "id" for number in range(MAX_LEFT_FILES + 1)},
    )

    outcome = outcome_of(CheckExit(exit_code=0), drift=drift, tests=None, role=Role.RESULT)

    assert (len(outcome.files), len(outcome.left)) == (MAX_FILES, MAX_LEFT_FILES)
