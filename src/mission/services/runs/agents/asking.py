"""Ask a person about a run, and withdraw what no longer needs an answer."""

from __future__ import annotations

from mission.domain.inbox.item import ItemKind
from mission.domain.runs.run import Run
from mission.domain.runs.steps import Ask, Withdraw
from mission.domain.tasks.states import DONE
from mission.services.inbox import items as inbox
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import run_changes
from mission.store.transaction import Tx


async def ask(context: RunContext, run: Run, step: Ask) -> None:
    """Open one item; one with the same key that is open stays as it is."""
    await context.work.write(open_question, run=run, step=step)


async def withdraw(context: RunContext, run: Run, step: Withdraw) -> None:
    """Close an item that no longer needs an answer."""
    await context.work.write(_withdraw, run=run, step=step)


def open_question(tx: Tx, *, run: Run, step: Ask) -> None:
    """Open the item of a step, if its question still stands."""
    key = run_changes.item_key(run, step.key)
    now = run_changes.current(tx, run)
    if now is None or tx.inbox.open_with_key(key) is not None:
        return
    if step.task_id is not None and tx.tasks.get(step.task_id).status in DONE:
        return
    inbox.open_item(
        tx,
        kind=ItemKind(step.kind),
        subject=step.subject,
        body=step.body,
        mission_id=run.mission_id,
        task_id=step.task_id,
        execution_id=step.execution_id,
        choices=step.choices,
        dedupe_key=key,
    )


def _withdraw(tx: Tx, *, run: Run, step: Withdraw) -> None:
    if run_changes.current(tx, run) is not None:
        inbox.withdraw(tx, dedupe_key=run_changes.item_key(run, step.key), reason=step.reason)
