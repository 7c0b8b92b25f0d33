"""Freeze a reported result: commit the task's worktree as a candidate; some content is asked about, some refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from mission.domain.errors import MissionError
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Freeze
from mission.domain.tasks.task import Task
from mission.git.integration.candidates.candidate_commit import CandidateCommit, commit_candidate
from mission.git.integration.candidates.findings import CandidateFinding
from mission.git.integration.errors import CandidateRefused, OperationInProgress
from mission.git.integration.merge_commit import CommitDetails
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.merging import commit_texts
from mission.services.runs.merging.returning import asking_key, give_back
from mission.services.runs.merging.step_guard import current, withdraw_unwanted
from mission.services.runs.worktrees import task_worktrees
from mission.services.runs.worktrees.task_worktrees import TaskWorktree
from mission.services.tasks import candidates
from mission.store.transaction import Tx

COMMIT = {"kind": "fixed", "label": "Commit them", "value": "go"}
LEAVE_OUT = {"kind": "manual", "label": "Send back", "placeholder": "What should the agent do with them?"}
NOT_ALLOWED = "a person did not allow these files"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wanted:
    """A reported result, and how it is committed."""

    task: Task
    worktree: TaskWorktree
    details: CommitDetails
    allowed: Sequence[str]


async def freeze(context: RunContext, run: Run, step: Freeze) -> None:
    """Commit the worktree of a reported task; later edits are not part of the candidate."""
    await context.work.write(withdraw_unwanted, run=run)
    wanted = await context.work.read(_wanted, run=run, candidate_id=step.candidate_id)
    if wanted is None:
        return
    if (elsewhere := _elsewhere(wanted)) is not None:
        await _refuse(context, run, step, elsewhere)
        return
    place = await task_worktrees.ready(context, run, wanted.worktree)
    try:
        frozen = await context.trees.work(
            wanted.worktree.top,
            commit_candidate,
            place,
            branch=wanted.worktree.branch,
            tip=run.tip,
            details=wanted.details,
            copied=wanted.worktree.copied,
            allowed=wanted.allowed,
        )
    except (CandidateRefused, OperationInProgress) as refused:
        await _refuse(context, run, step, _in_words(refused))
        return
    if isinstance(frozen, CandidateCommit):
        await context.work.write(_queue, run=run, candidate_id=step.candidate_id, frozen=frozen)
    else:
        await context.work.write(_ask, run=run, candidate_id=step.candidate_id, findings=frozen.findings)


def answered(tx: Tx, item: InboxItem, candidate: Candidate, *, lease: timedelta) -> None:
    """Record a person's answer about what may be committed."""
    if item.chosen == COMMIT:
        candidates.save(tx, candidate, findings=[{**each, "allowed": True} for each in candidate.findings])
    else:
        words = item.answer_text or NOT_ALLOWED
        paths = ", ".join(str(each["path"]) for each in candidate.findings)
        give_back(tx, candidate, reason=f"These files were not committed: {paths}. {words}", lease=lease)


def _wanted(tx: Tx, *, run: Run, candidate_id: str) -> _Wanted | None:
    candidate = current(tx, run, candidate_id, CandidateState.REPORTED)
    if candidate is None or tx.inbox.open_with_key(asking_key(candidate)) is not None:
        return None
    task = tx.tasks.get(candidate.task_id)
    return _Wanted(
        task=task,
        worktree=task_worktrees.find(tx, run, task),
        details=commit_texts.candidate_details(tx, candidate, task),
        allowed=[str(each["key"]) for each in candidate.findings if each.get("allowed")],
    )


def _elsewhere(wanted: _Wanted) -> str | None:
    """Return why the work is not where a run takes it from; a person's own checkout is never committed."""
    tree, own = wanted.task.tree, wanted.worktree.path
    if tree is None or own is not None:
        return None
    return (
        f"the task was done in {tree}, not in a worktree of the run. Start it again, and work in the worktree it gets"
    )


async def _refuse(context: RunContext, run: Run, step: Freeze, reason: str) -> None:
    await context.work.write(
        refused, run=run, candidate_id=step.candidate_id, reason=reason, lease=context.liveness.lease
    )


def refused(tx: Tx, *, run: Run, candidate_id: str, reason: str, lease: timedelta) -> None:
    """Send back a result that cannot be committed."""
    candidate = current(tx, run, candidate_id, CandidateState.REPORTED)
    if candidate is not None:
        give_back(tx, candidate, reason=f"The result could not be committed: {reason}", lease=lease)


def _queue(tx: Tx, *, run: Run, candidate_id: str, frozen: CandidateCommit) -> None:
    candidate = current(tx, run, candidate_id, CandidateState.REPORTED)
    if candidate is not None:
        candidates.save(tx, candidate, state=CandidateState.QUEUED, commit=frozen.commit, tree=frozen.tree, reason=None)


def _ask(tx: Tx, *, run: Run, candidate_id: str, findings: Sequence[CandidateFinding]) -> None:
    """Ask a person once about large files and likely secrets; nothing was committed."""
    candidate = current(tx, run, candidate_id, CandidateState.REPORTED)
    if candidate is None:
        return
    listed = "\n".join(f"- {each.path}: {each.detail}" for each in findings)
    task = tx.tasks.get(candidate.task_id)
    inbox.open_item(
        tx,
        kind=ItemKind.RUN,
        subject=f"May the result of '{task.name}' be committed with these files?",
        body=f"{listed}\n\nNothing was committed. Once committed, they stay in the history of the branch.",
        mission_id=run.mission_id,
        task_id=task.id,
        choices=(COMMIT, LEAVE_OUT),
        dedupe_key=asking_key(candidate),
    )
    known = [each for each in candidate.findings if each.get("allowed")]
    new = [{**asdict(each), "allowed": False} for each in findings]
    waiting = "waiting for a person to allow large files or likely secrets"
    candidates.save(tx, candidate, findings=[*known, *new], reason=waiting)


def _in_words(error: MissionError) -> str:
    return " ".join(filter(None, (f"{error.message.rstrip('.')}.", error.hint)))
