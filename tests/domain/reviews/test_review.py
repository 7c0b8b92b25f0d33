"""Reviews of candidates: what a verdict counts as, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.reviews.review import (
    Criterion,
    Finding,
    Met,
    Review,
    ReviewVerdict,
    Severity,
    check_review,
    counted_verdict,
)

MET, UNMET, UNKNOWN = (Criterion(text=f"It is {met}", met=met) for met in (Met.YES, Met.NO, Met.UNKNOWN))
BLOCKER, SERIOUS, SMALL = (Finding(severity=severity, text="Look") for severity in Severity)


@pytest.mark.parametrize(
    ("criteria", "findings", "counts"),
    [
        ([], [], "approve"),
        ([MET], [SERIOUS, SMALL], "approve"),
        ([MET, UNMET], [], "changes"),
        ([MET], [SMALL, BLOCKER], "changes"),
        ([UNMET, UNKNOWN], [], "changes"),
        ([MET, UNKNOWN], [], "unsure"),
    ],
)
def test_approving_counts_only_if_the_reviewers_own_words_agree(criteria, findings, counts):
    assert counted_verdict(ReviewVerdict.APPROVE, criteria, findings) == counts


def test_a_criterion_that_the_reviewer_left_out_is_not_approved():
    asked = [MET.text, "It is fast"]

    assert counted_verdict(ReviewVerdict.APPROVE, [MET], [], acceptance=asked) == "unsure"
    assert counted_verdict(ReviewVerdict.APPROVE, [MET], [], acceptance=asked[:1]) == "approve"


@given(
    verdict=st.sampled_from(ReviewVerdict),
    criteria=st.lists(st.sampled_from([MET, UNMET, UNKNOWN]), max_size=4),
    findings=st.lists(st.sampled_from([BLOCKER, SERIOUS, SMALL]), max_size=4),
)
def test_nothing_is_approved_with_an_unmet_criterion_or_a_blocker(verdict, criteria, findings):
    counts = counted_verdict(verdict, criteria, findings)

    if verdict is not ReviewVerdict.APPROVE:
        assert counts is verdict
    if counts is ReviewVerdict.APPROVE:
        assert all(each.met is Met.YES for each in criteria)
        assert all(each.severity is not Severity.BLOCKER for each in findings)


@pytest.mark.parametrize(
    ("criteria", "findings", "field"),
    [
        ([Criterion(text="Something else", met=Met.YES)], [], "criteria[0].text"),
        ([Criterion(text=" ", met=Met.YES)], [], "criteria[0].text"),
        ([Criterion(text=MET.text, met=Met.YES, evidence="x\0")], [], "criteria[0].evidence"),
        ([MET] * 101, [], "criteria"),
        ([], [SMALL] * 201, "findings"),
        ([], [SMALL, Finding(severity=Severity.SMALL, text="")], "findings[1].text"),
        ([], [Finding(severity=Severity.SMALL, text="x" * 4_001)], "findings[0].text"),
        ([], [Finding(severity=Severity.SMALL, text="x", file="a\0b")], "findings[0].file"),
        ([], [Finding(severity=Severity.SMALL, text="x", file="a", line=0)], "findings[0].line"),
        ([], [Finding(severity=Severity.SMALL, text="x", line=3)], "findings[0].line"),
    ],
)
def test_a_wrong_part_is_refused_with_its_field(criteria, findings, field):
    with pytest.raises(InvalidInput) as raised:
        check_review(criteria, findings, acceptance=[MET.text])

    assert (raised.value.details["field"], bool(raised.value.hint)) == (field, True)


def test_a_whole_review_is_taken_and_recorded_with_both_verdicts():
    findings = [Finding(severity=Severity.BLOCKER, text="It loses data", file="src/app.py", line=3)]
    check_review([MET], findings, acceptance=[MET.text])
    review = Review(
        id="rv_1",
        candidate_id="cd_1",
        mission_id="m_1",
        task_id="t_1",
        commit="c" * 40,
        given=ReviewVerdict.APPROVE,
        verdict=counted_verdict(ReviewVerdict.APPROVE, [MET], findings),
        criteria=[MET.as_dict()],
        findings=[each.as_dict() for each in findings],
        created_at=datetime(2026, 1, 15, tzinfo=UTC),
    )

    record = review.record()

    assert (record["given"], record["verdict"], record["agent_id"]) == ("approve", "changes", None)
    assert record["findings"] == [{"severity": "blocker", "text": "It loses data", "file": "src/app.py", "line": 3}]
