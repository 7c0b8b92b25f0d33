"""Evidence: one try of one check, from queued to its outcome."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.checks.evidence import EvidenceState, Outcome
from mission.domain.checks.junit import TestCounts
from tests.domain.checks.rounds import NOW, a_row, defined

CHECK = defined("make test")


def test_an_outcome_is_taken_over_with_its_counts_and_output():
    row = a_row(CHECK, EvidenceState.QUEUED).started(at=NOW)

    ended = row.ended(
        Outcome(
            state=EvidenceState.FAILED,
            exit_code=1,
            seconds=2.5,
            output="boom",
            tests=TestCounts(run=3, failed=1, skipped=0),
            left={"junit.xml": "abc"},
        ),
        at=NOW + timedelta(seconds=3),
    )

    assert ended.is_finished
    assert ended.tests == TestCounts(run=3, failed=1, skipped=0)
    assert (ended.output, ended.left_files, ended.started_at) == ("boom", {"junit.xml": "abc"}, NOW)
    assert ended.record()["tests"] == {"run": 3, "failed": 1, "skipped": 0}


def test_only_a_passed_check_is_marked_flaky():
    row = a_row(CHECK, EvidenceState.RUNNING)

    assert row.ended(Outcome(state=EvidenceState.PASSED), at=NOW, flaky=True).flaky
    assert not row.ended(Outcome(state=EvidenceState.FAILED), at=NOW, flaky=True).flaky


def test_reused_evidence_names_the_original():
    first = a_row(CHECK, EvidenceState.PASSED, seconds=9.0, output="ok")
    second = a_row(CHECK, EvidenceState.QUEUED).reusing(first, at=NOW)
    third = a_row(CHECK, EvidenceState.QUEUED).reusing(second, at=NOW)

    assert (second.state, second.seconds, second.reused_from) == (EvidenceState.PASSED, 9.0, first.id)
    assert third.reused_from == first.id
