"""A merged tree that passed: record what it proves, and ask a person first if a review is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.proof import NO_CHECKS, Proof, unproved
from mission.domain.checks.review import ReviewFacts, review_reasons
from mission.domain.checks.round import CheckRound, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.inbox.item import InboxItem, ItemKind, is_approval
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import MarkChecked
from mission.domain.tasks import moves
from mission.domain.tasks.changes import Changes, verify_scope
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.task import Task
from mission.services.checks import settling
from mission.services.inbox import task_requests
from mission.services.runs.context import RunContext
from mission.services.runs.merging import freezing
from mission.services.runs.merging.returning import asking_key, give_back
from mission.services.runs.merging.step_guard import all_current, current_run
from mission.services.tasks import candidates, updates
from mission.store.transaction import Tx

APPROVE, CHANGES = "approve", "changes"
RESUME_WITHIN = timedelta(minutes=5)
"""How long a task that a person sent back waits for its agent before others may claim it."""
UNCHANGED = "the agent changed nothing"


async def mark_checked(context: RunContext, run: Run, step: MarkChecked) -> None:
    """Record that the merged tree passed; a review that is wanted comes before the merge."""
    await context.work.write(passed, run=run, ids=list(step.candidate_ids), round_id=step.round_id)


def passed(tx: Tx, *, run: Run, ids: Sequence[str], round_id: str | None) -> None:
    """Mark candidates as checked, by a round that passed on exactly the last merged tree. Idempotent."""
    found, now = all_current(tx, run, ids, CandidateState.BUILT, CandidateState.CHECKED), current_run(tx, run)
    if not found or now is None:
        return
    round = tx.rounds.find(round_id) if round_id is not None else None
    if round_id is not None and not _proves(round, found[-1]):
        return
    marked = [replace(each, round_id=round_id) for each in found]
    proofs = [_proof(tx, each, round) for each in marked]
    if round is None and not all(now.unproved_allowed or each.state is ProofState.ACCEPTED for each in proofs):
        return
    for each, proof in zip(marked, proofs, strict=True):
        if each.state is CandidateState.BUILT:
            _mark(tx, now, each, proof)
        elif each != tx.candidates.get(each.id):
            candidates.save(tx, each)


def answered(tx: Tx, item: InboxItem) -> bool:
    """Record a person's answer about a candidate; return False if the item is not about one that waits for it."""
    candidate = tx.candidates.open_of_task(item.task_id) if item.task_id is not None else None
    if candidate is None:
        return False
    if item.kind is ItemKind.RUN and item.once == asking_key(candidate):
        freezing.answered(tx, item, candidate, lease=RESUME_WITHIN)
        return True
    if not is_about(item, candidate):
        return False
    verdict = APPROVE if is_approval(item.chosen) else CHANGES
    decided = {**(candidate.review or {}), "verdict": verdict, "by": item.closed_by, "words": item.answer_text}
    reviewed = candidates.save(tx, candidate, review=decided)
    if verdict == CHANGES:
        give_back(tx, reviewed, reason=f"The review found something missing: {item.answer_text}", lease=RESUME_WITHIN)
    else:
        candidates_hold(tx, reviewed)
    return True


def is_about(item: InboxItem, candidate: Candidate) -> bool:
    """Return whether the item is the review that the candidate waits for."""
    return item.kind is ItemKind.REVIEW and (candidate.review or {}).get("item_id") == item.id


def candidates_hold(tx: Tx, candidate: Candidate) -> None:
    """Hold an approved task until it is merged."""
    task = tx.tasks.get(candidate.task_id)
    candidates.hold(tx, task, by=candidate.agent_id)


def _proves(round: CheckRound | None, last: Candidate) -> bool:
    """Return whether the round is evidence for exactly this merged tree."""
    return round is not None and round.state is RoundState.PASSED and round.tree == last.merged_tree


def _proof(tx: Tx, candidate: Candidate, round: CheckRound | None) -> Proof:
    accepted = candidate.proof if (candidate.proof or {}).get("state") == ProofState.ACCEPTED else None
    if round is None or round.verdict is None:
        proof = unproved(NO_CHECKS)
    else:
        verdict = Verdict.from_dict(round.verdict)
        own = replace(round, changes=candidate.changes)
        proof = settling.proof_of(tx, own, verdict, tx.evidence.of_round(round.id))
        if not Changes.from_dict(candidate.changes or EMPTY).paths:
            # Unlike outside runs, it was checked like any other; whether nothing was enough is a person's question.
            state = ProofState.PROVED if verdict.proves else ProofState.UNPROVED
            reason = None if verdict.proves else NO_CHECKS
            proof = replace(proof, state=state, reason=reason, flags=[UNCHANGED, *proof.flags])
    if accepted is not None:
        return replace(proof, state=ProofState.ACCEPTED, reason=accepted["reason"], by=accepted["by"])
    return proof


EMPTY = Changes().as_dict()


def _mark(tx: Tx, run: Run, candidate: Candidate, proof: Proof) -> None:
    task = tx.tasks.get(candidate.task_id)
    reasons = [] if proof.state is ProofState.ACCEPTED else _review_reasons(tx, run, task, candidate, proof)
    review = candidate.review
    if reasons and review is None:
        words = "\n\n".join([str((candidate.report.get("outcome") or {}).get("summary") or ""), *reasons])
        item = task_requests.verdict(
            tx, task, words=words, agent_id=candidate.agent_id, execution_id=candidate.execution_id
        )
        review = {"item_id": item.id, "verdict": None}
        waiting = replace(task, hold=None, proof=proof.as_dict(), proof_state=None, updated_at=tx.now)
        updates.apply(tx, moves.TaskMove(before=task, after=waiting, cause=Cause.SUBMITTED))
    waits = review is not None and review.get("verdict") is None
    candidates.save(
        tx,
        candidate,
        state=CandidateState.CHECKED,
        proof=proof.as_dict(),
        review=review,
        reason="waiting for a review" if waits else None,
    )


def _review_reasons(tx: Tx, run: Run, task: Task, candidate: Candidate, proof: Proof) -> list[str]:
    """Return why a person must look at it. What nothing proves is merged only if a person said so."""
    mission = tx.missions.get(task.mission_id)
    allowed = run.unproved_allowed or bool(run.waivers)
    is_proved = proof.state is ProofState.PROVED
    patch = tx.patches.get(task.id)
    facts = ReviewFacts(
        wanted=task.review or mission.review or run.wanted.review,
        unexpected=verify_scope(_changes(candidate), list(task.areas)).unexpected_files,
        flags=proof.flags,
        proved=is_proved or allowed,
        lines=settling.reviewed_lines(patch) if patch is not None else 0,
        asked=bool((candidate.report.get("outcome") or {}).get("manual_review_needed")),
    )
    reasons = review_reasons(facts)
    if not is_proved and not allowed and not reasons:
        return ["No required check covers the result."]
    return reasons


def _changes(candidate: Candidate) -> Changes | None:
    return Changes.from_dict(candidate.changes) if candidate.changes is not None else None
