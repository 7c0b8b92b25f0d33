"""The commands of executions: a caller adds one, and the execution's daemon carries it out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mission.domain import events
from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.executions.command import OPERATOR_KINDS, CommandKind, ExecutionCommand, NextLaunch
from mission.domain.executions.execution import (
    LIVE,
    Execution,
    Mode,
    OperatorMessageKind,
    OperatorMessageState,
)
from mission.domain.ids import new_id
from mission.domain.message import HUMAN
from mission.domain.missions.mission import ENDED
from mission.domain.tasks.states import FREE, OPEN
from mission.services.messages import sending
from mission.store.transaction import Tx

LAST_WORDS = timedelta(seconds=60)
"""How long an agent may continue after it ended its task, when its mission has ended too."""
FROM_OPERATOR = "From the operator"


def send_message(
    tx: Tx, *, execution_id: str, kind: OperatorMessageKind, text: str | None, author: str | None
) -> ExecutionCommand:
    """Record the operator's message to a running agent."""
    execution = tx.executions.get(execution_id)
    if not execution.is_live:
        raise InvalidState(
            f"execution {execution.id} is {execution.status} and cannot receive messages",
            hint="Launch the task again.",
            current=str(execution.status),
        )
    if kind is OperatorMessageKind.TEXT and not text:
        raise InvalidInput("text: a message of kind text must not be empty", hint="Give text.", field="text")
    message = add(tx, execution, CommandKind(kind), text=text, author=author)
    tx.emit(events.ExecutionUpdated(execution=execution, message=message))
    return message


def add(
    tx: Tx,
    execution: Execution,
    kind: CommandKind,
    *,
    text: str | None = None,
    author: str | None = None,
    wait: timedelta | None = None,
    launch: NextLaunch | None = None,
) -> ExecutionCommand:
    """Record a command. The daemon of the execution's host finds it, even after being killed and restarted."""
    command = ExecutionCommand(
        id=new_id("message"),
        execution_id=execution.id,
        kind=kind,
        text=text,
        author=author,
        not_before=tx.now + wait if wait is not None else None,
        launch=launch.as_dict() if launch is not None else None,
        fence=tx.tasks.get(execution.task_id).fence if launch is not None else None,
        created_at=tx.now,
    )
    tx.commands.add(command)
    return command


def due(tx: Tx, *, host_id: str) -> list[tuple[ExecutionCommand, Execution]]:
    """List the commands that are due on a host, oldest first."""
    found = tx.commands.due(host_id=host_id, now=tx.now)
    return [(command, tx.executions.get(command.execution_id)) for command in found]


def mark_delivered(
    tx: Tx, *, message_id: str, state: OperatorMessageState, reason: str | None = None
) -> ExecutionCommand:
    """Record the result of a command. If it is recorded twice, the first counts."""
    command = tx.commands.get(message_id)
    if not command.is_pending:
        return command
    delivered = state is OperatorMessageState.DELIVERED
    command = replace(command, state=state, reason=reason, delivered_at=tx.now if delivered else None)
    tx.commands.save(command)
    if command.kind in OPERATOR_KINDS:
        execution = tx.executions.get(command.execution_id)
        tx.emit(events.ExecutionUpdated(execution=execution, message=command))
    return command


def put_in_mailbox(tx: Tx, *, command_id: str, words: str) -> None:
    """Deliver a message to an agent without a terminal: both steps happen, or neither."""
    command = tx.commands.get(command_id)
    if command.is_pending:
        add_to_mailbox(tx, tx.executions.get(command.execution_id), words)
        mark_delivered(tx, message_id=command.id, state=OperatorMessageState.DELIVERED, reason="put into its mailbox")


def add_to_mailbox(tx: Tx, execution: Execution, words: str) -> None:
    """Put the operator's message into the agent's mailbox."""
    sending.send(
        tx, sender=HUMAN, recipient=execution.agent_id, subject=FROM_OPERATOR, body=words, task_id=execution.task_id
    )


def typed(tx: Tx, *, command_id: str) -> None:
    """Record that text reached a terminal. If it was the last answer, the agent has what it asked for."""
    command = mark_delivered(tx, message_id=command_id, state=OperatorMessageState.DELIVERED)
    execution = tx.executions.get(command.execution_id)
    if command.kind is CommandKind.ANSWER and not any(item.is_open for item in tx.inbox.find(execution.asked_last)):
        tx.executions.save(replace(execution, asked_last=()))


def start_again(tx: Tx, execution: Execution, launch: NextLaunch) -> ExecutionCommand:
    """Request a new launch of an ended execution's task. It is valid only until another agent takes the task."""
    for earlier in tx.commands.pending_of(execution.id):
        if earlier.kind is CommandKind.START_AGAIN:
            mark_delivered(
                tx, message_id=earlier.id, state=OperatorMessageState.FAILED, reason="replaced by a later answer"
            )
    return add(tx, execution, CommandKind.START_AGAIN, launch=launch)


def obstacle(tx: Tx, *, command_id: str) -> str | None:
    """Return why a launch is no longer needed; None while it is."""
    command = tx.commands.get(command_id)
    if not command.is_pending:
        return f"it is already {command.state}"
    execution = tx.executions.get(command.execution_id)
    task = tx.tasks.get(execution.task_id)
    if task.fence != command.fence or task.owner_id not in (None, execution.agent_id):
        return f"another agent has taken task {task.id}"
    if task.status not in OPEN | FREE:
        return f"task {task.id} is {task.status}"
    mission = tx.missions.get(task.mission_id)
    return f"mission {mission.id} is {mission.status}" if mission.status in ENDED else None


def check_wanted(tx: Tx, *, command_id: str) -> None:
    """Raise InvalidState if a launch is no longer needed."""
    reason = obstacle(tx, command_id=command_id)
    if reason is not None:
        raise InvalidState(f"the launch is no longer needed: {reason}", hint="Check the task, then launch it again.")


def launching(tx: Tx, *, command_id: str, execution: Execution) -> None:
    """Record the execution that a command created; the command is pending until its program runs."""
    command = tx.commands.get(command_id)
    tx.commands.save(replace(command, launched=execution.id, fence=tx.tasks.get(execution.task_id).fence))


def launched(tx: Tx, execution: Execution) -> None:
    """Mark the command that requested this execution as delivered: its program runs."""
    command = tx.commands.launching(execution.id)
    if command is not None:
        mark_delivered(tx, message_id=command.id, state=OperatorMessageState.DELIVERED)


def is_being_launched(tx: Tx, command: ExecutionCommand) -> bool:
    """Return whether the execution that a command made is still about to run."""
    made = tx.executions.find(command.launched) if command.launched is not None else None
    return made is not None and made.is_live


def stop_all(tx: Tx, *, mission_id: str) -> list[str]:
    """Request the stop of a mission's running agents because it has ended. Return the ids of their executions.

    An agent that ended its task itself may finish its output.
    """
    running = tx.executions.ids(mission_id=mission_id, statuses=LIVE)
    for execution in map(tx.executions.get, running):
        ended_it_itself = tx.tasks.get(execution.task_id).owner_id == execution.agent_id
        spare = ended_it_itself and execution.mode is Mode.HEADLESS
        add(tx, execution, CommandKind.STOP, wait=LAST_WORDS if spare else None)
    return running


def end(tx: Tx, execution: Execution) -> None:
    """Close the pending commands of an execution that has ended."""
    for command in tx.commands.pending_of(execution.id):
        if command.kind is CommandKind.STOP:
            mark_delivered(tx, message_id=command.id, state=OperatorMessageState.DELIVERED)
        elif command.kind is not CommandKind.START_AGAIN:
            mark_delivered(
                tx,
                message_id=command.id,
                state=OperatorMessageState.FAILED,
                reason=f"execution {execution.id} has already ended",
            )
