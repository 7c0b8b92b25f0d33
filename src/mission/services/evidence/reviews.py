"""Reviews of candidates: record what an agent submitted, with the verdict that counts."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.errors import InvalidState
from mission.domain.executions.execution import ExecutionKind
from mission.domain.ids import new_id
from mission.domain.reviews.review import Criterion, Finding, Review, ReviewVerdict, check_review, counted_verdict
from mission.store.transaction import Tx


def submit(
    tx: Tx,
    *,
    candidate_id: str,
    execution_id: str,
    given: ReviewVerdict,
    criteria: Sequence[Criterion] = (),
    findings: Sequence[Finding] = (),
) -> Review:
    """Store the review that an execution of kind review gives of a candidate, once.

    Raise InvalidState if the execution does not review, has ended, or has reviewed before, or if the candidate is not
    frozen or no longer wanted.
    """
    candidate, execution = tx.candidates.get(candidate_id), tx.executions.get(execution_id)
    acceptance = list(tx.tasks.get(candidate.task_id).acceptance or ())
    check_review(criteria, findings, acceptance=acceptance)
    if execution.kind is not ExecutionKind.REVIEW or not execution.is_live:
        raise InvalidState(f"execution {execution.id} is not reviewing anything now", current=str(execution.status))
    if execution.agent_id == candidate.agent_id:
        raise InvalidState(f"the author of candidate {candidate.id} cannot review it")
    if tx.reviews.of_execution(execution.id) is not None:
        raise InvalidState(f"execution {execution.id} has already submitted its review")
    if candidate.commit is None or not candidate.is_open:
        raise InvalidState(f"candidate {candidate.id} is {candidate.state} and cannot be reviewed")
    review = Review(
        id=new_id("review"),
        candidate_id=candidate.id,
        mission_id=candidate.mission_id,
        task_id=candidate.task_id,
        commit=candidate.commit,
        agent_id=execution.agent_id,
        execution_id=execution.id,
        given=given,
        verdict=counted_verdict(given, criteria, findings, acceptance=acceptance),
        criteria=[each.as_dict() for each in criteria],
        findings=[each.as_dict() for each in findings],
        created_at=tx.now,
    )
    tx.reviews.add(review)
    return review


def approves(tx: Tx, *, candidate_id: str) -> bool:
    """Return whether the newest review of a candidate approves exactly the commit that it has now."""
    candidate = tx.candidates.get(candidate_id)
    newest = next(iter(tx.reviews.of_candidate(candidate.id)), None)
    is_current = newest is not None and newest.commit == candidate.commit
    return is_current and newest is not None and newest.verdict is ReviewVerdict.APPROVE
