"""What a finished round means for its task: complete it, give it back with the failure, or ask a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain import events
from mission.domain.checks import changed_tests, failures
from mission.domain.checks.evidence import Evidence, EvidenceState, ProofState, Role
from mission.domain.checks.file_patterns.judging_files import is_reviewed
from mission.domain.checks.proof import FAILED_BEFORE, NO_CHECKS, NOTHING_CHANGED, Proof
from mission.domain.checks.review import ReviewFacts, review_reasons
from mission.domain.checks.round import OF_TASK, CheckRound, Purpose, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.executions.command import CommandKind, NextLaunch
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.inbox.item import ItemKind
from mission.domain.runs.run import RunState
from mission.domain.tasks import moves
from mission.domain.tasks.changes import Changes, verify_scope
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.moves import Cause
from mission.domain.tasks.patch import Patch
from mission.domain.tasks.states import OPEN
from mission.domain.tasks.task import Task
from mission.services.evidence import rounds
from mission.services.executions import commands
from mission.services.inbox import items as inbox
from mission.services.inbox import task_requests
from mission.services.tasks import candidates, completion, journal, updates
from mission.services.tasks.completion import PreparedCompletion, TaskResult
from mission.store.transaction import Tx

MAX_RESTARTS = 3
"""How often an agent that has ended is restarted with its failed checks before a person is asked."""


def is_withdrawn(tx: Tx, round: CheckRound) -> bool:
    """Return whether the round no longer decides anything: its task changed, was claimed or ended in another way."""
    if round.purpose not in OF_TASK:
        return _is_withdrawn_from_run(tx, round)
    task = tx.tasks.find(round.task_id or "")
    if task is None:
        return True
    if round.purpose is Purpose.ADVICE:
        return task.status not in OPEN or task.tree != round.path
    return not task.is_checking or task.fence != round.fence


def _is_withdrawn_from_run(tx: Tx, round: CheckRound) -> bool:
    """Return whether the run of a round has ended, or its candidate is no longer wanted.

    The whole result of a finished run is checked again if the target moved before it landed.
    """
    run = tx.runs.find(round.run_id or "")
    candidate = tx.candidates.find(round.candidate_id) if round.candidate_id is not None else None
    if run is not None and run.state is RunState.FINISHED and round.purpose is Purpose.FINAL:
        return False
    return run is None or not run.is_live or (candidate is not None and not candidate.is_open)


def withdraw(tx: Tx, round: CheckRound, *, reason: str) -> None:
    """End a round without an outcome."""
    _end(tx, round, RoundState.WITHDRAWN, verdict=None, reason=reason)


def settle(tx: Tx, round: CheckRound, verdict: Verdict, evidence: Sequence[Evidence], *, lease: timedelta) -> None:
    """Apply the verdict to the round and its task."""
    round = _end(tx, round, verdict.state, verdict=verdict, reason=None)
    if round.purpose is not Purpose.GATE:
        return
    task = tx.tasks.get(round.task_id or "")
    proof = proof_of(tx, round, verdict, evidence)
    if verdict.state is RoundState.PASSED:
        _pass(tx, round, task, proof)
    elif verdict.state is RoundState.FAILED:
        _fail(tx, round, task, verdict, evidence, proof=proof, lease=lease)
    else:
        _give_back(tx, round, task, verdict, evidence, lease=lease)


def settle_broken(tx: Tx, round: CheckRound, *, reason: str, lease: timedelta) -> None:
    """End a round whose tree cannot be read."""
    verdict = Verdict(state=RoundState.ERROR, proves=False, results=[])
    round = _end(tx, round, RoundState.ERROR, verdict=verdict, reason=reason)
    if round.purpose is Purpose.GATE and not is_withdrawn(tx, round):
        task = tx.tasks.get(round.task_id or "")
        journal.note(tx, task_id=task.id, summary=f"The tree could not be checked: {reason}")
        _ask_about_error(tx, round, task, subject=f"The tree cannot be checked: {reason}")
        _return_to_owner(tx, round, task, proof_state=task.proof_without_checks, proof=task.proof, lease=lease)


def wait_for_approval(tx: Tx, round: CheckRound, names: Sequence[str]) -> None:
    """Record on the task that its checks are waiting for a person."""
    reason = f"waiting for a person to approve {', '.join(names)}"
    task = tx.tasks.find(round.task_id or "")
    if round.purpose is Purpose.GATE and task is not None and task.hold is not None and task.hold.reason != reason:
        updates.apply(tx, moves.checking(task, Hold(HoldKind.CHECKS, reason, task.hold.by), at=tx.now))


def proof_of(tx: Tx, round: CheckRound, verdict: Verdict, evidence: Sequence[Evidence]) -> Proof:
    """Return the proof that the round gives for its tree, with reasons to look at the result."""
    passed, proves = verdict.state is RoundState.PASSED, verdict.proves and not _is_unchanged(round)
    state = ProofState.PROVED if proves else ProofState.UNPROVED if passed else ProofState.FAILING
    reason = _why_unproved(round, verdict) if state is ProofState.UNPROVED else None
    return Proof(
        state=state,
        tree=round.tree,
        round_id=round.id,
        checks=[
            {
                "name": each.name,
                "state": str(each.state),
                "seconds": each.seconds,
                "evidence_id": each.evidence_id,
                "required": each.required,
                "failed_before": each.failed_before,
                "flaky": each.flaky,
            }
            for each in verdict.results
        ],
        flags=_flags(tx, round, evidence),
        reason=reason,
    )


def _is_unchanged(round: CheckRound) -> bool:
    """Return whether the task changed nothing: checks that pass then say nothing about its work."""
    return round.changes is not None and not Changes.from_dict(round.changes).paths


def _why_unproved(round: CheckRound, verdict: Verdict) -> str:
    if _is_unchanged(round):
        return NOTHING_CHANGED
    return FAILED_BEFORE if any(each.required for each in verdict.results) else NO_CHECKS


def _flags(tx: Tx, round: CheckRound, evidence: Sequence[Evidence]) -> list[str]:
    """Return reasons to look at a result: the task changed files that decide its checks."""
    changes = Changes.from_dict(round.changes) if round.changes is not None else Changes()
    files = changed_tests.find(
        [each.check for each in round.defined], modified=changes.modified, deleted=changes.deleted
    )
    counts = []
    for row in evidence:
        if row.role is Role.RESULT and row.take == round.take and row.tests is not None and round.start_tree:
            before = tx.evidence.counted(definition=row.definition, tree=round.start_tree)
            counts.append(changed_tests.fewer_tests(row.name, before.tests if before is not None else None, row.tests))
    return changed_tests.reasons(files, counts)


def _pass(tx: Tx, round: CheckRound, task: Task, proof: Proof) -> None:
    """Complete the task, or ask a person first if a review is required."""
    result = TaskResult.from_dict(round.report or {})
    changes = Changes.from_dict(round.changes) if round.changes is not None else None
    reasons = [] if result.reviewed else _review_reasons(tx, round, task, result, changes, proof)
    if reasons:
        waiting = replace(task, hold=None, proof=proof.as_dict(), proof_state=None, updated_at=tx.now)
        updates.apply(tx, moves.TaskMove(before=task, after=waiting, cause=Cause.SUBMITTED))
        words = "\n\n".join([str(result.outcome.get("summary") or ""), *reasons])
        task_requests.verdict(tx, task, words=words, agent_id=round.agent_id, execution_id=round.execution_id)
        return
    completion.record(
        tx,
        prepared=PreparedCompletion(
            task=task,
            agent_id=None,
            fence=None,
            result=result,
            changes=changes,
            warnings=list(result.warnings),
            proof=proof,
            keeps_patch=True,
        ),
    )


def approved(tx: Tx, *, task: Task) -> PreparedCompletion | None:
    """Return the completion of a task that passed its checks and is approved in review, as it was reported and checked.

    Return None if it was not checked, or if anything happened to the task since then.
    """
    round = rounds.last_gate(tx, task.id)
    if round is None or round.state is not RoundState.PASSED or round.report is None or task.proof is None:
        return None
    if task.is_checking or (round.fence, round.ended_at) != (task.fence, task.updated_at):
        return None
    result = TaskResult.from_dict(round.report)
    return PreparedCompletion(
        task=task,
        agent_id=None,
        fence=None,
        result=replace(result, by_hand=True, reviewed=True, outcome={**result.outcome, "manual_review_needed": False}),
        changes=Changes.from_dict(round.changes) if round.changes is not None else None,
        warnings=list(result.warnings),
        proof=Proof.from_dict(task.proof),
        keeps_patch=True,
    )


def _review_reasons(
    tx: Tx, round: CheckRound, task: Task, result: TaskResult, changes: Changes | None, proof: Proof
) -> list[str]:
    """Return why a person must look at it: an agent that changed nothing and ended is not simply believed."""
    mission = tx.missions.get(task.mission_id)
    patch = tx.patches.get(task.id)
    facts = ReviewFacts(
        wanted=task.review or mission.review,
        unexpected=verify_scope(changes, list(task.areas)).unexpected_files,
        flags=proof.flags,
        proved=proof.state is ProofState.PROVED,
        lines=reviewed_lines(patch) if patch is not None else 0,
        asked=bool(result.outcome.get("manual_review_needed")),
    )
    only_said = round.execution_id is not None and proof.reason == NOTHING_CHANGED
    return [*review_reasons(facts), *([f"{NOTHING_CHANGED.capitalize()}."] if only_said else [])]


def reviewed_lines(patch: Patch) -> int:
    """Return how many changed lines a reviewer reads; lock and generated files do not count."""
    texts = [lines.text for path, lines in patch.files.items() if is_reviewed(path)]
    changed = (line for text in texts for line in text.splitlines() if line[:1] in {"+", "-"})
    return sum(not line.startswith(("+++ ", "--- ")) for line in changed)


def _fail(
    tx: Tx,
    round: CheckRound,
    task: Task,
    verdict: Verdict,
    evidence: Sequence[Evidence],
    *,
    proof: Proof,
    lease: timedelta,
) -> None:
    error = failures.error_of(verdict, evidence, task_id=task.id, tree=round.tree)
    names = [each.name for each in verdict.results if each.required and each.state is EvidenceState.FAILED]
    journal.note(
        tx,
        task_id=task.id,
        summary=f"Checks failed: {', '.join(names)}",
        detail={"round_id": round.id, **error.details},
    )
    _return_to_owner(
        tx,
        round,
        task,
        proof_state=ProofState.FAILING,
        proof=proof.as_dict(),
        lease=lease,
        failure=failures.as_text(error),
    )


def _give_back(
    tx: Tx, round: CheckRound, task: Task, verdict: Verdict, evidence: Sequence[Evidence], *, lease: timedelta
) -> None:
    """Return a task whose checks gave no result; this does not count as a failure of its agent."""
    rows = {each.id: each for each in evidence}
    if verdict.state is RoundState.VOID:
        journal.note(tx, task_id=task.id, summary="Files changed while the checks ran, so their results are not valid")
    for each in verdict.results:
        row = rows.get(each.evidence_id or "")
        if verdict.state is RoundState.ERROR and each.required and each.state is not EvidenceState.PASSED:
            reason = (row.reason if row is not None else None) or str(each.state)
            journal.note(tx, task_id=task.id, summary=f"Check '{each.name}' could not run: {reason}")
            _ask_about_error(tx, round, task, subject=f"Check '{each.name}' cannot run: {reason}")
    changed = failures.changed_files(evidence) if verdict.state is RoundState.VOID else ()
    _return_to_owner(
        tx, round, task, proof_state=task.proof_without_checks, proof=task.proof, lease=lease, changed=changed
    )


def _ask_about_error(tx: Tx, round: CheckRound, task: Task, *, subject: str) -> None:
    """Ask a person about a check that cannot run: one item for each cause."""
    inbox.open_item(
        tx,
        kind=ItemKind.CHECKS,
        subject=subject,
        body="Tasks cannot be proved until this is fixed. Fix the check or its environment, then dismiss this item.",
        mission_id=task.mission_id,
        dedupe_key=f"checks {round.repository} {subject}"[:500],
    )


def _return_to_owner(
    tx: Tx,
    round: CheckRound,
    task: Task,
    *,
    proof_state: ProofState | None,
    proof: Mapping[str, Any] | None,
    lease: timedelta,
    failure: str | None = None,
    changed: Sequence[str] = (),
) -> None:
    """Give the task back: to its live owner, to a new execution of an agent that has ended, or to any agent.

    `changed` are files that changed each time the checks ran; if the agent has ended, only a person can say why.
    """
    tx.patches.put(task.id, None)
    move = moves.checked(
        task,
        at=tx.now,
        lease_until=tx.now + lease if task.owner_id is not None else None,
        proof_state=proof_state,
        proof=proof,
    )
    ended = _ended_execution(tx, round, task)
    if task.owner_id is not None and ended is None:
        updates.apply(tx, move)
        return
    if task.owner_id is None and ended is None and round.agent_id is None:
        updates.apply(tx, replace(move, after=replace(move.after, lease_until=None)))
        return
    free = moves.released(move.after, at=tx.now).after
    updates.apply(tx, replace(move, after=free))
    if ended is None or ended.status is ExecutionStatus.STOPPED:
        return  # a person who stopped an agent does not want it back
    if candidates.run_of(tx, free) is not None:
        return  # in a run only its controller launches
    if changed:
        task_requests.failed(
            tx,
            free,
            reason=f"Files changed both times '{task.name}' was checked, so there is no result",
            detail=f"Its agent has ended. These files changed: {', '.join(changed)}",
            agent_id=ended.agent_id,
            execution_id=ended.id,
        )
    elif failure is None:
        return
    elif _restarts(tx, ended) < MAX_RESTARTS:
        commands.start_again(tx, ended, NextLaunch(failure=failure))
    else:
        task_requests.failed(
            tx,
            free,
            reason=f"'{task.name}' still fails its checks after {MAX_RESTARTS} restarts",
            detail=failure,
            agent_id=ended.agent_id,
            execution_id=ended.id,
        )


def _ended_execution(tx: Tx, round: CheckRound, task: Task) -> Execution | None:
    """Return the task's launched agent if it has ended."""
    execution = tx.executions.newest_of_task(task.id)
    if execution is None or execution.is_live or execution.agent_id not in {task.owner_id, round.agent_id}:
        return None
    return execution


def _restarts(tx: Tx, execution: Execution) -> int:
    """Return how often this agent was started again with what failed, one time after the other."""
    restarts = 0
    while execution.resumes is not None:
        earlier = tx.executions.get(execution.resumes)
        command = tx.commands.newest(earlier.id, CommandKind.START_AGAIN)
        if command is None or command.launched != execution.id or command.next_launch.failure is None:
            break
        restarts, execution = restarts + 1, earlier
    return restarts


def _end(tx: Tx, round: CheckRound, state: RoundState, *, verdict: Verdict | None, reason: str | None) -> CheckRound:
    stored = verdict.as_dict() if verdict is not None else None
    ended = round.ended(state, at=tx.now, verdict=stored, reason=reason)
    tx.rounds.save(ended)
    rounds.drop_queued(tx, ended, reason="its round ended before it ran")
    _publish_end(tx, ended)
    return ended


def _publish_end(tx: Tx, round: CheckRound) -> None:
    """Tell the driver of a run that a round of it has ended: without checks to run, nothing else tells it."""
    candidate = tx.candidates.find(round.candidate_id) if round.candidate_id is not None else None
    run = tx.runs.find(round.run_id) if round.run_id is not None else None
    if candidate is not None:
        tx.emit(events.CandidateUpdated(candidate=candidate))
    elif run is not None:
        tx.emit(events.RunUpdated(run=run))
