"""Use cases of a failed attempt: a person's answer restarts the task, gives it to another agent, or skips it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.executions.execution import OperatorMessageState
from mission.domain.inbox.item import GIVE_TO_ANOTHER, SKIP, InboxItem, ItemKind
from mission.domain.message import HUMAN, MessageType
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.services.agents import registration as agents
from mission.services.answers import resume_rules
from mission.services.executions import commands
from mission.services.inbox import task_requests
from mission.services.messages import sending
from mission.services.tasks import claims, journal, status_changes, updates
from mission.services.tasks.claims import PreparedClaim
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from mission.store.transaction import Tx


def other_agent(tx: Tx, *, item_id: str, text: str, choice: int | None, clients: Collection[str]) -> str | None:
    """Return the agent that an answer gives the failed task to; None if it does something else.

    Raise InvalidInput if it names neither an agent nor a client.
    """
    item = tx.inbox.get(item_id)
    if item.kind is not ItemKind.FAILURE or not item.is_open or item.choice_of(choice) != GIVE_TO_ANOTHER:
        return None
    words = resume_rules.words_of(text)
    if not words or words[0] in clients:
        return None
    try:
        return agents.find(tx, reference=text.strip(), field="text").id
    except MissionError as error:
        raise InvalidInput(
            f"text: '{text.strip()[:60]}' is neither an agent nor a client",
            hint=f"{error.hint or ''} The clients are: {', '.join(sorted(clients))}.".strip(),
            field="text",
        ) from error


def answered(tx: Tx, item: InboxItem, *, hands_over: bool) -> None:
    """Carry out the answer within the store. A launch becomes a command; with `hands_over` none is needed."""
    assert item.task_id is not None
    journal.note(
        tx, task_id=item.task_id, summary=f"{item.closed_by} answered the failure: {_in_words(item)}", detail=None
    )
    if item.chosen == SKIP:
        owner = Owner(agent_id=None, lease=timedelta())
        status_changes.shift(tx, task_id=item.task_id, wanted=StatusChange(status=TaskStatus.SKIPPED), owner=owner)
    elif not hands_over:
        resume_rules.retry(tx, item)


def hand_over(tx: Tx, item: InboxItem, *, agent_id: str, lease: timedelta, prepared: PreparedClaim) -> str:
    """Claim the failed task for another agent and send it a message. Return the message's id."""
    task = tx.tasks.get(item.task_id or "")
    claim = claims.claim_prepared(tx, task_id=task.id, agent_id=agent_id, lease=lease, prepared=prepared)
    if claim.task is None:
        raise InvalidState(f"task {task.id} now belongs to {claim.holder}", hint="Dismiss the item.")
    message = sending.send(
        tx,
        sender=HUMAN,
        recipient=agent_id,
        type=MessageType.TASK_ASSIGNMENT,
        subject=f"Your task: {task.name}",
        body=f"You now own task {task.id}. Its last attempt failed: {item.subject}",
        mission_id=task.mission_id,
        task_id=task.id,
    )
    return message.id


def not_launched(tx: Tx, *, command_id: str, error: MissionError) -> None:
    """Ask again about a task that could not be launched as an answer requested, if the launch is still needed."""
    wanted = commands.obstacle(tx, command_id=command_id) is None
    command = commands.mark_delivered(
        tx, message_id=command_id, state=OperatorMessageState.FAILED, reason=error.message
    )
    if not wanted:
        return
    execution = tx.executions.get(command.execution_id)
    task = tx.tasks.get(execution.task_id)
    if task.owner_id == execution.agent_id and task.status in OPEN:
        task = updates.release(tx, task)
    task_requests.failed(
        tx,
        task,
        reason=f"It could not be launched again: {error.message}",
        detail=error.hint or "",
        agent_id=execution.agent_id,
        execution_id=execution.id,
    )


def _in_words(item: InboxItem) -> str:
    label = str(item.chosen.get("label") or "")
    return ": ".join(filter(None, (label, item.answer_text)))
