"""End agents of a run, and send them commands."""

from __future__ import annotations

from mission.domain import events
from mission.domain.executions.command import CommandKind
from mission.domain.executions.execution import Execution
from mission.domain.runs.run import Run
from mission.domain.runs.steps import StopExecution, Tell
from mission.services.executions import commands
from mission.services.runs.context import RunContext
from mission.store.transaction import Tx


async def stop(context: RunContext, run: Run, step: StopExecution) -> None:
    """End an execution and everything that it started. If another daemon of this host follows it, that one does it."""
    if not await context.work.read(_is_live, run=run, execution_id=step.execution_id):
        return
    execution = await context.work.read(_execution, execution_id=step.execution_id)
    if context.launcher.manages(execution):
        await context.launcher.stop(step.execution_id, reason=step.reason)
    else:
        await context.work.write(_request_stop, run=run, step=step)


async def tell(context: RunContext, run: Run, step: Tell) -> None:
    """Send a command to a running agent; its daemon delivers it."""
    await context.work.write(_tell, run=run, step=step)


def _execution(tx: Tx, *, execution_id: str) -> Execution:
    return tx.executions.get(execution_id)


def _request_stop(tx: Tx, *, run: Run, step: StopExecution) -> None:
    """Record that the execution is to be stopped; the daemon that follows it finds that."""
    if not _is_live(tx, run=run, execution_id=step.execution_id):
        return
    if all(each.kind is not CommandKind.STOP for each in tx.commands.pending_of(step.execution_id)):
        commands.add(tx, tx.executions.get(step.execution_id), CommandKind.STOP, text=step.reason)


def _is_live(tx: Tx, *, run: Run, execution_id: str) -> bool:
    now, execution = tx.runs.find(run.id), tx.executions.find(execution_id)
    is_ours = now is not None and now.fence == run.fence
    return is_ours and execution is not None and execution.is_live


def _tell(tx: Tx, *, run: Run, step: Tell) -> None:
    if not _is_live(tx, run=run, execution_id=step.execution_id):
        return
    execution, kind = tx.executions.get(step.execution_id), CommandKind(step.kind)
    author = f"run {step.about}"
    before = tx.commands.newest(execution.id, kind)
    if before is not None and before.is_pending and before.author == author:
        return
    message = commands.add(tx, execution, kind, author=author)
    tx.emit(events.ExecutionUpdated(execution=execution, message=message))
