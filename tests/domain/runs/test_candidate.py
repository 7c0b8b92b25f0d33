"""A candidate: what it says about itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mission.domain.runs.candidate import OPEN, Candidate, CandidateState

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CANDIDATE = Candidate(
    id="cd_0000000000",
    run_id="run_0000000000",
    mission_id="m_0000000000",
    task_id="t_0000000000",
    report={},
    created_at=NOW,
    updated_at=NOW,
)


def test_only_a_candidate_that_may_be_merged_is_open():
    assert {state for state in CandidateState if replace(CANDIDATE, state=state).is_open} == set(OPEN)


def test_a_merged_tree_that_is_its_own_tree_has_nobody_elses_work():
    assert not CANDIDATE.is_merged_as_it_is
    assert replace(CANDIDATE, tree="a", merged_tree="a").is_merged_as_it_is
    assert not replace(CANDIDATE, tree="a", merged_tree="b").is_merged_as_it_is


def test_it_waits_for_a_review_until_there_is_a_verdict():
    assert not CANDIDATE.waits_for_review
    assert replace(CANDIDATE, review={"item_id": "q_1", "verdict": None}).waits_for_review
    assert not replace(CANDIDATE, review={"item_id": "q_1", "verdict": "approve"}).waits_for_review


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"state": CandidateState.CONFLICTED, "findings": [{"kind": "conflict", "path": "a.py"}], "reason": "long"},
            "it conflicts with earlier work in a.py",
        ),
        (
            {
                "proof": {"checks": [{"name": "lint", "state": "failed"}, {"name": "unit", "state": "passed"}]},
                "reason": "long",
            },
            "'lint' failed on the merged tree",
        ),
        ({"reason": "the review says no"}, "the review says no"),
        ({}, "its checks failed"),
    ],
)
def test_a_person_reads_in_a_few_words_why_it_was_sent_back(values, words):
    assert replace(CANDIDATE, **{"state": CandidateState.FAILED, **values}).why_sent_back == words


def test_its_record_names_its_state_and_commits():
    record = replace(CANDIDATE, state=CandidateState.MERGED, commit="c", merge_commit="m").record()

    assert (record["candidate_id"], record["state"], record["commit"], record["merge_commit"]) == (
        CANDIDATE.id,
        "merged",
        "c",
        "m",
    )
