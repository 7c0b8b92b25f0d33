"""The stage of a task in a run: every state of its rows has one, with a reason that a person understands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mission.domain.checks.evidence import ProofState
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.stage import Stage, StageFacts, stage_of
from mission.domain.tasks.states import TaskStatus

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def facts(status="pending", **more):
    return StageFacts(status=TaskStatus(status), now=NOW, **more)


def merged(proof):
    return facts("completed", candidate=candidate("merged"), proof_state=ProofState(proof))


def candidate(state, **more):
    given = {"id": "cd_1", "run_id": "run_1", "mission_id": "m_1", "task_id": "t_1", "report": {}}
    return Candidate(**given, created_at=NOW, updated_at=NOW, state=CandidateState(state), **more)


@pytest.mark.parametrize(
    ("given", "stage", "reason"),
    [
        (facts(), "waiting", "Waits for a free agent."),
        (facts(not_starting="The run is paused."), "waiting", "The run is paused."),
        (facts(waits_for=["a"], not_starting="The run is paused."), "waiting", "Waits for 'a'."),
        (facts(waits_for=["a", "b"]), "waiting", "Waits for 'a', 'b'."),
        (facts(waits_for=list("abcde")), "waiting", "Waits for 'a', 'b', 'c' and 2 more."),
        (facts("in_progress", client="codex"), "working", "codex is working on it."),
        (facts("in_progress", owner="a_1"), "working", "a_1 is working on it."),
        (facts("review", candidate=candidate("reported")), "checking", "Its result is being committed."),
        (facts("review", candidate=candidate("built")), "checking", "The merged tree is being checked."),
        (facts("review", candidate=candidate("queued"), before_it=1), "merging", "1 result will be merged first."),
        (facts("review", candidate=candidate("queued"), before_it=2), "merging", "2 results will be merged first."),
        (facts("review", candidate=candidate("checked")), "merging", "It is being merged."),
        (
            facts("review", candidate=candidate("queued"), merging_stopped="the tip is red"),
            "merging",
            "Merging is stopped: the tip is red",
        ),
        (facts("review", candidate=candidate("checked", review={})), "reviewing", "Waits for a person's review."),
        (
            facts("review", candidate=candidate("checked"), question="Look at it", in_review=True),
            "reviewing",
            "Look at it",
        ),
        (facts("review"), "reviewing", "Waits for a person's review."),
        (facts("in_progress", question="Which port?"), "asking", "Which port?"),
        (facts("in_progress", question="Which port?", client="codex"), "asking", "Which port?"),
        (facts("paused", hold="no key"), "asking", "no key"),
        (facts(candidate=candidate("failed", reason="lint failed")), "retrying", "Sent back: lint failed"),
        (facts(candidate=candidate("conflicted")), "retrying", "Sent back: it conflicts"),
        (
            facts(retry_at=NOW + timedelta(seconds=5), attempts=2),
            "retrying",
            "Attempt 2 of 3 ended without a report.",
        ),
        (facts(attempts=1, retry_at=NOW), "retrying", "The last agent ended without a report."),
        (facts("failed", error="no idea"), "failed", "no idea"),
        (facts("skipped"), "skipped", "It will not be done."),
        (merged("proved"), "merged", None),
        (merged("unproved"), "merged", "Merged without proof."),
        (merged("accepted"), "merged", "A person accepted it."),
        (facts("completed", proof_state=ProofState.PROVED), "merged", "It was done before this run."),
    ],
)
def test_a_stage_follows_from_the_rows(given, stage, reason):
    found = stage_of(given)

    assert (str(found.stage), found.reason) == (stage, reason)


@pytest.mark.parametrize("status", list(TaskStatus))
@pytest.mark.parametrize("state", [None, *CandidateState])
def test_every_combination_has_a_stage(status, state):
    found = stage_of(facts(status, candidate=candidate(state) if state is not None else None))

    assert found.stage in set(Stage)
