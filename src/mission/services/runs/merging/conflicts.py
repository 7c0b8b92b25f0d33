"""A conflict goes back to the author: the merge is started in the author's worktree, with what the others wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from mission.domain.errors import TransientError
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.task import Task
from mission.git.integration.conflict_start import ConflictStart, start_conflict
from mission.git.integration.errors import OperationInProgress
from mission.git.integration.merge_commit import CommitDetails
from mission.git.integration.trial_merge import ConflictedPath
from mission.services.runs.context import RunContext
from mission.services.runs.merging.returning import give_back
from mission.services.runs.merging.step_guard import current
from mission.services.runs.worktrees import task_worktrees
from mission.services.runs.worktrees.task_worktrees import TaskWorktree
from mission.store.transaction import Tx

MAX_OTHERS = 5
MAX_DECISIONS = 5
MAX_GOAL = 600
REGENERATE = "regenerate"
"""The kind of a finding about a file that a command makes again."""
RESOLVE = (
    "The merge has been started in your worktree. The files below contain both sides between conflict markers. "
    "Edit each file so that both goals are met, remove the markers, and report again. You do not need any git commands."
)


async def send_to_author(
    context: RunContext,
    run: Run,
    *,
    candidate: Candidate,
    worktree: TaskWorktree,
    details: CommitDetails,
    paths: Sequence[ConflictedPath],
    regenerated: Sequence[str] = (),
    problem: str | None,
) -> None:
    """Start the merge where the author works, then give the task back with the conflicting files.

    `regenerated` are those of them that a command makes again once the author has resolved the others.
    """
    place = await task_worktrees.ready(context, run, worktree)
    try:
        started = await context.trees.work(
            worktree.top,
            start_conflict,
            place,
            branch=worktree.branch,
            tip=run.tip,
            details=details,
            take_ours=regenerated,
        )
    except TransientError:
        raise
    except OperationInProgress as refused:
        left = tuple(each for each in paths if each.path not in set(regenerated))
        started = ConflictStart(head=candidate.commit or "", conflicts=left)
        problem = " ".join(filter(None, (problem, refused.message)))
    await context.work.write(
        conflicted,
        run=run,
        candidate_id=candidate.id,
        tip=run.tip,
        started=started,
        paths=paths,
        regenerated=regenerated,
        problem=problem,
        lease=context.liveness.lease,
    )


def conflicted(
    tx: Tx,
    *,
    run: Run,
    candidate_id: str,
    tip: str,
    started: ConflictStart,
    paths: Sequence[ConflictedPath],
    regenerated: Sequence[str] = (),
    problem: str | None,
    lease: timedelta,
) -> None:
    """Record the conflict and return the task."""
    states = (CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED)
    candidate = current(tx, run, candidate_id, *states)
    if candidate is None:
        return
    shown = started.conflicts or tuple(paths)
    findings = [_finding(tx, candidate, each) for each in shown]
    others = _others(tx, findings)
    give_back(
        tx,
        candidate,
        reason=_in_words(findings, others, decisions=started.decisions, problem=problem),
        lease=lease,
        state=CandidateState.CONFLICTED,
        summary=f"The result conflicts with work that was merged earlier: {', '.join(each.path for each in shown)}",
        detail={"candidate_id": candidate.id, "files": [each.path for each in shown], "tip": tip},
        findings=[*findings, *({"kind": REGENERATE, "path": each} for each in regenerated)],
    )


def details_of(tx: Tx, candidate: Candidate) -> dict[str, Any]:
    """Return the files of a conflict, and the tasks that touched them, as an error shows them."""
    findings = [each for each in candidate.findings if each.get("kind") == "conflict"]
    return {
        "files": [each["path"] for each in findings],
        "tasks": [_described(tx, tx.tasks.get(id)) for id in _ids(findings)[:MAX_OTHERS]],
    }


def _finding(tx: Tx, candidate: Candidate, path: ConflictedPath) -> dict[str, Any]:
    """Return a conflict with the merged tasks that changed the file."""
    touched = [
        each.task_id
        for each in tx.candidates.of_run(candidate.run_id)
        if each.state is CandidateState.MERGED and path.path in _paths(each.changes)
    ]
    return {"kind": "conflict", "path": path.path, "detail": path.kind, "tasks": list(dict.fromkeys(touched))}


def _paths(changes: Mapping[str, Any] | None) -> set[str]:
    listed = changes or {}
    return {path for kind in ("added", "modified", "deleted") for path in listed.get(kind, ())}


def _ids(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(id for each in findings for id in each["tasks"]))


def _others(tx: Tx, findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [_described(tx, tx.tasks.get(id)) for id in _ids(findings)[:MAX_OTHERS]]


def _described(tx: Tx, task: Task) -> dict[str, Any]:
    """Return the goal and the decisions of a task that touched the same files."""
    entries = tx.journal.of_task(task.id, kinds=[EntryKind.DECISION], since=0, limit=MAX_DECISIONS)
    return {
        "task_id": task.id,
        "name": task.name,
        "goal": task.goal[:MAX_GOAL],
        "decisions": [entry.summary for entry in entries],
    }


def _in_words(
    findings: Sequence[Mapping[str, Any]],
    others: Sequence[Mapping[str, Any]],
    *,
    decisions: Sequence[str],
    problem: str | None,
) -> str:
    files = "\n".join(f"- {each['path']} ({each['detail']})" for each in findings)
    notes = f"Delete each of these notes once you have decided: {', '.join(decisions)}" if decisions else ""
    tasks = [_task_in_words(each) for each in others]
    return "\n\n".join(
        filter(None, (f"Your result conflicts with work merged earlier. {RESOLVE}", files, notes, problem, *tasks))
    )


def _task_in_words(other: Mapping[str, Any]) -> str:
    decided = "".join(f"\n  Decided: {each}" for each in other["decisions"])
    return f"These files were changed by '{other['name']}' ({other['task_id']}): {other['goal']}{decided}"
