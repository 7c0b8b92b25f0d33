"""Use cases of executions: launch an agent on a task, what is known of its process, and how it ends."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from mission.domain import events
from mission.domain.agent import Agent, AgentRole
from mission.domain.errors import InvalidInput, InvalidState, NotFound, PermissionDenied, Unauthenticated
from mission.domain.execution import (
    Execution,
    ExecutionStatus,
    MessageKind,
    MessageState,
    Mode,
    OperatorMessage,
    Protocol,
)
from mission.domain.ids import new_id
from mission.domain.inbox import INPUT_HOLD, ItemKind
from mission.domain.journal import CheckpointType
from mission.domain.signals import Delivery
from mission.domain.task import OPEN, Task, TaskStatus
from mission.services import agents, asking, claims, identity, journal, starting, tasks
from mission.services.agents import Rhythm
from mission.services.footing import Footing, Wish, prepare
from mission.services.starting import Owner
from mission.services.trees import Place, Report, Trees
from mission.services.work import Work
from mission.store.transaction import Tx

Answer = TypeVar("Answer")

LONGEST_SUMMARY = 500
TOOLSETS = "worker"
"""What a launched agent sees of our own tools."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """What an operator wants to launch."""

    task_id: str
    adapter: str
    runtime: str
    delivery: Delivery
    mode: Mode = Mode.HEADLESS
    agent_name: str | None = None
    resumes: str | None = None
    """The ended execution whose agent and task this one goes on with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Created:
    """A new execution and its two secrets, of which only digests are kept: one opens its MCP endpoint, the other
    lets its agent work with our tools."""

    execution: Execution
    agent: Agent
    task: Task
    token: str | None = field(repr=False)
    agent_token: str = field(repr=False)
    warnings: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """How an execution's process ended, or why there will never be one."""

    status: ExecutionStatus
    exit_code: int | None = None
    reason: str | None = None


async def create(
    work: Work,
    trees: Trees,
    *,
    launch: Launch,
    rhythm: Rhythm,
    repository_path: str | None = None,
    directory: str | None = None,
    report: Report | None = None,
    answer: Callable[[Created], Answer],
) -> Answer:
    """Claim and start the task for a new agent, before there is any process; the answer holds the token."""
    footing = await prepare(
        work,
        trees,
        wish=Wish(task_id=launch.task_id),
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


def record(tx: Tx, *, launch: Launch, footing: Footing, token: str | None, host_id: str, rhythm: Rhythm) -> Created:
    """Register the agent, start the task in its name and write the execution down, in one transaction."""
    _check_nobody_works(tx, launch.task_id)
    agent = _agent(tx, launch, footing.place)
    _going_on(tx, launch)
    started = starting.begin(
        tx,
        wish=Wish(task_id=launch.task_id),
        mission_id=footing.mission_id,
        owner=Owner(agent_id=agent.id, lease=rhythm.lease),
        place=footing.place,
        snapshot=footing.snapshot,
        houses=footing.houses,
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
    return Created(
        execution=execution,
        agent=agent,
        task=task,
        token=token,
        agent_token=identity.issue(tx, agent_id=agent.id, toolsets=TOOLSETS),
        warnings=started.warnings,
    )


def started(tx: Tx, *, execution_id: str, process: Mapping[str, Any]) -> Execution:
    """The process runs; `process` is what finds it again after a crash, and holds no secret."""
    execution = tx.executions.get(execution_id)
    moved = execution if execution.status is not ExecutionStatus.STARTING else _moved(execution, tx, _RUNNING)
    return save(tx, replace(moved, process=dict(process), started_at=moved.started_at or tx.now))


def noted(
    tx: Tx, *, execution_id: str, session_id: str | None = None, usage: Mapping[str, Any] | None = None
) -> Execution:
    """What the client's own output tells: its session, what it used."""
    execution = tx.executions.get(execution_id)
    return save(
        tx,
        replace(
            execution,
            session_id=session_id or execution.session_id,
            usage={**(execution.usage or {}), **(usage or {})} or None,
            updated_at=tx.now,
        ),
    )


def resumed(tx: Tx, *, execution_id: str) -> Execution:
    """The agent goes on: its question was answered, or it said so itself."""
    execution = tx.executions.get(execution_id)
    if execution.status is not ExecutionStatus.WAITING:
        return execution
    return save(tx, _moved(execution, tx, _RUNNING))


def alive(tx: Tx, *, execution_ids: Sequence[str], rhythm: Rhythm) -> None:
    """The processes live: their agents count as present and their claims go on."""
    for id in execution_ids:
        execution = tx.executions.find(id)
        if execution is not None and execution.is_live:
            agents.heartbeat(tx, agent_id=execution.agent_id, current_task_id=None, status=None, rhythm=rhythm)


def ended(tx: Tx, *, execution_id: str, end: End, rhythm: Rhythm) -> Execution:
    """The process is gone: its access ends, and its task is kept, looked over or free. Said twice, it is said once."""
    execution = tx.executions.get(execution_id)
    if not execution.is_live:
        return execution
    execution = replace(_moved(execution, tx, end.status), exit_code=end.exit_code, reason=end.reason, process=None)
    keeping = _settle(tx, execution)
    agents.leave(tx, agent_id=execution.agent_id, keeping=keeping, rhythm=rhythm)
    identity.revoke(tx, agent_id=execution.agent_id)
    return save(tx, execution)


def save(tx: Tx, execution: Execution) -> Execution:
    """Store the execution and tell of it."""
    tx.executions.save(execution)
    tx.emit(events.ExecutionUpdated(execution=execution))
    return execution


def tell(tx: Tx, *, execution_id: str, kind: MessageKind, text: str | None, author: str | None) -> OperatorMessage:
    """Write down what the operator tells a running agent; whoever owns its process delivers it."""
    execution = tx.executions.get(execution_id)
    if not execution.is_live:
        raise InvalidState(
            f"execution {execution.id} is {execution.status}: nobody is there to read a message",
            hint="Launch the task again.",
            current=str(execution.status),
        )
    if kind is MessageKind.TEXT and not text:
        raise InvalidInput("text: a message of kind text needs words", hint="Give text.", field="text")
    message = OperatorMessage(
        id=new_id("message"), execution_id=execution_id, kind=kind, text=text, author=author, created_at=tx.now
    )
    tx.executions.add_message(message)
    tx.emit(events.ExecutionUpdated(execution=execution, message=message))
    return message


def told(tx: Tx, *, message_id: str, state: MessageState, reason: str | None = None) -> OperatorMessage:
    """What became of a message."""
    message = tx.executions.message(message_id)
    if message.state is not MessageState.PENDING:
        return message
    delivered = state is MessageState.DELIVERED
    message = replace(message, state=state, reason=reason, delivered_at=tx.now if delivered else None)
    tx.executions.save_message(message)
    tx.emit(events.ExecutionUpdated(execution=tx.executions.get(message.execution_id), message=message))
    return message


def admit(tx: Tx, *, execution_id: str, token: str) -> Execution:
    """The execution that this token opens, or why it does not."""
    execution = tx.executions.find(execution_id)
    if execution is None:
        raise NotFound(f"there is no execution {execution_id[:60]}", execution_id=execution_id[:60])
    digest = identity.hash_of(token)
    if execution.token_hash is not None and hmac.compare_digest(digest, execution.token_hash):
        return execution
    if tx.executions.by_token(digest) is not None:
        raise PermissionDenied(
            f"this token is not the one of execution {execution.id}", hint="Use the address that came with the token."
        )
    if execution.token_hash is None:
        raise Unauthenticated(
            f"execution {execution.id} has no MCP access: it selected {execution.delivery}",
            hint=f"Its signals go by {execution.delivery}.",
        )
    raise Unauthenticated(
        f"the token is not valid for execution {execution.id}",
        hint="Send the token that came with the launch (OPEN_MISSION_MCP_TOKEN) as 'Authorization: Bearer TOKEN'.",
    )


_RUNNING = ExecutionStatus.RUNNING


def _moved(execution: Execution, tx: Tx, status: ExecutionStatus) -> Execution:
    return execution.move_to(status, at=tx.now)


def _check_nobody_works(tx: Tx, task_id: str) -> None:
    """A second launch is told of the first: its operator can do more than an agent that finds a task taken."""
    newest = tx.executions.newest_of_task(task_id)
    if newest is not None and newest.is_live and tx.tasks.get(task_id).owner_id == newest.agent_id:
        raise InvalidState(
            f"execution {newest.id} works on task {task_id} already",
            hint=f"'mission attach {newest.id}' shows it, 'mission stop {newest.id}' ends it.",
            current=str(newest.status),
        )


def _agent(tx: Tx, launch: Launch, place: Place | None) -> Agent:
    """A new worker, or the one of the execution that is resumed."""
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


def _settle(tx: Tx, execution: Execution) -> str | None:
    """What the end of its process means for the task; the task's id when it stays with the agent."""
    task = tx.tasks.get(execution.task_id)
    if task.owner_id != execution.agent_id or task.status not in OPEN:
        return None
    working = task.status in {TaskStatus.IN_PROGRESS, TaskStatus.PAUSED}
    questions = tx.inbox.open_where(kinds=[ItemKind.QUESTION], execution_id=execution.id)
    if questions and working:
        _keep_for_answer(tx, execution, task, question=questions[0].subject)
        return task.id
    if execution.claims_done and working:
        _put_under_review(tx, execution, task)
        return task.id
    _release(tx, execution, task)
    return None


def _keep_for_answer(tx: Tx, execution: Execution, task: Task, *, question: str) -> None:
    """The task waits for the answer in its agent's hands: without a lease, nobody else can take it."""
    paused = task if task.status is TaskStatus.PAUSED else task.move_to(TaskStatus.PAUSED, at=tx.now)
    hold = {"kind": INPUT_HOLD, "reason": question, "by": execution.agent_id}
    tasks.save(tx, task, replace(paused, hold=hold, lease_until=None, updated_at=tx.now))


def _put_under_review(tx: Tx, execution: Execution, task: Task) -> None:
    """The agent says it is done but did not complete the task: a person decides."""
    working = task if task.status is TaskStatus.IN_PROGRESS else task.move_to(TaskStatus.IN_PROGRESS, at=tx.now)
    tasks.save(tx, task, replace(working.move_to(TaskStatus.REVIEW, at=tx.now), lease_until=None))
    words = str((execution.claim or {}).get("summary", ""))
    asking.verdict(tx, task, words=words, agent_id=execution.agent_id, execution_id=execution.id)


def _release(tx: Tx, execution: Execution, task: Task) -> None:
    """The task is free, once a block that was reported is resolved; whoever takes it next reads why it was left."""
    how = execution.reason or (f"exit code {execution.exit_code}" if execution.exit_code is not None else None)
    summary = f"execution {execution.id} ended {execution.status}{f': {how}' if how else ''}"
    left = {"claim": execution.claim, "progress": execution.progress, "hold": task.hold}
    journal.checkpoint(
        tx,
        type=CheckpointType.RECOVERY,
        task_id=task.id,
        summary=summary[:LONGEST_SUMMARY],
        detail={name: dict(value) for name, value in left.items() if value is not None},
        agent_id=execution.agent_id,
        fence=None,
    )
    if task.status is TaskStatus.PAUSED and task.hold is not None:
        free = replace(task, owner_id=None, lease_until=None, claimed_at=None, updated_at=tx.now)
        tasks.save(tx, task, free)
    else:
        claims.give_back(tx, task=task)


def _going_on(tx: Tx, launch: Launch) -> None:
    """An answered task runs already, in the hands of the agent that is about to come back to it."""
    task = tx.tasks.get(launch.task_id)
    if launch.resumes is not None and task.status is TaskStatus.IN_PROGRESS:
        tx.tasks.save(task.move_to(TaskStatus.PAUSED, at=tx.now))
