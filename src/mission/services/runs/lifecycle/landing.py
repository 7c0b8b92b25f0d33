"""Land a run: fast-forward the user's branch to a commit whose final checks passed.

If the branch has moved, its new commits are merged onto the integration branch and checked there first. What is asked
for is recorded before anything is done, so that a repeated call continues, and answers as before once it has landed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Place
from mission.domain.checks.round import Purpose, RoundState
from mission.domain.errors import ChecksFailed, Conflict, InvalidInput, InvalidState, MissionError, TransientError
from mission.domain.inbox.item import ItemKind
from mission.domain.plans.option_fields import parse_branch
from mission.domain.plural import counted
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import Land
from mission.domain.timestamps import format_time
from mission.git.integration import landing as git_landing
from mission.git.integration.branch_refs import move_branch
from mission.git.integration.errors import TargetMoved
from mission.git.integration.integration_branch import advance, contains, foreign_commits
from mission.git.integration.merge_commit import CommitDetails, merge_commit, squash_commit
from mission.git.integration.trial_merge import Conflicted, trial_merge
from mission.git.worktrees.worktree import tip_of
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import finishing, landing_cleanup, run_changes, run_rounds, run_view
from mission.services.runs.worktrees import merge_place
from mission.services.runs.worktrees.merge_place import CheckedOut
from mission.store.transaction import Tx

MAX_TRIES = 3
"""How often a target that moves is followed before a person is asked."""
CHECK_SECONDS = 24 * 3600.0
LANDED = "landed"
RETRY = {"kind": "fixed", "label": "Try again", "value": "retry"}
LEAVE = {"kind": "fixed", "label": "Leave it on its branch", "value": "finish"}
AUTHOR = "Mission Control"


async def land_run(
    context: RunContext,
    *,
    run_id: str | None,
    mission_id: str | None,
    squash: bool | None = None,
    target: str | None = None,
) -> dict[str, Any]:
    """Land a finished run and answer once it has landed; raise an error that says why it cannot."""
    run = await context.work.write(
        _ask, run_id=run_id, mission_id=mission_id, squash=squash, target=target, states=(RunState.FINISHED,)
    )
    context.trees.check_host(run.host_id, what=f"run {run.id}")
    await _land(context, run)
    return await context.work.finish(_answer, run_id=run.id)


async def land_step(context: RunContext, run: Run, _: Land) -> None:
    """Land a run whose final checks passed, as was asked at its start; a refusal becomes a question."""
    try:
        asked = await context.work.write(
            _ask, run_id=run.id, mission_id=None, squash=None, target=None, states=(RunState.FINISHING,)
        )
        await _land(context, asked)
    except TransientError:
        raise
    except MissionError as refused:
        await context.work.write(_refused, run=run, why=refused)


async def _land(context: RunContext, run: Run) -> None:
    """Follow the target until it has landed."""
    if (run.landing or {}).get("state") == LANDED:
        await landing_cleanup.clean_up(context, run)
        return
    for _ in range(MAX_TRIES):
        run = await _with_foreign_commits(context, run)
        try:
            commit = await _try_once(context, run)
        except TargetMoved:
            commit = None
        if commit is not None:
            landed = await context.work.write(_landed, run_id=run.id, commit=commit)
            await landing_cleanup.clean_up(context, landed)
            return
        run = await context.work.read(_read, run_id=run.id)
    raise Conflict(
        f"the branch '{_target(run)}' moved {MAX_TRIES} times while the result was being checked against it",
        hint="Land again when nobody else is pushing to it.",
        target=_target(run),
    )


async def _try_once(context: RunContext, run: Run) -> str | None:
    """Fast-forward the target, or bring the run up to date with it. Return the landed commit; None to try again."""
    top, target = Path(run.repository), _target(run)
    work = context.trees.work
    current = await work(top, tip_of, top, target)
    if current is None:
        raise InvalidState(
            f"there is no branch '{target}' to land on", hint="Name another branch: mission land --target BRANCH."
        )
    done = (run.landing or {}).get("commit")
    if done is not None and await work(top, contains, top, tip=current, commit=done):
        return str(done)
    if not await work(top, contains, top, tip=run.tip, commit=current):
        await _catch_up(context, run, current)
        return None
    commit = await _commit_to_land(context, run, current)
    await work(top, git_landing.land, top, target=target, commit=commit, expected=current)
    return commit


async def _with_foreign_commits(context: RunContext, run: Run) -> Run:
    """Return the run with what somebody put on its branch since the end, once that is checked: a resolved conflict."""
    top, work = Path(run.repository), context.trees.work
    real = await work(top, tip_of, top, run.branch)
    if real is None:
        await work(top, move_branch, top, run.branch, new=run.tip, old=None, why="restore")
        return run
    if real == run.tip or not await work(top, contains, top, tip=real, commit=run.tip):
        return run  # what was moved elsewhere is not ours to land, and is kept
    found = await work(top, foreign_commits, top, since=run.tip, tip=real, known=())
    round_id = await _check(context, run, real, what=f"Commits were added to '{run.branch}'")
    listed = [{"commit": each.id, "subject": each.subject} for each in found]
    return await context.work.write(_caught_up, run_id=run.id, tip=real, round_id=round_id, foreign=listed)


async def _commit_to_land(context: RunContext, run: Run, current: str) -> str:
    """Return the tip, or one commit with all of its content; it is recorded before the branch moves."""
    if not (run.landing or {}).get("squash") or current == run.tip:
        return run.tip
    top = Path(run.repository)
    details = await context.work.read(_squash_details, run_id=run.id)
    commit = await context.trees.work(top, squash_commit, top, target=current, commit=run.tip, details=details)
    await context.work.write(_note, run_id=run.id, values={"commit": commit})
    return commit


async def _catch_up(context: RunContext, run: Run, current: str) -> None:
    """Merge the target onto the tip, and check the result before the integration branch moves there."""
    top, target = Path(run.repository), _target(run)
    work = context.trees.work
    merged = await work(top, trial_merge, top, tip=run.tip, candidate=current)
    if isinstance(merged, Conflicted):
        paths = [each.path for each in merged.paths]
        raise Conflict(
            f"'{target}' has moved and conflicts with the run in {counted(len(paths), 'file')}: {', '.join(paths[:5])}",
            hint=f"Merge '{target}' into '{run.branch}', resolve the conflicts there, then land again.",
            paths=paths,
            files=paths,
        )
    details = CommitDetails(
        author=AUTHOR,
        message=f"Merge {target} into the run",
        at=run.ended_at or run.updated_at,
        trailers={"Mission-Run": run.id},
    )
    make = partial(merge_commit, top, tip=run.tip, candidate=current, tree=merged.tree, details=details)
    commit = await work(top, make)
    round_id = await _check(context, run, commit, what=f"'{target}' has moved")
    if await work(top, advance, top, run.branch, new=commit, old=run.tip):
        await context.work.write(_caught_up, run_id=run.id, tip=commit, round_id=round_id)


async def _check(context: RunContext, run: Run, commit: str, *, what: str) -> str | None:
    """Run the final checks, and those that every task must pass, on the commit; raise unless they pass.

    Checks that another landing, or one that was killed, has started on the same commit are waited for.
    """
    if not await context.work.read(_checks, run=run):
        return None
    path = finishing.fresh_path(context, run, commit)
    round_id = await context.work.read(_under_way, run=run, path=path)
    if round_id is None:
        checked_out = await merge_place.prepare(context, run, commit=commit, path=path, fresh=True)
        changes = await finishing.whole_changes(context, run, commit=commit)
        round_id = await context.work.write(_open, run=run, checked_out=checked_out, changes=changes)
    await context.checker.settled(round_id, host_id=run.host_id, seconds=CHECK_SECONDS)
    error = await context.work.read(_failure, round_id=round_id, what=what)
    if error is not None:
        raise error
    return round_id


def _ask(
    tx: Tx,
    *,
    run_id: str | None,
    mission_id: str | None,
    squash: bool | None,
    target: str | None,
    states: tuple[RunState, ...],
) -> Run:
    """Record that the run is to land, unless it has; raise an error if it cannot."""
    run = run_view.find_run(tx, run_id=run_id, mission_id=mission_id)
    if (run.landing or {}).get("state") == LANDED:
        return run
    _check_landable(tx, run, states)
    wanted = target or (run.landing or {}).get("target") or run.target
    if wanted is None:
        raise InvalidInput(
            f"target: run {run.id} started without a branch and has none to land on",
            hint="Name the branch: mission land --target BRANCH.",
            field="target",
        )
    landing = {
        "state": "asked",
        "target": parse_branch(wanted, field="target"),
        "squash": run.wanted.squash if squash is None else squash,
        "asked_at": format_time(tx.now),
        "commit": (run.landing or {}).get("commit"),
    }
    return run_changes.save(tx, run, landing=landing)


def _check_landable(tx: Tx, run: Run, states: tuple[RunState, ...]) -> None:
    if run.state not in states:
        raise InvalidState(
            f"run {run.id} is {run.state} and cannot land",
            hint="It lands once it has finished. 'mission show' says what it is waiting for."
            if run.is_live
            else f"Its work is on the branch '{run.branch}'.",
            current=str(run.state),
            legal=[str(RunState.FINISHED)],
        )
    final = run.final or {}
    round = tx.rounds.find(final.get("round_id") or "")
    passed = final.get("round_id") is None or (round is not None and round.state is RoundState.PASSED)
    if not (passed or final.get("accepted")) or final.get("commit") != run.tip:
        raise InvalidState(
            f"the final checks of run {run.id} did not pass on its newest commit",
            hint="Only a checked commit can land. Start another run to repair it.",
        )


def _checks(tx: Tx, *, run: Run) -> list[CheckDefinition]:
    """Return what a new commit must pass to land; final checks that a person did without are not required."""
    found = run_rounds.all_checks(tx, run=run)
    if not (run.final or {}).get("accepted"):
        return found
    final = {each.check.name for each in run_rounds.final_checks(tx, run=run)}
    return [
        replace(each, check=replace(each.check, required=False)) if each.check.name in final else each for each in found
    ]


def _under_way(tx: Tx, *, run: Run, path: Path) -> str | None:
    """Return the round of checks that runs in this worktree."""
    opened = (each for each in tx.rounds.open_on_host(run.host_id) if each.path == str(path) and each.run_id == run.id)
    return next((each.id for each in opened), None)


def _open(tx: Tx, *, run: Run, checked_out: CheckedOut, changes: Mapping[str, Any]) -> str:
    return run_rounds.open_round(
        tx,
        run=run,
        purpose=Purpose.FINAL,
        place=Place.FRESH,
        checked_out=checked_out,
        checks=_checks(tx, run=run),
        changes=changes,
    ).id


def _failure(tx: Tx, *, round_id: str, what: str) -> MissionError | None:
    """Return the error if the checks on the new commit did not pass."""
    round = tx.rounds.get(round_id)
    if round.state is RoundState.PASSED:
        return None
    failed = run_rounds.failed_checks(round)
    return ChecksFailed(
        f"{what}, and with the new commits checks do not pass: {', '.join(failed) or round.reason}",
        hint="Start another run to repair it, or land when the branch is repaired.",
        checks=[{"name": name} for name in failed],
        output=finishing.failure_text(tx, round)[:4000] if round.verdict is not None else round.reason,
    )


def _caught_up(
    tx: Tx, *, run_id: str, tip: str, round_id: str | None, foreign: Sequence[Mapping[str, Any]] = ()
) -> Run:
    """Record a new tip whose checks passed."""
    run = tx.runs.get(run_id)
    final = {**(run.final or {}), "commit": tip, "round_id": round_id}
    return run_changes.save(tx, run, tip=tip, final=final, foreign_commits=[*run.foreign_commits, *foreign])


def _landed(tx: Tx, *, run_id: str, commit: str) -> Run:
    run = tx.runs.get(run_id)
    landing = {**(run.landing or {}), "state": LANDED, "commit": commit, "landed_at": format_time(tx.now)}
    inbox.withdraw(tx, dedupe_key=run_changes.item_key(run, "landing"), reason="it has landed")
    return run_changes.save(tx, run, landing=landing)


def _refused(tx: Tx, *, run: Run, why: MissionError) -> None:
    """Ask a person what to do about a landing that was refused; one that has landed is not undone by what follows."""
    now = run_changes.current(tx, run)
    if now is None:
        return
    if (now.landing or {}).get("state") == LANDED:
        kept = {"cleaned": True, "kept": [{"name": now.branch, "reason": why.message}]}
        run_changes.save(tx, now, landing={**(now.landing or {}), **kept})
        return
    run_changes.save(tx, now, landing={**(now.landing or {}), "state": "asking", "reason": why.message})
    inbox.open_item(
        tx,
        kind=ItemKind.RUN,
        subject=f"The result cannot be landed: {why.message}",
        body=why.hint or "",
        mission_id=now.mission_id,
        choices=(RETRY, LEAVE),
        dedupe_key=run_changes.item_key(now, "landing"),
    )


def _note(tx: Tx, *, run_id: str, values: Mapping[str, Any]) -> None:
    run = tx.runs.get(run_id)
    run_changes.save(tx, run, landing={**(run.landing or {}), **values})


def _squash_details(tx: Tx, *, run_id: str) -> CommitDetails:
    run = tx.runs.get(run_id)
    mission = tx.missions.get(run.mission_id)
    merged = [f"- {task.name}" for task in run_view.tasks_of(tx, run.mission_id) if task.completed_at is not None]
    message = "\n".join([mission.name, "", mission.objective, "", *merged[:100]])
    trailers = {"Mission-Run": run.id}
    return CommitDetails(author=AUTHOR, message=message, at=run.ended_at or run.updated_at, trailers=trailers)


def _answer(tx: Tx, *, run_id: str) -> dict[str, Any]:
    run = tx.runs.get(run_id)
    landing = run.landing or {}
    return {
        "run_id": run.id,
        "mission_id": run.mission_id,
        "target": landing["target"],
        "commit": landing["commit"],
        "squash": bool(landing.get("squash")),
        "removed": list(landing.get("removed") or ()),
        "kept": [dict(each) for each in landing.get("kept") or ()],
    }


def _read(tx: Tx, *, run_id: str) -> Run:
    return tx.runs.get(run_id)


def _target(run: Run) -> str:
    return str((run.landing or {})["target"])
