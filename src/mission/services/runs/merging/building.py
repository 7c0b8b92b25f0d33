"""Build merges for trial: each candidate upon the tip, or upon the one before it; a conflict goes to its author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from mission.domain.checks.check import Before, CheckKind
from mission.domain.errors import MissionError
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Build
from mission.domain.tasks.changes import Changes
from mission.git.integration.commit_changes import changes_between
from mission.git.integration.errors import CommitMissing, UnrelatedHistory
from mission.git.integration.merge_commit import CommitDetails, merge_commit
from mission.git.integration.trial_merge import Conflicted, Merged, trial_merge
from mission.services.evidence import definitions
from mission.services.runs.context import RunContext
from mission.services.runs.merging import commit_texts, conflicts, tip_following
from mission.services.runs.merging.returning import give_back
from mission.services.runs.merging.step_guard import current, current_run, end_rounds, withdraw_unwanted
from mission.services.runs.worktrees import regenerating, task_worktrees
from mission.services.runs.worktrees.merge_place import is_busy, merge_path
from mission.services.runs.worktrees.regenerating import Regenerated
from mission.services.runs.worktrees.task_worktrees import TaskWorktree
from mission.services.tasks import candidates
from mission.store.transaction import Tx

BUILDABLE = (CandidateState.QUEUED, CandidateState.BUILT, CandidateState.CHECKED)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wanted:
    """A candidate that is to be merged for trial."""

    candidate: Candidate
    worktree: TaskWorktree
    details: CommitDetails
    work: CommitDetails
    stackable: bool
    is_free: bool
    """Whether nothing runs in the merge worktree."""
    to_regenerate: Sequence[str]
    """Files that conflicted before, while the author resolved others: a command makes them again now."""


async def build(context: RunContext, run: Run, step: Build) -> None:
    """Merge the candidates onto the tip, one upon the other, as far as that goes without a conflict."""
    await context.work.write(withdraw_unwanted, run=run)
    now = await tip_following.follow(context, run)
    if now is None:
        return
    base = now.tip
    for number, candidate_id in enumerate(step.candidate_ids):
        built = await _build_one(context, now, candidate_id, base=base, in_stack=number > 0)
        if built is None:
            return
        base = built


async def _build_one(context: RunContext, run: Run, candidate_id: str, *, base: str, in_stack: bool) -> str | None:
    """Return the merge commit of a candidate upon a base; None if there is none and nothing can be built upon it."""
    wanted = await context.work.read(_wanted, run=run, candidate_id=candidate_id, path=merge_path(context, run))
    if wanted is None or (in_stack and not wanted.stackable):
        return None
    candidate, top = wanted.candidate, Path(run.repository)
    if candidate.tip == base and candidate.merge_commit and candidate.state is not CandidateState.QUEUED:
        return candidate.merge_commit
    try:
        tree = await _merged_tree(context, run, wanted, base=base, in_stack=in_stack)
    except (CommitMissing, UnrelatedHistory) as broken:
        await context.work.write(
            _unbuildable, run=run, candidate_id=candidate.id, error=broken, lease=context.liveness.lease
        )
        return None
    if tree is None:
        return None
    changes = await context.trees.work(top, changes_between, top, base, tree, lines=True)
    commit = await context.trees.work(
        top, merge_commit, top, tip=base, candidate=candidate.commit, tree=tree, details=wanted.details
    )
    is_built = await context.work.write(
        _built,
        run=run,
        candidate_id=candidate.id,
        frozen=candidate.commit,
        base=base,
        tree=tree,
        commit=commit,
        changes=changes,
    )
    return commit if is_built else None


async def _merged_tree(context: RunContext, run: Run, wanted: _Wanted, *, base: str, in_stack: bool) -> str | None:
    """Return the merged tree; a conflict with the tip goes to the author, and one within a stack waits for its turn."""
    top, commit = Path(run.repository), wanted.candidate.commit or ""
    merged = await context.trees.work(top, trial_merge, top, tip=base, candidate=commit)
    left = [each for each in wanted.to_regenerate if regenerating.regenerated_among(run, [each])]
    if not isinstance(merged, Conflicted) and not left:
        return merged.tree
    if in_stack:
        return None
    problem = None
    paths = [each.path for each in merged.paths] if isinstance(merged, Conflicted) else []
    by_command = regenerating.regenerated_among(run, paths)
    if len(by_command) == len(paths):
        if not wanted.is_free:
            return None
        made = await _regenerated(context, run, wanted, merged, base=base, left=left)
        if made.tree is not None:
            return made.tree
        problem = made.problem
        by_command = {}
    if not isinstance(merged, Conflicted):
        await context.work.write(
            _not_made, run=run, candidate_id=wanted.candidate.id, problem=problem, lease=context.liveness.lease
        )
        return None
    await conflicts.send_to_author(
        context,
        run,
        candidate=wanted.candidate,
        worktree=wanted.worktree,
        details=wanted.work,
        paths=merged.paths,
        regenerated=tuple(by_command),
        problem=problem,
    )
    return None


async def _regenerated(
    context: RunContext, run: Run, wanted: _Wanted, merged: Merged | Conflicted, *, base: str, left: Sequence[str]
) -> Regenerated:
    """Make files again that conflict, or that conflicted before the author resolved the others."""
    common: dict[str, Any] = {"base": base, "candidate": wanted.candidate.commit or "", "details": wanted.details}
    if isinstance(merged, Conflicted):
        made = await regenerating.resolve(context, run, conflicted=merged, **common)
        more = [each for each in left if each not in {path.path for path in merged.paths}]
        if made.tree is None or not more:
            return made
        return await regenerating.make_again(context, run, tree=made.tree, paths=more, **common)
    return await regenerating.make_again(context, run, tree=merged.tree, paths=left, **common)


def _wanted(tx: Tx, *, run: Run, candidate_id: str, path: Path) -> _Wanted | None:
    candidate = current(tx, run, candidate_id, *BUILDABLE)
    if candidate is None or candidate.commit is None:
        return None
    task = tx.tasks.get(candidate.task_id)
    checks = [each.defined for each in definitions.effective(tx, task)]
    return _Wanted(
        candidate=candidate,
        worktree=task_worktrees.find(tx, run, task),
        details=commit_texts.merge_details(tx, candidate, task),
        work=commit_texts.candidate_details(tx, candidate, task),
        # What a check says about one candidate's own changes cannot be asked of several at once.
        stackable=not any(
            each.waits or each.check.kind is not CheckKind.RUN or each.check.before is Before.FAIL for each in checks
        ),
        is_free=not is_busy(tx, host_id=run.host_id, path=path),
        to_regenerate=_to_regenerate(tx, candidate),
    )


def _to_regenerate(tx: Tx, candidate: Candidate) -> list[str]:
    findings = (
        finding
        for each in tx.candidates.of_task(candidate.task_id)
        if each.run_id == candidate.run_id and each.state is CandidateState.CONFLICTED
        for finding in each.findings
    )
    return list(dict.fromkeys(str(each["path"]) for each in findings if each.get("kind") == conflicts.REGENERATE))


def _built(
    tx: Tx,
    *,
    run: Run,
    candidate_id: str,
    frozen: str,
    base: str,
    tree: str,
    commit: str,
    changes: Changes,
) -> bool:
    """Record the merge commit; the branch is not touched yet. What was checked before was another tree."""
    candidate, now = current(tx, run, candidate_id, *BUILDABLE), current_run(tx, run)
    if candidate is None or now is None or candidate.commit != frozen or now.tip != run.tip:
        return False
    end_rounds(tx, candidate, reason="the tip moved")
    is_same = candidate.tip == base and candidate.merged_tree == tree
    candidates.save(
        tx,
        candidate,
        state=CandidateState.BUILT,
        tip=base,
        merge_commit=commit,
        merged_tree=tree,
        round_id=candidate.round_id if is_same else None,
        tip_round_id=None,
        changes=changes.as_dict(),
        reason=None,
    )
    tx.patches.put(candidate.task_id, changes.patch)
    return True


def _not_made(tx: Tx, *, run: Run, candidate_id: str, problem: str | None, lease: timedelta) -> None:
    """Send a candidate back whose files could not be made again."""
    candidate = current(tx, run, candidate_id, *BUILDABLE)
    if candidate is not None:
        give_back(tx, candidate, reason=f"Files that conflicted could not be regenerated: {problem}", lease=lease)


def _unbuildable(tx: Tx, *, run: Run, candidate_id: str, error: MissionError, lease: timedelta) -> None:
    """Freeze a candidate again whose commit is gone; send back one that has nothing in common with the branch."""
    candidate = current(tx, run, candidate_id, *BUILDABLE)
    if candidate is None:
        return
    if isinstance(error, CommitMissing):
        candidates.save(tx, candidate, state=CandidateState.REPORTED, commit=None, tree=None, merge_commit=None)
    else:
        give_back(tx, candidate, reason=f"It cannot be merged: {error.message}", lease=lease)
