"""Create an execution: register its agent, start the task in its name, and record the execution."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from mission.domain import events
from mission.domain.agent import Agent, AgentRole
from mission.domain.errors import InvalidState
from mission.domain.executions.execution import Execution, Mode, Protocol
from mission.domain.executions.signals import Delivery
from mission.domain.ids import new_id
from mission.domain.tasks.task import Task
from mission.services.agents import access_tokens as identity
from mission.services.agents import registration as agents
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import commands
from mission.services.repositories.working_trees import Report, TreeLocation, Trees
from mission.services.tasks import starting
from mission.services.tasks.preparation import PreparedStart, TaskRequest, prepare
from mission.services.tasks.starting import Owner
from mission.services.work import Work
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

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
    rhythm: LivenessSettings,
    repository_path: str | None = None,
    directory: str | None = None,
    report: Report | None = None,
    answer: Callable[[CreatedExecution], Answer],
) -> Answer:
    """Claim and start the task for a new agent, before any process exists; the answer contains the token."""
    footing = await prepare(
        work,
        trees,
        wish=TaskRequest(task_id=launch.task_id),
        repository_path=repository_path,
        directory=directory,
        report=report,
        hands_out=True,
    )
    token = secrets.token_urlsafe(32) if launch.delivery is Delivery.MCP_TOOL else None
    async with footing.kept_by(trees):
        return await work.write(
            record, launch=launch, footing=footing, token=token, host_id=trees.host_id, rhythm=rhythm, answer=answer
        )


def record(
    tx: Tx, *, launch: NewExecution, footing: PreparedStart, token: str | None, host_id: str, rhythm: LivenessSettings
) -> CreatedExecution:
    """Register the agent, start the task in its name and record the execution, in one transaction."""
    if launch.command_id is not None:
        commands.check_wanted(tx, command_id=launch.command_id)
    _check_nobody_works(tx, launch.task_id)
    agent = _agent(tx, launch, footing.place)
    started = starting.begin(
        tx,
        wish=TaskRequest(task_id=launch.task_id),
        mission_id=footing.mission_id,
        owner=Owner(agent_id=agent.id, lease=rhythm.lease),
        place=footing.place,
        snapshot=footing.snapshot,
        houses=footing.houses,
        resumes=launch.resumes is not None,
    )
    task = started.task
    agents.returned(tx, agent_id=agent.id, task_id=task.id, rhythm=rhythm)
    protocol = Protocol.of_task(mission_id=task.mission_id, task_id=task.id, tree=task.tree, delivery=launch.delivery)
    execution = Execution(
        id=new_id("execution"),
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
        token_hash=identity.hash_of(token) if token is not None else None,
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
        agent_token=identity.issue(tx, agent_id=agent.id, toolsets=TOOLSETS),
        warnings=started.warnings,
    )


def _check_nobody_works(tx: Tx, task_id: str) -> None:
    """Raise if an execution already works on the task: the error names it, so the operator can attach or stop it."""
    newest = tx.executions.newest_of_task(task_id)
    if newest is not None and newest.is_live and tx.tasks.get(task_id).owner_id == newest.agent_id:
        raise InvalidState(
            f"execution {newest.id} already works on task {task_id}",
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
                hint="Resume an execution of the same task that has ended.",
                current=str(earlier.status),
            )
        return tx.agents.get(earlier.agent_id)
    seen = agents.register(
        tx,
        by=None,
        name=launch.agent_name or launch.adapter,
        runtime=launch.runtime,
        role=AgentRole.WORKER,
        capabilities=(),
        workspace_path=str(place.tree.path) if place is not None else None,
        metadata={"launched": True, "adapter": launch.adapter},
    )
    return seen.agent
