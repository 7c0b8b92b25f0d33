"""Send a candidate back: its author gets the task with what failed, or the next agent does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain.agents.agent import Presence
from mission.domain.checks import failures
from mission.domain.checks.evidence import EvidenceState, ProofState, Role
from mission.domain.checks.round import CheckRound, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import SendBack, StopMerging
from mission.domain.tasks import moves
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.checks import settling
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.merging.step_guard import current, current_run, end_rounds, save_run
from mission.services.tasks import candidates, journal, updates
from mission.store.transaction import Tx

MAX_REASON = 8_000
TOGETHER = "Each side passed alone: your result, and the integration branch without it. Together they fail:"
TIP_PASSED = (
    "The integration branch passes without your result. Merged with it, these checks fail, because of your result or "
    "because the two do not fit together:"
)
OWN_PASSED = "Your result passed alone. Merged with the work of others, these checks fail:"
MANY = 1_000
SENDABLE = (CandidateState.REPORTED, CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED)


async def send_back(context: RunContext, run: Run, step: SendBack) -> None:
    """Return a candidate to its author with the checks that failed."""
    await context.work.write(
        fail,
        run=run,
        candidate_id=step.candidate_id,
        round_id=step.round_id,
        together=step.failed_only_merged,
        lease=context.liveness.lease,
    )


async def stop_merging(context: RunContext, run: Run, step: StopMerging) -> None:
    """Record why nothing is merged now."""
    await context.work.write(_stop, run=run, reason=step.reason)


def _stop(tx: Tx, *, run: Run, reason: str) -> None:
    now = current_run(tx, run)
    if now is not None and now.merging_stopped != reason:
        save_run(tx, replace(now, merging_stopped=reason))


def fail(
    tx: Tx, *, run: Run, candidate_id: str, round_id: str | None, together: bool = False, lease: timedelta
) -> None:
    """Send a candidate back because of a round of checks."""
    candidate = current(tx, run, candidate_id, *SENDABLE)
    round = tx.rounds.find(round_id or (candidate.round_id if candidate is not None else None) or "")
    if candidate is None:
        return
    if round is None or round.verdict is None:
        give_back(tx, candidate, reason=(round.reason if round else None) or "its checks did not pass", lease=lease)
        return
    verdict, rows = Verdict.from_dict(round.verdict), tx.evidence.of_round(round.id)
    error = failures.error_of(verdict, rows, task_id=candidate.task_id, tree=round.tree)
    words = failures.as_text(error) if verdict.state is RoundState.FAILED else error.message
    proof = settling.proof_of(tx, round, verdict, rows).as_dict()
    give_back(
        tx,
        replace(candidate, round_id=round.id, proof=proof),
        reason="\n\n".join(filter(None, (_which_passed(tx, candidate, verdict) if together else None, words))),
        lease=lease,
        summary=f"Checks failed on the merged tree: {', '.join(_failed(verdict))}",
        detail={"candidate_id": candidate.id, "round_id": round.id, **error.details},
    )


def _which_passed(tx: Tx, candidate: Candidate, verdict: Verdict) -> str | None:
    """Return which side is known to pass the failed checks alone."""
    failed = set(_failed(verdict))
    own = {
        each.name
        for each in tx.evidence.of_task(candidate.task_id, limit=MANY)
        if each.tree == candidate.tree and each.role is Role.RESULT and each.state is EvidenceState.PASSED
    }
    asked = tx.rounds.find(candidate.tip_round_id) if candidate.tip_round_id is not None else None
    results = Verdict.from_dict(asked.verdict).results if asked is not None and asked.verdict is not None else ()
    on_tip = {each.name for each in results if each.state is EvidenceState.PASSED}
    words = {(True, True): TOGETHER, (False, True): TIP_PASSED, (True, False): OWN_PASSED}
    return words.get((failed <= own, failed <= on_tip))


def give_back(
    tx: Tx,
    candidate: Candidate,
    *,
    reason: str,
    lease: timedelta,
    state: CandidateState = CandidateState.FAILED,
    summary: str | None = None,
    detail: Mapping[str, Any] | None = None,
    findings: Sequence[Mapping[str, Any]] | None = None,
) -> Candidate:
    """End a candidate that cannot be merged, and return its task: to its live owner, else to any agent."""
    end_rounds(tx, candidate, reason="the candidate was sent back")
    found = candidate.findings if findings is None else findings
    ended = candidates.save(tx, candidate, state=state, reason=reason[:MAX_REASON], findings=list(found))
    note = summary or f"The result was sent back: {reason}"
    journal.note(tx, task_id=candidate.task_id, summary=note, detail=detail or {"candidate_id": candidate.id})
    inbox.withdraw(tx, reason="the result was sent back", dedupe_key=asking_key(candidate))
    task = tx.tasks.get(candidate.task_id)
    if task.status is TaskStatus.REVIEW:
        _return(tx, task, ended, lease=lease)
    return ended


def asking_key(candidate: Candidate) -> str:
    """Return the key of the item that asks whether something may be committed."""
    return f"run {candidate.run_id} secrets:{candidate.id}"


def _return(tx: Tx, task: Task, candidate: Candidate, *, lease: timedelta) -> None:
    tx.patches.put(task.id, None)
    failing = candidate.proof is not None and candidate.proof.get("state") == ProofState.FAILING
    move = moves.checked(
        task,
        at=tx.now,
        lease_until=tx.now + lease,
        proof_state=ProofState.FAILING if failing else task.proof_without_checks,
        proof=candidate.proof if failing else task.proof,
    )
    if not _has_live_owner(tx, task):
        move = replace(move, after=moves.released(move.after, at=tx.now).after)
    updates.apply(tx, move)


def _has_live_owner(tx: Tx, task: Task) -> bool:
    if task.owner_id is None:
        return False
    execution = tx.executions.newest_of_agent(task.owner_id)
    if execution is not None:
        return execution.is_live
    return tx.agents.get(task.owner_id).presence(now=tx.now, silence=tx.silence) is not Presence.OFFLINE


def _failed(verdict: Verdict) -> list[str]:
    return [each.name for each in verdict.results if each.required and each.state != "passed"]


def failed_round(tx: Tx, candidate: Candidate) -> CheckRound | None:
    """Return the round because of which a candidate was sent back, if it was one."""
    round = tx.rounds.find(candidate.round_id) if candidate.round_id is not None else None
    return round if round is not None and round.state is RoundState.FAILED else None
