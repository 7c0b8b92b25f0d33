"""Rounds of checks: what is used again, what needs no program, and what is queued."""

from __future__ import annotations

import pytest

from mission.domain.checks.check import CheckKind
from mission.services.evidence.rounds import judge_globs
from tests.checked_tasks import checked as checked
from tests.checked_tasks import signals as signals


@pytest.mark.parametrize(
    ("kind", "globs", "paths", "state"),
    [
        (CheckKind.CHANGED, ["src/**"], ["src/a/b.py"], "passed"),
        (CheckKind.CHANGED, ["src/*"], ["src/a/b.py"], "failed"),
        (CheckKind.CHANGED, ["tests/**", "docs/*.md"], ["docs/a.md"], "passed"),
        (CheckKind.UNTOUCHED, ["tests/**"], ["src/a.py"], "passed"),
        (CheckKind.UNTOUCHED, ["tests/**"], ["src/a.py", "tests/deep/t.py"], "failed"),
        (CheckKind.UNTOUCHED, ["*.lock"], ["deep/x.lock"], "passed"),
    ],
)
def test_globs_are_judged_by_the_changed_files(kind, globs, paths, state):
    assert judge_globs(kind, globs, paths).state == state


def test_an_untouched_check_names_the_files_that_match_it():
    outcome = judge_globs(CheckKind.UNTOUCHED, ["t/*"], [f"t/{number:02}" for number in range(30)])

    assert outcome.reason == "30 changed files match t/*"
    assert list(outcome.files) == [f"t/{number:02}" for number in range(20)]


async def test_a_failed_glob_is_recorded_like_every_other_failure(checked):
    await checked.check({"name": "tests stay", "untouched": ["src/**"]})
    task = await checked.started()

    error = await checked.refused(task)

    assert error["code"] == "CHECKS_FAILED"
    (row,) = await checked.evidence(task)
    assert (row.state, row.id) == ("failed", error["details"]["checks"][0]["evidence_id"])
    assert [str(each.state) for each in await checked.rounds(task)] == ["failed"]
    assert "Checks failed: tests stay" in await checked.journal(task)
    assert (await checked.row(task)).proof_state == "failing"


async def test_a_failed_glob_counts_although_every_command_has_passed_before(checked, signals):
    await checked.check({"name": "unit", "run": signals.note("runs")}, {"name": "docs", "changed": ["docs/**"]})
    task = await checked.started()
    await checked.call("task_checks", {"task_id": task, "run": True})

    error = await checked.refused(task)

    assert [each["name"] for each in error["details"]["checks"]] == ["docs"]
    assert len(signals.notes("runs")) == 1
    assert len(await checked.evidence(task)) == 4
