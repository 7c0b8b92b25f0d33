"""Merge: move the integration branch to the merge commit by compare-and-swap, and complete the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.round import RoundState
from mission.domain.errors import Conflict, InvalidState, TransientError
from mission.domain.inbox.item import ItemKind
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Advance
from mission.git.integration.errors import CommitMissing
from mission.git.integration.integration_branch import advance as move_tip
from mission.git.integration.integration_branch import contains
from mission.git.worktrees.worktree import tip_of
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.merging import merged_rows
from mission.services.runs.merging.merged_rows import Snapshots
from mission.services.runs.merging.step_guard import all_current, build_again, current_run, withdraw_unwanted
from mission.store.transaction import Tx


async def advance(context: RunContext, run: Run, step: Advance) -> None:
    """Move the branch to the merge commit of the last candidate, if it still is where that was checked.

    A call that was killed after it moved the branch is completed: the branch is at the commit, or contains it.
    """
    await context.work.write(withdraw_unwanted, run=run)
    ids, top = list(step.candidate_ids), Path(run.repository)
    found = await context.work.read(_mergeable, run=run, ids=ids)
    if not found:
        return
    new, old = str(found[-1].merge_commit), str(found[0].tip)
    try:
        is_there = await context.trees.work(top, move_tip, top, run.branch, new=new, old=old)
    except CommitMissing:
        is_there = False
    except TransientError:
        raise
    except (Conflict, InvalidState) as refused:  # a person has the branch checked out, and files are in the way
        await context.work.write(_ask, run=run, reason=refused.message, hint=refused.hint)
        return
    real = None if is_there else await context.trees.work(top, tip_of, top, run.branch)
    if real is not None and await context.trees.work(top, contains, top, tip=real, commit=new):
        is_there = True
    if is_there:
        for each in await context.work.write(_merged, run=run, ids=ids, new=new):
            await context.trees.forget(each)
    else:
        await context.work.write(build_again, run=run, ids=ids)


def _mergeable(tx: Tx, *, run: Run, ids: Sequence[str]) -> list[Candidate]:
    """Return the candidates if all of them may be merged now: one upon the other, upon the tip of the run."""
    found = all_current(tx, run, ids, CandidateState.CHECKED)
    now = current_run(tx, run)
    if not found or now is None or any(_is_held(tx, each) for each in found):
        return []
    tips = [now.tip, *(each.merge_commit for each in found[:-1])]
    if [each.tip for each in found] != tips:
        return []
    # Evidence is for the last tree: in the middle of a stack there is none.
    same = {each.round_id for each in found}
    return found if len(same) == 1 and _may_merge(tx, now, found) else []


def _may_merge(tx: Tx, run: Run, found: Sequence[Candidate]) -> bool:
    """Return whether checks passed on exactly the tree of the last one; without any, a person let each of them in."""
    last = found[-1]
    if last.round_id is None:
        return run.unproved_allowed or all((each.proof or {}).get("state") == ProofState.ACCEPTED for each in found)
    round = tx.rounds.find(last.round_id)
    is_accepted = len(found) == 1 and (last.proof or {}).get("state") == ProofState.ACCEPTED
    passed = round is not None and round.state is RoundState.PASSED and round.tree == last.merged_tree
    return passed or is_accepted


def _is_held(tx: Tx, candidate: Candidate) -> bool:
    """Return whether a person has not approved it, or a child task of it still runs."""
    review = candidate.review
    return (review is not None and review.get("verdict") != "approve") or bool(
        tx.tasks.running_children(candidate.task_id)
    )


def _merged(tx: Tx, *, run: Run, ids: Sequence[str], new: str) -> list[Snapshots]:
    now = current_run(tx, run)
    if now is None:
        return []
    inbox.withdraw(tx, reason="the branch was moved", dedupe_key=_key(run))
    found = [each for each in (tx.candidates.get(id) for id in ids) if each.state is CandidateState.CHECKED]
    return merged_rows.record(tx, run=now, candidate_ids=[each.id for each in found], tip=new)


def _ask(tx: Tx, *, run: Run, reason: str, hint: str | None) -> None:
    if current_run(tx, run) is not None and tx.inbox.open_with_key(_key(run)) is None:
        inbox.open_item(
            tx,
            kind=ItemKind.RUN,
            subject=f"The branch '{run.branch}' cannot be moved",
            body="\n\n".join(filter(None, (reason, hint, "It is retried automatically."))),
            mission_id=run.mission_id,
            dedupe_key=_key(run),
        )


def _key(run: Run) -> str:
    return f"run {run.id} branch-in-use"
