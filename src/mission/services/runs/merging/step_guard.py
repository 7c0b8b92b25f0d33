"""What every step of merging asks first, in its own transaction: is this still to be done, and by us?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mission.domain import events
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.states import TaskStatus
from mission.services.checks import settling
from mission.services.tasks import candidates
from mission.store.transaction import Tx


def current_run(tx: Tx, run: Run) -> Run | None:
    """Return the run as it is now; None if it has ended or another daemon drives it."""
    now = tx.runs.find(run.id)
    return now if now is not None and now.is_live and now.fence == run.fence else None


def current(tx: Tx, run: Run, candidate_id: str, *states: CandidateState) -> Candidate | None:
    """Return the candidate if the step still applies to it: it is in one of these states, and its task waits for it."""
    candidate = tx.candidates.find(candidate_id)
    if current_run(tx, run) is None or candidate is None or candidate.state not in states:
        return None
    return candidate if _is_wanted(tx, candidate) else None


def all_current(tx: Tx, run: Run, ids: Sequence[str], *states: CandidateState) -> list[Candidate]:
    """Return these candidates, or none of them if the step no longer applies to one."""
    found = [each for id in ids if (each := current(tx, run, id, *states)) is not None]
    return found if len(found) == len(ids) else []


def withdraw_unwanted(tx: Tx, *, run: Run) -> None:
    """Withdraw the open candidates of a run whose tasks were skipped, reopened or ended in another way."""
    for candidate in tx.candidates.open_of_run(run.id) if current_run(tx, run) is not None else ():
        if not _is_wanted(tx, candidate):
            end_rounds(tx, candidate, reason="its task changed")
            status = tx.tasks.get(candidate.task_id).status
            candidates.save(tx, candidate, state=CandidateState.WITHDRAWN, reason=f"its task is {status}")


def build_again(tx: Tx, *, run: Run, ids: Sequence[str]) -> None:
    """Queue candidates whose tip has moved, or whose merge commit is gone; a review that was given still holds."""
    for each in all_current(tx, run, ids, CandidateState.BUILT, CandidateState.CHECKED):
        end_rounds(tx, each, reason="it is trial-merged again")
        again = {"merge_commit": None, "merged_tree": None, "round_id": None, "tip_round_id": None}
        candidates.save(tx, each, state=CandidateState.QUEUED, **again)


def save_run(tx: Tx, run: Run) -> Run:
    """Store a changed run and publish it."""
    saved = replace(run, updated_at=tx.now)
    tx.runs.save(saved)
    tx.emit(events.RunUpdated(run=saved))
    return saved


def end_rounds(tx: Tx, candidate: Candidate, *, reason: str) -> None:
    """Withdraw the rounds of checks that are under way for the candidate."""
    for round in tx.rounds.open_of_mission(candidate.mission_id):
        if round.candidate_id == candidate.id:
            settling.withdraw(tx, round, reason=reason)


def _is_wanted(tx: Tx, candidate: Candidate) -> bool:
    task = tx.tasks.find(candidate.task_id)
    return task is not None and task.status is TaskStatus.REVIEW
