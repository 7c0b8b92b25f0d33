"""Check merged trees: check the commit out in the merge worktree and open a round of checks for exactly that tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from mission.domain.checks.check import Before, CheckKind, Scope
from mission.domain.checks.evidence import EvidenceState, Place
from mission.domain.checks.round import CheckRound, DefinedCheck, Purpose, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.ids import new_id
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.decisions import choices
from mission.domain.runs.run import Run
from mission.domain.runs.steps import CheckMerged, CheckTip
from mission.domain.tasks.changes import Changes
from mission.git.commit_trees import trees_of
from mission.git.integration.errors import CommitMissing
from mission.services.checks import settling
from mission.services.evidence import definitions
from mission.services.runs.context import RunContext
from mission.services.runs.merging.step_guard import all_current, build_again, current
from mission.services.runs.worktrees import merge_place
from mission.services.runs.worktrees.merge_place import CheckedOut, is_busy
from mission.services.tasks import candidates
from mission.store.transaction import Tx

CHECKABLE = (CandidateState.BUILT, CandidateState.CHECKED)
"""States of a candidate whose tree is checked; one that passed only within a stack has no evidence of its own."""
OTHER_TREE = "the merge worktree does not have the files of the merged commit"


async def check_merged(context: RunContext, run: Run, step: CheckMerged) -> None:
    """Check out the merge commit of the last candidate and start the checks of all of them."""
    path, ids = merge_place.merge_path(context, run), list(step.candidate_ids)
    last = await context.work.read(_due, run=run, ids=ids, again=step.again, path=path)
    if last is None or last.merge_commit is None:
        return
    try:
        checked_out = await merge_place.prepare(context, run, commit=last.merge_commit, path=path)
    except CommitMissing:  # no ref keeps it, so a garbage collection of the user may have removed it
        await context.work.write(build_again, run=run, ids=ids)
        return
    start_tree = await _tree_of(context, run, run.tip)
    round_id = await context.work.write(
        _open,
        run=run,
        ids=ids,
        again=step.again,
        place=checked_out,
        expected=last.merged_tree or "",
        start_tree=start_tree,
        lease=context.liveness.lease,
    )
    if round_id is not None:
        context.checker.drive(round_id)


async def check_tip(context: RunContext, run: Run, step: CheckTip) -> None:
    """Run the failed checks of the whole mission on the tip itself; those of one task say nothing about it."""
    path = merge_place.merge_path(context, run)
    if not await context.work.read(_tip_due, run=run, candidate_id=step.candidate_id, path=path):
        return
    checked_out = await merge_place.prepare(context, run, commit=run.tip, path=path)
    round_id = await context.work.write(
        _open_tip, run=run, candidate_id=step.candidate_id, place=checked_out, lease=context.liveness.lease
    )
    if round_id is not None:
        context.checker.drive(round_id)


async def _tree_of(context: RunContext, run: Run, commit: str) -> str | None:
    top = Path(run.repository)
    return (await context.trees.work(top, trees_of, top, {commit})).get(commit)


def _due(tx: Tx, *, run: Run, ids: Sequence[str], again: bool, path: Path) -> Candidate | None:
    """Return the last of these candidates if its merged tree is to be checked now."""
    found = all_current(tx, run, ids, *CHECKABLE)
    if not found or is_busy(tx, host_id=run.host_id, path=path):
        return None
    last = found[-1]
    round = tx.rounds.find(last.round_id) if last.round_id is not None else None
    if round is None or round.state is RoundState.WITHDRAWN or round.tree != last.merged_tree:
        return last
    return last if again and round.state not in (RoundState.OPEN, RoundState.PASSED) else None


def _open(
    tx: Tx,
    *,
    run: Run,
    ids: Sequence[str],
    again: bool,
    place: CheckedOut,
    expected: str,
    start_tree: str | None,
    lease: timedelta,
) -> str | None:
    """Open the round for the merged tree, and record it with each candidate."""
    last = _due(tx, run=run, ids=ids, again=again, path=place.path)
    if last is None or last.merged_tree != expected:
        return None
    found = [tx.candidates.get(id) for id in ids]
    waived = _waived(tx, run)
    checks = {each.definition: each for one in found for each in _defined(tx, one) if each.check.name not in waived}
    round = replace(
        _round(tx, run, last, place, checks=list(checks.values())),
        purpose=Purpose.MERGE,
        task_id=last.task_id,
        tree=expected,
        start_tree=start_tree,
        changes=_all_changes(found).as_dict(),
        uses_earlier=not again,
        agent_id=last.agent_id,
        execution_id=last.execution_id,
        fence=last.fence,
        report=dict(last.report),
    )
    tx.rounds.add(round)
    for each in found:
        candidates.save(tx, each, round_id=round.id)
    return _unless_broken(tx, round, place, expected=expected, lease=lease)


def _tip_due(tx: Tx, *, run: Run, candidate_id: str, path: Path) -> bool:
    """Return whether the tip is to be checked now: it was not, without a result, or before a person repaired it."""
    candidate = current(tx, run, candidate_id, *CHECKABLE)
    if candidate is None or is_busy(tx, host_id=run.host_id, path=path):
        return False
    asked = tx.rounds.find(candidate.tip_round_id) if candidate.tip_round_id is not None else None
    if asked is None or asked.state not in (RoundState.OPEN, RoundState.PASSED, RoundState.FAILED):
        return True
    repaired = tx.inbox.answered_last(f"run {run.id} {choices.TIP_RED}")
    return not asked.is_open and repaired is not None and (repaired.closed_at or tx.now) >= asked.created_at


def _open_tip(tx: Tx, *, run: Run, candidate_id: str, place: CheckedOut, lease: timedelta) -> str | None:
    if not _tip_due(tx, run=run, candidate_id=candidate_id, path=place.path):
        return None
    candidate = tx.candidates.get(candidate_id)
    checks = [_alone(each) for each in _failed_of_mission(tx, candidate)]
    round = replace(
        _round(tx, run, candidate, place, checks=checks),
        purpose=Purpose.TIP,
        tree=place.tree,
        uses_earlier=False,
    )
    tx.rounds.add(round)
    candidates.save(tx, candidate, tip_round_id=round.id)
    return _unless_broken(tx, round, place, expected=place.tree, lease=lease)


def _round(tx: Tx, run: Run, candidate: Candidate, place: CheckedOut, *, checks: Sequence[DefinedCheck]) -> CheckRound:
    mission = tx.missions.get(run.mission_id)
    return CheckRound(
        id=new_id("check round"),
        task_id=None,
        mission_id=run.mission_id,
        purpose=Purpose.MERGE,
        host_id=run.host_id,
        path=str(place.path),
        repository=mission.repository_id or run.repository,
        checks=[each.as_dict() for each in checks],
        run_id=run.id,
        candidate_id=candidate.id,
        place=Place.MERGE,
        setup=place.setup,
        identity=place.identity,
        excuses=False,
        created_at=tx.now,
        updated_at=tx.now,
    )


def _unless_broken(tx: Tx, round: CheckRound, place: CheckedOut, *, expected: str, lease: timedelta) -> str | None:
    """Return the round's id, unless its place could not be prepared: then nothing can be said about the tree."""
    problem = place.problem or (OTHER_TREE if place.tree != expected else None)
    if problem is None:
        return round.id
    settling.settle_broken(tx, round, reason=problem, lease=lease)
    return None


def _defined(tx: Tx, candidate: Candidate) -> list[DefinedCheck]:
    return [each.defined for each in definitions.effective(tx, tx.tasks.get(candidate.task_id))]


def _waived(tx: Tx, run: Run) -> set[str]:
    """Return the names of the checks that a person waived for the rest of the run."""
    return {str(each["check"]) for each in tx.runs.get(run.id).waivers}


def _failed_of_mission(tx: Tx, candidate: Candidate) -> list[DefinedCheck]:
    """Return the commands of mission and repository that did not pass on the merged tree."""
    round = tx.rounds.find(candidate.round_id) if candidate.round_id is not None else None
    if round is None or round.verdict is None:
        return []
    passed = {each.name for each in Verdict.from_dict(round.verdict).results if each.state is EvidenceState.PASSED}
    return [
        each
        for each in round.defined
        if each.check.name not in passed and each.check.kind is CheckKind.RUN and each.origin is not Scope.TASK
    ]


def _alone(defined: DefinedCheck) -> DefinedCheck:
    """Return the check without the question whether it failed before a change: the tip changes nothing."""
    return replace(defined, check=replace(defined.check, before=Before.ANY))


def _all_changes(found: Sequence[Candidate]) -> Changes:
    """Return what the candidates change together; each path once."""
    if len(found) == 1 and found[0].changes is not None:
        return Changes.from_dict(found[0].changes)
    last: dict[str, str] = {}
    for each in found:
        changes: Any = each.changes or {}
        last.update({path: kind for kind in ("added", "modified", "deleted") for path in changes.get(kind, ())})
    by_kind = {kind: [path for path in last if last[path] == kind] for kind in ("added", "modified", "deleted")}
    return Changes(added=by_kind["added"], modified=by_kind["modified"], deleted=by_kind["deleted"])
