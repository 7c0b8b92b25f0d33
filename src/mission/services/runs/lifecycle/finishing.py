"""The end of a run: final checks in a fresh worktree, repair tasks for what fails, and the completed mission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mission.domain import events
from mission.domain.checks import failures
from mission.domain.checks.check import Check
from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Place, ProofState
from mission.domain.checks.round import CheckRound, Purpose, RoundState
from mission.domain.checks.verdict import Verdict
from mission.domain.missions.mission import ENDED, MissionOutcome, MissionStatus
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import AddRepair, CheckFinal, Finish, Move
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.git.integration.commit_changes import changes_between
from mission.services.evidence import definitions
from mission.services.missions import completion, planning
from mission.services.missions.planning import NewTask
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import controls, run_changes, run_rounds, run_view
from mission.services.runs.merging import tip_following
from mission.services.runs.worktrees import merge_place
from mission.services.runs.worktrees.discarding import discard_if_unused
from mission.services.runs.worktrees.merge_place import CheckedOut
from mission.store.transaction import Tx

MAX_REPAIRS = 2
REPAIR = "Repair what the final checks found"


async def move(context: RunContext, run: Run, step: Move) -> None:
    """Move a run to another state."""
    await context.work.write(_move, run=run, step=step)


def _move(tx: Tx, *, run: Run, step: Move) -> None:
    now = run_changes.current(tx, run)
    if now is None or now.state is step.state or now.state is RunState.PAUSED:
        return
    mission = tx.missions.get(now.mission_id)
    if step.state is RunState.FINISHING and mission.status in ENDED - {MissionStatus.COMPLETED}:
        controls.stop_run(tx, run_id=now.id, reason=f"The mission is {mission.status}.")
        return
    run_changes.move(tx, now, step.state, reason=step.reason)


async def check_final(context: RunContext, run: Run, _: CheckFinal) -> None:
    """Check the tip out into a fresh worktree, set it up from nothing, and start the final checks there.

    Commits that somebody put on the branch since the last merge are part of the tip.
    """
    found = await context.work.read(_finishing, run=run)
    now = await tip_following.follow(context, found) if found is not None else None
    if now is None:
        return
    checks = await context.work.read(run_rounds.checks_of_tip, run=now)
    if any(each.defined.waits for each in checks):
        return  # an inbox item asks a person about them
    checked_out, changes = None, None
    if checks:
        path = fresh_path(context, now, now.tip)
        checked_out = await merge_place.prepare(context, now, commit=now.tip, path=path, fresh=True)
        changes = await whole_changes(context, now, commit=now.tip)
    round_id = await context.work.write(_open_final, run=now, checked_out=checked_out, changes=changes)
    if round_id is not None:
        context.checker.drive(round_id)


def fresh_path(context: RunContext, run: Run, commit: str) -> Path:
    """Return the folder of the fresh worktree for a commit."""
    return context.worktrees / run.id / f"fresh-{commit[:12]}"


async def whole_changes(context: RunContext, run: Run, *, commit: str) -> Mapping[str, Any]:
    """Return everything that the run changed, for checks that look at changed files."""
    top = Path(run.repository)
    found = await context.trees.work(top, changes_between, top, run.base_commit, commit)
    return found.as_dict()


def _finishing(tx: Tx, *, run: Run) -> Run | None:
    now = run_changes.current(tx, run)
    if now is None or now.state is not RunState.FINISHING:
        return None
    final = now.final or {}
    round = tx.rounds.find(final.get("round_id") or "")
    is_under_way = round is not None and round.is_open and final.get("commit") == now.tip
    return None if is_under_way else now


def _open_final(tx: Tx, *, run: Run, checked_out: CheckedOut | None, changes: Mapping[str, Any] | None) -> str | None:
    """Record which commit is checked, and open the round; without final checks there is none."""
    now = _finishing(tx, run=run)
    if now is None or now.tip != run.tip:
        return None
    earlier = now.final or {}
    final = {name: earlier[name] for name in ("repairs", "repaired", "rounds") if name in earlier}
    if checked_out is None:
        run_changes.save(tx, now, final={**final, "commit": now.tip, "round_id": None})
        return None
    round = run_rounds.open_round(
        tx,
        run=now,
        purpose=Purpose.FINAL,
        place=Place.FRESH,
        checked_out=checked_out,
        checks=run_rounds.checks_of_tip(tx, run=now),
        changes=changes,
    )
    run_changes.save(tx, now, final={**final, "commit": now.tip, "round_id": round.id})
    return round.id if round.is_open else None


async def add_repair(context: RunContext, run: Run, step: AddRepair) -> None:
    """Add one task that repairs what the final checks found, and continue the run with it."""
    await context.work.write(_add_repair, run=run, round_id=step.round_id)


def _add_repair(tx: Tx, *, run: Run, round_id: str) -> str | None:
    now = run_changes.current(tx, run)
    round = tx.rounds.find(round_id)
    final = dict(now.final or {}) if now is not None else {}
    repairs, repaired = list(final.get("repairs") or ()), list(final.get("repaired") or ())
    if now is None or now.state is not RunState.FINISHING or round is None or final.get("round_id") != round_id:
        return None
    if round.state is not RoundState.FAILED or len(repairs) >= MAX_REPAIRS or round_id in repaired:
        return None
    task_id = _repair_task(tx, now, round, number=len(repairs) + 1)
    final |= {"repairs": [*repairs, task_id], "repaired": [*repaired, round_id]}
    run_changes.move(tx, now, RunState.RUNNING, reason="A task repairs what the final checks found.", final=final)
    return task_id


def _repair_task(tx: Tx, run: Run, round: CheckRound, *, number: int) -> str:
    """Add the task; it must pass the final checks that failed."""
    failed = run_rounds.failed_checks(round)
    new = NewTask(
        name=_free_name(tx, run, number=number),
        description=(
            "All tasks of this mission are merged, but final checks fail on the whole result in a fresh worktree: "
            f"{', '.join(failed)}. Find out why and repair it.\n\n{failure_text(tx, round)}"
        ),
        sequence=max(tx.plans.phases(run.mission_id), default=0) + 1,
    )
    planning.extend(tx, mission_id=run.mission_id, new=[new])
    _add_checks(tx, run, new.id, names=failed)
    return new.id


def _add_checks(tx: Tx, run: Run, task_id: str, *, names: Sequence[str]) -> None:
    mission = tx.missions.get(run.mission_id)
    taken = {each.check.name for each in definitions.effective(tx, tx.tasks.get(task_id))}
    wanted = [each for each in run_rounds.checks_of_tip(tx, run=run) if each.check.name in set(names) - taken]
    for path, checks in _by_path(wanted).items():
        definitions.propose(tx, mission=mission, checks={task_id: checks}, agent_id=None, path=path)


def _by_path(found: Sequence[CheckDefinition]) -> dict[str | None, list[Check]]:
    grouped: dict[str | None, list[Check]] = {}
    for each in found:
        grouped.setdefault(each.path, []).append(each.check)
    return grouped


def _free_name(tx: Tx, run: Run, *, number: int) -> str:
    while tx.plans.known(run.mission_id, [name := f"{REPAIR} ({number})"]):
        number += 1
    return name


def failure_text(tx: Tx, round: CheckRound) -> str:
    """Return what failed in words: each check with its command and the end of its output."""
    verdict = Verdict.from_dict(round.verdict or {"state": str(round.state), "proves": False, "results": []})
    error = failures.error_of(verdict, tx.evidence.of_round(round.id), task_id="", tree=round.tree)
    return failures.as_text(error) if verdict.state is RoundState.FAILED else error.message


async def finish(context: RunContext, run: Run, _: Finish) -> None:
    """Complete the mission and end the run; its report is read from the rows. What it was checked in is removed."""
    if await context.work.write(_finish, run=run):
        await discard_if_unused(context, run)


def _finish(tx: Tx, *, run: Run) -> bool:
    now = run_changes.current(tx, run)
    if now is None or now.state is not RunState.FINISHING:
        return False
    tasks = run_view.tasks_of(tx, now.mission_id)
    mission = tx.missions.get(now.mission_id)
    if mission.status not in ENDED:
        completion.complete(
            tx,
            mission_id=mission.id,
            outcome=MissionOutcome.COMPLETED if _is_whole(now, tasks) else MissionOutcome.PARTIAL,
            summary=_summary(now, tasks),
            achievements=[task.name for task in tasks if task.status is TaskStatus.COMPLETED],
            limitations=_limitations(now, tasks),
        )
    run_changes.withdraw_items(tx, now, reason="the run has finished")
    finished = run_changes.move(tx, now, RunState.FINISHED, reason=_summary(now, tasks))
    tx.emit(events.RunFinished(run=finished))
    return True


def _is_whole(run: Run, tasks: Sequence[Task]) -> bool:
    accepted = bool((run.final or {}).get("accepted"))
    return not accepted and all(task.status is TaskStatus.COMPLETED for task in tasks)


def _summary(run: Run, tasks: Sequence[Task]) -> str:
    merged = sum(task.status is TaskStatus.COMPLETED for task in tasks)
    landing = run.landing or {}
    where = f" and landed on {landing['target']}" if landing.get("state") == "landed" else f" on {run.branch}"
    return f"{merged} of {len(tasks)} tasks are merged{where}."


def _limitations(run: Run, tasks: Sequence[Task]) -> list[str]:
    skipped = [f"'{task.name}' was skipped." for task in tasks if task.status is TaskStatus.SKIPPED]
    unproved = [f"'{task.name}' is not proved." for task in tasks if task.proof_state is ProofState.UNPROVED]
    waived = [f"The check '{each.get('check')}' was waived." for each in run.waivers]
    accepted = ["A person accepted the result even though final checks failed."]
    return [*skipped, *unproved, *waived, *(accepted if (run.final or {}).get("accepted") else ())]
