"""Create an execution: register its agent, start the task in its name, and record the execution."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from mission.domain import events
from mission.domain.agents.agent import Agent, AgentRole
from mission.domain.errors import InvalidState
from mission.domain.executions.execution import Execution, Mode, Protocol
from mission.domain.executions.signals import Delivery
from mission.domain.ids import new_id
from mission.domain.runs import spending
from mission.domain.runs.run import Run, RunState
from mission.domain.tasks.task import Task
from mission.services.agents import access_tokens
from mission.services.agents import registration as agents
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import commands
from mission.services.repositories.working_trees import Report, TreeLocation, Trees
from mission.services.tasks import candidates, starting
from mission.services.tasks.preparation import PreparedStart, TaskRequest, prepare
from mission.services.tasks.starting import Owner
from mission.services.work import Work
from mission.store.transaction import Tx

TOOLSETS = "worker"
"""The toolsets of ours that a launched agent sees."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewExecution:
    """The launch that an operator requests."""

    task_id: str
    adapter: str
    runtime: str
    delivery: Delivery
    mode: Mode = Mode.HEADLESS
    agent_name: str | None = None
    resumes: str | None = None
    """The ended execution whose agent and task this one resumes."""
    command_id: str | None = None
    """The command that requests the launch, if any."""
    run_id: str | None = None
    """The run that requests the launch, if any; it must be running, with this fence."""
    run_fence: int | None = None
    outside_runs: bool = False
    """Whether it is refused for a task of a run: only the run itself launches there."""
    files: str | None = None
    """The folder in which the daemon that launches it keeps the files of its executions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CreatedExecution:
    """A new execution and its two secrets, of which only digests are stored: one opens its MCP endpoint, the other
    lets its agent use our tools."""

    execution: Execution
    agent: Agent
    task: Task
    token: str | None = field(repr=False)
    agent_token: str = field(repr=False)
    warnings: Sequence[str] = ()


async def create(
    work: Work,
    trees: Trees,
    *,
    launch: NewExecution,
    liveness: LivenessSettings,
    repository_path: str | None = None,
    directory: str | None = None,
    report: Report | None = None,
) -> CreatedExecution:
    """Claim and start the task for a new agent, before any process exists."""
    prepared = await prepare(
        work,
        trees,
        request=TaskRequest(task_id=launch.task_id),
        repository_path=repository_path,
        directory=directory,
        report=report,
        hands_out=True,
    )
    token = secrets.token_urlsafe(32) if launch.delivery is Delivery.MCP_TOOL else None
    async with prepared.dropped_if_refused(trees):
        return await work.write(
            record, launch=launch, prepared=prepared, token=token, host_id=trees.host_id, liveness=liveness
        )


def record(
    tx: Tx,
    *,
    launch: NewExecution,
    prepared: PreparedStart,
    token: str | None,
    host_id: str,
    liveness: LivenessSettings,
) -> CreatedExecution:
    """Register the agent, start the task in its name and record the execution, in one transaction."""
    if launch.command_id is not None:
        commands.check_wanted(tx, command_id=launch.command_id)
    if launch.run_id is not None:
        _check_run(tx, launch)
    elif launch.outside_runs:
        _check_outside_runs(tx, launch.task_id)
    _check_nobody_works(tx, launch.task_id)
    agent = _agent(tx, launch, prepared.place)
    started = starting.record(
        tx,
        request=TaskRequest(task_id=launch.task_id),
        mission_id=prepared.mission_id,
        owner=Owner(agent_id=agent.id, lease=liveness.lease),
        place=prepared.place,
        snapshot=prepared.snapshot,
        worktrees=prepared.worktrees,
        resumes=launch.resumes is not None,
    )
    task = started.task
    agents.returned(tx, agent_id=agent.id, task_id=task.id, liveness=liveness)
    protocol = Protocol.of_task(mission_id=task.mission_id, task_id=task.id, tree=task.tree, delivery=launch.delivery)
    id = new_id("execution")
    execution = Execution(
        id=id,
        mission_id=task.mission_id,
        task_id=task.id,
        agent_id=agent.id,
        adapter=launch.adapter,
        mode=launch.mode,
        delivery=launch.delivery,
        protocol=protocol.as_dict(),
        host_id=host_id,
        directory=task.tree,
        resumes=launch.resumes,
        token_hash=access_tokens.hash_of(token) if token is not None else None,
        process={"folder": f"{launch.files}/{id}"} if launch.files is not None else None,
        created_at=tx.now,
        updated_at=tx.now,
    )
    tx.executions.add(execution)
    tx.emit(events.ExecutionCreated(execution=execution))
    if launch.command_id is not None:
        commands.launching(tx, command_id=launch.command_id, execution=execution)
    return CreatedExecution(
        execution=execution,
        agent=agent,
        task=task,
        token=token,
        agent_token=access_tokens.issue(tx, agent_id=agent.id, toolsets=TOOLSETS),
        warnings=started.warnings,
    )


def _check_run(tx: Tx, launch: NewExecution) -> None:
    """Raise unless the run that requests the launch still wants it: it may have been paused or taken over."""
    run = tx.runs.get(launch.run_id or "")
    if run.state is not RunState.RUNNING or run.fence != launch.run_fence:
        raise InvalidState(
            f"run {run.id} is {run.state} or driven by another daemon, and cannot launch agents from here",
            hint="Resume the run.",
            current=str(run.state),
        )
    _check_budget(tx, run)


def _check_budget(tx: Tx, run: Run) -> None:
    """Raise if the run has spent its budget since it decided to launch."""
    wanted = run.wanted
    if wanted.finish_only or not any(limit is not None for limit in wanted.budget.as_dict().values()):
        return
    launched = tx.executions.of_mission_since(run.mission_id, since=run.created_at)
    spent = spending.spent_by(launched, now=tx.now, minutes=run.worked_seconds(now=tx.now) / 60)
    if spending.exhausted(spent, wanted.budget):
        raise InvalidState(f"run {run.id} has spent its budget", hint="Raise the budget, or finish what is open.")


def _check_outside_runs(tx: Tx, task_id: str) -> None:
    run = candidates.run_of(tx, tx.tasks.get(task_id))
    if run is not None:
        raise InvalidState(
            f"task {task_id} is part of run {run.id}, which launches its agents itself",
            hint=f"Watch it with 'mission runs {run.id}', or end it with 'mission stop {run.id}'.",
            current=str(run.state),
            run_id=run.id,
        )


def _check_nobody_works(tx: Tx, task_id: str) -> None:
    """Raise if an execution already works on the task: the error names it, so the operator can attach or stop it."""
    newest = tx.executions.newest_of_task(task_id)
    if newest is not None and newest.is_live and tx.tasks.get(task_id).owner_id == newest.agent_id:
        raise InvalidState(
            f"execution {newest.id} is already working on task {task_id}",
            hint=f"'mission attach {newest.id}' shows it, 'mission stop {newest.id}' ends it.",
            current=str(newest.status),
        )


def _agent(tx: Tx, launch: NewExecution, place: TreeLocation | None) -> Agent:
    """Return a new worker, or the agent of the execution that is resumed."""
    if launch.resumes is not None:
        earlier = tx.executions.get(launch.resumes)
        if earlier.is_live or earlier.task_id != launch.task_id:
            raise InvalidState(
                f"execution {earlier.id} of task {earlier.task_id} is {earlier.status} and cannot be resumed",
                hint="Resume an ended execution of the same task.",
                current=str(earlier.status),
            )
        return tx.agents.get(earlier.agent_id)
    registered = agents.register(
        tx,
        by=None,
        name=launch.agent_name or launch.adapter,
        runtime=launch.runtime,
        role=AgentRole.WORKER,
        capabilities=(),
        workspace_path=str(place.tree.path) if place is not None else None,
        metadata={"launched": True, "adapter": launch.adapter},
    )
    return registered.agent
