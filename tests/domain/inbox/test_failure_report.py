"""Reports of failures: when two are the same, and what each reader gets."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.inbox.failure_report import CRITICAL, CRITICAL_TOOLS, QUIET, FailedCall, ReportedFailure
from tests.domain.samples import NOW


def failure(**fields):
    plain = {"incident": "log_1", "tool": "start_task", "cause": "start_task KeyError run:3"}
    return FailedCall(**{**plain, "error": {"code": "INTERNAL_ERROR", "message": "it broke"}, **fields})


def test_failures_of_one_cause_are_the_same_for_one_reader_only():
    one, again = failure(), failure(incident="log_2", agent_id="a_2")

    assert one.key("human") == again.key("human")
    assert one.key("human") != one.key("a_1")
    assert one.key("human") != failure(cause="other").key("human")


@pytest.mark.parametrize("tool", sorted(CRITICAL_TOOLS))
def test_the_failure_of_a_critical_tool_is_marked_and_kept_apart(tool):
    critical, plain = failure(tool=tool), failure()

    assert critical.critical
    assert critical.subject("ada").startswith(CRITICAL)
    assert not plain.subject("ada").startswith(CRITICAL)
    assert critical.key("human") != plain.key("human")


def test_a_subject_says_what_failed_for_whom():
    assert failure().subject("ada") == "start_task failed for ada: it broke"


def test_only_a_person_gets_the_trace():
    traced = failure(trace="Traceback\n  secret/path.py\n")

    assert traced.body(more=0, with_trace=True).endswith("secret/path.py")
    assert "secret/path.py" not in traced.body(more=0, with_trace=False)
    assert failure().body(more=0, with_trace=True) == failure().body(more=0, with_trace=False)


def test_a_body_names_the_incident_and_how_often_it_happened():
    once, thrice = failure().body(more=0, with_trace=False), failure().body(more=2, with_trace=False)

    assert all(word in once for word in ["start_task", "INTERNAL_ERROR", "it broke", "log_1"])
    assert len(once.splitlines()) == 3
    assert "2 more times" in thrice
    assert "1 more time " in failure().body(more=1, with_trace=False)


def test_a_failure_is_reported_again_after_the_quiet_time():
    told = ReportedFailure(key="k", told_at=NOW, times=3)

    assert told.is_recent(NOW + QUIET - timedelta(microseconds=1))
    assert not told.is_recent(NOW + QUIET)
