"""Reviews of candidates as they are recorded: once for each reviewer, and only for what is still wanted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.executions.execution import ExecutionKind, ExecutionStatus
from mission.domain.reviews.review import Criterion, Finding, Met, ReviewVerdict, Severity
from mission.domain.runs.candidate import CandidateState
from mission.services.evidence import reviews
from tests.store.rows import at
from tests.store.runs.samples import candidate_of, run_of

SORTED = Criterion(text="It is sorted", met=Met.YES, evidence="ev_1")


@pytest.fixture
def candidate(tx, rows):
    task = rows.task(rows.mission("m"), "a", acceptance=["It is sorted"])
    run = run_of(task.mission_id)
    tx.runs.add(run)
    made = candidate_of(
        run, task.id, created_at=at(0), commit="c" * 40, agent_id=rows.agent("author").id, state=CandidateState.CHECKED
    )
    tx.candidates.add(made)
    return made


@pytest.fixture
def reviewer(tx, rows, candidate):
    """Start an execution that reviews the candidate."""

    def start(**fields):
        task = tx.tasks.get(candidate.task_id)
        agent = fields.pop("agent_id", None) or rows.agent("reviewer").id
        known = {"kind": ExecutionKind.REVIEW, "status": ExecutionStatus.RUNNING, "agent_id": agent}
        return rows.execution(task, **{**known, **fields}).id

    return start


def test_a_review_covers_the_commit_of_its_candidate_and_no_other(tx, candidate, reviewer):
    given = {"criteria": [SORTED], "given": ReviewVerdict.APPROVE}
    made = reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(), **given)

    assert (made.id[:3], made.commit, made.verdict) == ("rv_", candidate.commit, "approve")
    assert tx.reviews.of_candidate(candidate.id) == tx.reviews.of_task(candidate.task_id) == [made]
    assert reviews.approves(tx, candidate_id=candidate.id)
    tx.candidates.save(replace(candidate, commit="d" * 40))
    assert not reviews.approves(tx, candidate_id=candidate.id)


def test_an_approval_with_a_blocker_is_kept_and_counts_as_changes(tx, candidate, reviewer):
    finding = Finding(severity=Severity.BLOCKER, text="It loses data", file="src/app.py", line=3)
    given = {"criteria": [SORTED], "findings": [finding], "given": ReviewVerdict.APPROVE}

    reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(), **given)

    [stored] = tx.reviews.of_candidate(candidate.id)
    assert (stored.given, stored.verdict, stored.findings) == ("approve", "changes", [finding.as_dict()])
    assert not reviews.approves(tx, candidate_id=candidate.id)


def test_the_newest_review_counts(tx, candidate, reviewer):
    given = {"criteria": [SORTED]}
    first = reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(), given=ReviewVerdict.APPROVE, **given)
    tx.now += timedelta(minutes=1)
    second = reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(), given=ReviewVerdict.UNSURE, **given)

    assert tx.reviews.of_candidate(candidate.id) == [second, first]
    assert not reviews.approves(tx, candidate_id=candidate.id)


def test_a_candidate_without_a_review_is_not_approved(tx, candidate):
    assert not reviews.approves(tx, candidate_id=candidate.id)


def test_a_reviewer_submits_once(tx, candidate, reviewer):
    given = {"candidate_id": candidate.id, "execution_id": reviewer(), "given": ReviewVerdict.UNSURE}
    reviews.submit(tx, **given)

    with pytest.raises(InvalidState, match="already"):
        reviews.submit(tx, **given)


@pytest.mark.parametrize(
    "fields", [{"kind": ExecutionKind.WORK}, {"status": ExecutionStatus.COMPLETED}], ids=["it works", "it has ended"]
)
def test_only_an_execution_that_reviews_now_may_submit(tx, candidate, reviewer, fields):
    with pytest.raises(InvalidState, match="is not reviewing"):
        reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(**fields), given=ReviewVerdict.APPROVE)


def test_the_author_does_not_review_its_own_work(tx, candidate, reviewer):
    own = reviewer(agent_id=candidate.agent_id)

    with pytest.raises(InvalidState, match="the author"):
        reviews.submit(tx, candidate_id=candidate.id, execution_id=own, given=ReviewVerdict.APPROVE)


@pytest.mark.parametrize("fields", [{"state": CandidateState.WITHDRAWN}, {"commit": None}], ids=["gone", "not frozen"])
def test_only_a_frozen_candidate_that_is_still_wanted_is_reviewed(tx, candidate, reviewer, fields):
    tx.candidates.save(replace(candidate, **fields))

    with pytest.raises(InvalidState, match="cannot be reviewed"):
        reviews.submit(tx, candidate_id=candidate.id, execution_id=reviewer(), given=ReviewVerdict.APPROVE)


def test_a_criterion_that_the_task_does_not_have_is_refused(tx, candidate, reviewer):
    other = Criterion(text="It is fast", met=Met.YES)

    with pytest.raises(InvalidInput, match="not an acceptance criterion"):
        reviews.submit(
            tx, candidate_id=candidate.id, execution_id=reviewer(), given=ReviewVerdict.APPROVE, criteria=[other]
        )
