"""Steering a run: pause it, continue it, stop it, change its options."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mission.domain.errors import InvalidState, MissionError
from mission.domain.executions.command import CommandKind
from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import ItemKind
from mission.domain.plans.option_fields import parse_branch
from mission.domain.runs import spending
from mission.domain.runs.run import LIVE, Run, RunState
from mission.domain.tasks import moves
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.checks import settling
from mission.services.executions import commands
from mission.services.inbox import items as inbox
from mission.services.launcher import Launcher
from mission.services.runs.lifecycle import run_changes, run_options, run_view
from mission.services.tasks import updates
from mission.services.work import Work
from mission.store.transaction import Tx

STOPPED = "the run was stopped"
ASKED_BY_AGENTS = (ItemKind.QUESTION, ItemKind.BLOCKER, ItemKind.REVIEW, ItemKind.FAILURE)
RESUMED = {str(RunState.READY): RunState.READY, str(RunState.PLANNING): RunState.READY}
"""The state that a paused run continues with, unless it is `running`."""


def pause(tx: Tx, *, run_id: str | None, mission_id: str | None, reason: str | None) -> dict[str, Any]:
    """Pause a run; one that is paused stays so."""
    run = run_view.find_run(tx, run_id=run_id, mission_id=mission_id)
    if run.state is not RunState.PAUSED:
        _check_live(run, "paused")
        run = run_changes.move(tx, run, RunState.PAUSED, reason=reason or "A person paused it.")
    return steered(run)


async def resume(
    work: Work, launcher: Launcher, *, run_id: str | None, mission_id: str | None, handover: str | None = None
) -> dict[str, Any]:
    """Continue a paused run; one that is not paused stays as it is. A shell may hand over variables for its clients."""
    run = await work.read(run_view.find_run, run_id=run_id, mission_id=mission_id)
    if handover is not None:
        _check_live(run, "resumed")
        launcher.keep_variables(run.id, handover)
    return await work.finish(_resume, run_id=run.id)


def _resume(tx: Tx, *, run_id: str) -> dict[str, Any]:
    run = tx.runs.get(run_id)
    _check_live(run, "resumed")
    if run.state is RunState.PAUSED:
        return steered(run_changes.move(tx, run, RESUMED.get(run.paused_from or "", RunState.RUNNING)))
    return steered(run_changes.save(tx, run))  # its driver looks again: clients may have their variables now


def update(
    tx: Tx, *, run_id: str | None, mission_id: str | None, options: Mapping[str, Any], clients: Collection[str]
) -> dict[str, Any]:
    """Change the options of a live run. A budget that is raised far enough needs no answer any more."""
    run = run_view.find_run(tx, run_id=run_id, mission_id=mission_id)
    _check_live(run, "changed")
    wanted = run_options.with_given(run.wanted, options)
    run_options.check_clients(wanted.agents, clients=clients, wanted=())
    target = options.get("target")
    if options.get("budget") is not None:
        wanted = wanted.changed({"finish_only": False})
    run = run_changes.save(
        tx,
        run,
        options=wanted.as_dict(),
        target=parse_branch(target, field="target") if target is not None else run.target,
    )
    spent = run_view.run_spending(run_view.read_rows(tx, run))
    if not spending.exhausted(spent, wanted.budget):
        inbox.withdraw(tx, dedupe_key=run_changes.item_key(run, "budget"), reason="the budget was raised")
    return run_view.describe(tx, run)


async def stop(
    work: Work, launcher: Launcher, *, run_id: str | None, mission_id: str | None, reason: str | None, by: str
) -> dict[str, Any]:
    """Stop a run and wait until its agents have ended."""
    run, live = await work.write(stop_run, run_id=run_id, mission_id=mission_id, reason=reason or f"{by} stopped it.")
    for execution in live:
        with suppress(MissionError):  # it ended by itself, or its own host ends it
            await launcher.stop(execution.id)
    await work.finish(release_tasks, run_id=run.id)
    return await work.read(_steered, run_id=run.id)


def stop_run(tx: Tx, *, run_id: str | None, mission_id: str | None = None, reason: str) -> tuple[Run, list[Execution]]:
    """End a run: withdraw its results, checks and questions, and request the stop of its agents. Idempotent."""
    run = run_view.find_run(tx, run_id=run_id, mission_id=mission_id)
    live = [each for each in _executions(tx, run) if each.is_live]
    if run.state is RunState.STOPPED:
        return run, live
    run = run_changes.move(tx, run, RunState.STOPPED, reason=reason)
    for candidate in tx.candidates.open_of_run(run.id):
        run_changes.withdraw_candidate(tx, candidate, reason=STOPPED)
    for round in tx.rounds.of_run(run.id):
        if round.is_open:
            settling.withdraw(tx, round, reason=STOPPED)
    run_changes.withdraw_items(tx, run, reason=STOPPED)
    for execution in live:
        commands.add(tx, execution, CommandKind.STOP)
    release_tasks(tx, run_id=run.id)
    return run, live


def release_tasks(tx: Tx, *, run_id: str) -> dict[str, Any]:
    """Set the tasks that a stopped run worked on back to pending, once no agent of it works on them."""
    run = tx.runs.get(run_id)
    executions = _executions(tx, run)
    busy = {each.task_id for each in executions if each.is_live}
    touched = {each.task_id for each in executions} | {each.task_id for each in tx.candidates.of_run(run.id)}
    for task_id in sorted(touched - busy):
        _release(tx, tx.tasks.get(task_id))
    return steered(run)


def _release(tx: Tx, task: Task) -> None:
    if task.status is TaskStatus.REVIEW:
        updates.apply(tx, moves.sent_back(replace(task, hold=None), at=tx.now))
    elif task.status is TaskStatus.PAUSED or (task.status is TaskStatus.IN_PROGRESS and task.lease_until is None):
        updates.release(tx, replace(task, hold=None))
    else:
        return
    inbox.withdraw(tx, task_id=task.id, kinds=ASKED_BY_AGENTS, reason=STOPPED)


def steered(run: Run) -> dict[str, Any]:
    """Return what a person wants to know after steering a run."""
    return {"run_id": run.id, "mission_id": run.mission_id, "state": str(run.state), "reason": run.reason}


def _steered(tx: Tx, *, run_id: str) -> dict[str, Any]:
    return steered(tx.runs.get(run_id))


def _executions(tx: Tx, run: Run) -> list[Execution]:
    return tx.executions.of_mission_since(run.mission_id, since=run.created_at)


def _check_live(run: Run, wanted: str) -> None:
    if run.state not in LIVE:
        raise InvalidState(
            f"run {run.id} is {run.state} and cannot be {wanted}",
            hint=f"Start another one: mission run {run.mission_id}",
            current=str(run.state),
            legal=[str(state) for state in LIVE],
        )
