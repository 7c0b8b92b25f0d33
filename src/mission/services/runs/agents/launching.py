"""Launch an agent of a run: in the task's own worktree, through the same launcher as every other launch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mission.domain.errors import InvalidState
from mission.domain.executions.signals import Delivery
from mission.domain.runs.options import AgentMix
from mission.domain.runs.run import Run, RunState
from mission.domain.runs.steps import Launch
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.git.working_tree import branch_of
from mission.services.launcher import LaunchRequest
from mission.services.runs.context import RunContext
from mission.services.runs.lifecycle import run_changes
from mission.services.runs.worktrees import task_worktrees
from mission.services.runs.worktrees.task_worktrees import TaskWorktree
from mission.services.tasks import updates
from mission.store.transaction import Tx

COMMAND = "command"
"""The client whose program the mix names."""


async def launch(context: RunContext, run: Run, step: Launch) -> None:
    """Launch the agent; what the view showed is checked again in the transaction that creates the execution."""
    order = await context.work.write(_order, run=run, step=step)
    if order is None:
        return
    worktree = await context.work.read(_worktree, run=run, task_id=step.task_id)
    if worktree.path is not None:
        path = await task_worktrees.ready(context, run, worktree)  # somebody may have deleted it
        if not order.fresh and await context.trees.work(worktree.top, branch_of, path) != worktree.branch:
            order = replace(order, fresh=True)  # the session knows another branch
    await context.launcher.launch(context.work, order)


def _worktree(tx: Tx, *, run: Run, task_id: str) -> TaskWorktree:
    return task_worktrees.find(tx, run, tx.tasks.get(task_id))


def _order(tx: Tx, *, run: Run, step: Launch) -> LaunchRequest | None:
    """Return the launch, with the task free for it; None if it is no longer wanted."""
    now = run_changes.current(tx, run)
    if now is None or now.state is not RunState.RUNNING:
        return None
    mix = now.wanted.agents
    task = tx.tasks.get(step.task_id)
    newest = tx.executions.newest_of_task(task.id)
    is_taken = newest is not None and newest.is_live
    if step.agent >= len(mix) or is_taken or task.status not in (*OPEN, TaskStatus.FAILED):
        return None
    if task.status is TaskStatus.REVIEW or tx.candidates.open_of_task(task.id) is not None:
        return None
    resumes = step.resumes
    if newest is not None and task.owner_id == newest.agent_id and resumes is None:
        updates.release(tx, replace(task, hold=None))  # its agent has ended, and another one takes over
    if now.first_launch_at is None:
        run_changes.save(tx, now, first_launch_at=tx.now)
    return _request(mix[step.agent], step, run=now, fresh=step.fresh or not _same_place(tx, step))


def _same_place(tx: Tx, step: Launch) -> bool:
    """Return whether the session that is to be resumed finds its folder as it was."""
    if step.resumes is None:
        return False
    earlier = tx.executions.get(step.resumes)
    task = tx.tasks.get(step.task_id)
    return earlier.directory is not None and earlier.directory == task.tree and Path(earlier.directory).is_dir()


def _request(agent: AgentMix, step: Launch, *, run: Run, fresh: bool) -> LaunchRequest:
    if agent.client == COMMAND and not agent.command:
        raise InvalidState(
            "no program is set for this run's 'command' agent",
            hint="Set its program, or choose another agent.",
        )
    return LaunchRequest(
        task_id=step.task_id,
        adapter=agent.client,
        delivery=Delivery(agent.delivery) if agent.delivery is not None else None,
        arguments=[*agent.command, *agent.arguments],
        resumes=step.resumes,
        answer=step.answer,
        fresh=fresh,
        failure=step.send_back,
        run_id=run.id,
        run_fence=run.fence,
    )
