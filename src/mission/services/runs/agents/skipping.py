"""Skip tasks of a run: end their agents, withdraw their results, and free what depends on them."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.executions.command import CommandKind
from mission.domain.runs.run import Run
from mission.domain.runs.steps import SkipTasks
from mission.domain.tasks.states import DONE, TaskStatus
from mission.services.checks import settling
from mission.services.executions import commands
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import run_changes
from mission.services.tasks import status_changes
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from mission.store.transaction import Tx

SKIPPED = "its task was skipped"
ABOUT_TASK = ("task", "circles", "checks")


async def skip(context: RunContext, run: Run, step: SkipTasks) -> None:
    """Skip the tasks as a person decided, all of them or none."""
    await context.work.write(skip_tasks, run=run, step=step)


def skip_tasks(tx: Tx, *, run: Run, step: SkipTasks) -> None:
    """Skip the tasks that have not ended. What still runs for them ends too."""
    if run_changes.current(tx, run) is None:
        return
    for task_id in step.task_ids:
        candidate = tx.candidates.open_of_task(task_id)
        if candidate is not None:
            _withdraw_rounds(tx, run, candidate.id)
            run_changes.withdraw_candidate(tx, candidate, reason=SKIPPED)
        if tx.tasks.get(task_id).status not in DONE:
            wanted = StatusChange(status=TaskStatus.SKIPPED)
            status_changes.shift(tx, task_id=task_id, wanted=wanted, owner=Owner(agent_id=None, lease=timedelta()))
        execution = tx.executions.newest_of_task(task_id)
        if execution is not None and execution.is_live and not tx.commands.pending_of(execution.id):
            commands.add(tx, execution, CommandKind.STOP)
        for about in ABOUT_TASK:
            inbox.withdraw(tx, dedupe_key=run_changes.item_key(run, f"{about}:{task_id}"), reason=SKIPPED)


def _withdraw_rounds(tx: Tx, run: Run, candidate_id: str) -> None:
    for round in tx.rounds.open_of_mission(run.mission_id):
        if round.candidate_id == candidate_id:
            settling.withdraw(tx, round, reason=SKIPPED)
