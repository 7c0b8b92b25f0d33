"""When a person must look at a result."""

from __future__ import annotations

import pytest

from mission.domain.checks.review import REVIEW_LINES, ReviewFacts, review_reasons


@pytest.mark.parametrize("rule", [None, "none", "agent"])
def test_without_a_rule_for_people_nobody_must_look(rule):
    assert review_reasons(ReviewFacts(wanted=rule, flags=["it changed the tests"], asked=True)) == []


def test_a_person_looks_at_every_result_if_the_mission_says_so():
    assert review_reasons(ReviewFacts(wanted="person")) == ["A person reviews every result."]


def test_by_risk_a_plain_proved_result_passes():
    assert review_reasons(ReviewFacts(wanted="risk", lines=REVIEW_LINES)) == []


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (
            {"flags": ["the agent changed files that its work is judged by: a"]},
            "The agent changed files that its work is judged by: a.",
        ),
        ({"unexpected": ["notes.txt"]}, "outside the task's areas changed: notes.txt"),
        ({"proved": False}, "No required check"),
        ({"lines": REVIEW_LINES + 1}, "401 lines"),
        ({"asked": True}, "asked for a review"),
    ],
)
def test_each_risk_is_a_named_reason(facts, words):
    (reason,) = review_reasons(ReviewFacts(wanted="risk", **facts))

    assert words in reason
