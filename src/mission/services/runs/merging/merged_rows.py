"""What a merge means for the rows: candidates are merged, their tasks are completed, the run has a new tip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mission.domain.checks.proof import Proof
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.changes import Changes
from mission.domain.tasks.states import TaskStatus
from mission.services.runs.merging.step_guard import save_run
from mission.services.tasks import candidates, completion
from mission.services.tasks.completion import PreparedCompletion, TaskResult
from mission.store.transaction import Tx

Snapshots = Mapping[str, Mapping[str, Any]]
"""Snapshots of a completed task, which are no longer needed."""


def record(tx: Tx, *, run: Run, candidate_ids: Sequence[str], tip: str) -> list[Snapshots]:
    """Record that the branch contains these candidates; return the snapshots that can be dropped. Idempotent."""
    merged = [tx.candidates.get(id) for id in candidate_ids]
    left = [each for each in merged if each.state is CandidateState.CHECKED]
    if not left:
        return []
    _count_passed_over(tx, run, left)
    save_run(tx, replace(tx.runs.get(run.id), tip=tip))
    dropped = [_merge(tx, each) for each in left]
    return [each for each in dropped if each]


def _merge(tx: Tx, candidate: Candidate) -> Snapshots | None:
    merged = candidates.save(tx, candidate, state=CandidateState.MERGED, merged_at=tx.now, reason=None)
    task = tx.tasks.get(candidate.task_id)
    if task.status is not TaskStatus.REVIEW:
        return None  # a person ended it in another way while it was merged
    reviewed = merged.review is not None
    result = replace(TaskResult.from_dict(merged.report), by_hand=True, reviewed=reviewed)
    changes = Changes.from_dict(merged.changes) if merged.changes is not None else None
    done = completion.record(
        tx,
        prepared=PreparedCompletion(
            task=task,
            agent_id=None,
            fence=None,
            result=result,
            changes=changes,
            warnings=list(result.warnings),
            proof=Proof.from_dict(merged.proof) if merged.proof is not None else None,
            keeps_patch=True,
        ),
    )
    return done.snapshots


def _count_passed_over(tx: Tx, run: Run, merged: Sequence[Candidate]) -> None:
    """Count for each older candidate that a younger one was merged first."""
    newest = max((each.created_at, each.id) for each in merged)
    ids = {each.id for each in merged}
    for each in tx.candidates.open_of_run(run.id):
        if each.id not in ids and (each.created_at, each.id) < newest:
            candidates.save(tx, each, passed_over=each.passed_over + 1)
