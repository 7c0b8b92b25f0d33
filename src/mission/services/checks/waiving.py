"""Waivers: in a run an accepted result is merged, and the check it fails no longer counts for the rest of the run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mission.domain import events
from mission.domain.checks.evidence import EvidenceState, ProofState
from mission.domain.checks.proof import Proof
from mission.domain.checks.verdict import Verdict
from mission.domain.ids import new_id
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.decisions import choices
from mission.domain.runs.run import Run
from mission.domain.tasks.task import Task
from mission.domain.timestamps import format_time
from mission.services.checks import settling
from mission.services.inbox import items as inbox
from mission.services.tasks import candidates, completion
from mission.services.tasks.completion import Completed, TaskResult
from mission.store.transaction import Tx

BUILT_AGAIN = {"merge_commit": None, "merged_tree": None, "round_id": None, "tip_round_id": None, "reason": None}


def accept(tx: Tx, *, task: Task, run: Run, result: TaskResult, reason: str, by: str) -> Completed:
    """Waive the checks that the task's last result fails, and let that result be merged as accepted."""
    last = next((each for each in reversed(tx.candidates.of_task(task.id)) if each.run_id == run.id), None)
    _waive(tx, run, task, _failed(tx, last) if last is not None else [], reason=reason, by=by)
    for round in tx.rounds.open_of_task(task.id):
        settling.withdraw(tx, round, reason=f"accepted by {by}")
    for key in (choices.task_key, choices.circles_key, choices.checks_key):
        inbox.withdraw(tx, dedupe_key=f"run {run.id} {key(task.id)}", reason=f"accepted by {by}")
    proof = Proof(state=ProofState.ACCEPTED, reason=reason, by=by).as_dict()
    review = {**((last.review if last is not None else None) or {}), "verdict": "approve", "by": by, "words": reason}
    candidates.hold(tx, task, by=task.owner_id)
    accepted = _accepted(tx, run, task, last, result, {"proof": proof, "review": review})
    return completion.in_queue(tx, tx.tasks.get(task.id), accepted)


def _accepted(
    tx: Tx, run: Run, task: Task, last: Candidate | None, result: TaskResult, verdict: dict[str, Any]
) -> Candidate:
    """Return the candidate that is merged: the open one, one that was sent back, or what the worktree contains now."""
    if last is not None and last.is_open:
        if last.state is CandidateState.CHECKED:
            proof = {**(last.proof or {}), **{name: verdict["proof"][name] for name in ("state", "reason", "by")}}
            return candidates.save(tx, last, proof=proof, review=verdict["review"], reason=None)
        state = CandidateState.QUEUED if last.commit is not None else CandidateState.REPORTED
        return candidates.save(tx, last, state=state, **BUILT_AGAIN, **verdict)
    is_frozen = last is not None and last.commit is not None
    candidate = Candidate(
        id=new_id("candidate"),
        run_id=run.id,
        mission_id=task.mission_id,
        task_id=task.id,
        state=CandidateState.QUEUED if is_frozen else CandidateState.REPORTED,
        execution_id=last.execution_id if last is not None else None,
        agent_id=last.agent_id if last is not None else task.owner_id,
        fence=task.fence,
        report=dict(last.report) if last is not None else result.as_dict(),
        commit=last.commit if last is not None else None,
        tree=last.tree if last is not None else None,
        created_at=tx.now,
        updated_at=tx.now,
        **verdict,
    )
    return candidates.add(tx, candidate)


def _waive(tx: Tx, run: Run, task: Task, names: list[str], *, reason: str, by: str) -> None:
    """Record the waivers. Merging that had stopped because of a failing tip continues."""
    known = {str(each["check"]) for each in run.waivers}
    new = [
        {"task_id": task.id, "check": name, "reason": reason, "by": by, "at": format_time(tx.now)}
        for name in names
        if name not in known
    ]
    waived = replace(run, waivers=[*run.waivers, *new], merging_stopped=None, updated_at=tx.now)
    tx.runs.save(waived)
    tx.emit(events.RunUpdated(run=waived))


def _failed(tx: Tx, candidate: Candidate) -> list[str]:
    """Return the required checks that the candidate's merged tree did not pass."""
    round = tx.rounds.find(candidate.round_id) if candidate.round_id is not None else None
    if round is None or round.verdict is None:
        return []
    results = Verdict.from_dict(round.verdict).results
    return [each.name for each in results if each.required and each.state is not EvidenceState.PASSED]
