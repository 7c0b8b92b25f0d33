"""Use cases of a failed attempt: a person's answer starts the task again, gives it to another, or skips it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from mission.domain.errors import InvalidInput, InvalidState, MissionError
from mission.domain.executions.execution import Execution
from mission.domain.inbox.item import GIVE_TO_ANOTHER, SKIP, InboxItem, ItemKind, ItemState
from mission.domain.message import HUMAN, MessageType
from mission.domain.missions.mission import ENDED
from mission.domain.tasks.task import FREE, TaskStatus
from mission.services.agents import registration as agents
from mission.services.inbox import task_requests as asking
from mission.services.messages import sending as mail
from mission.services.tasks import claims, journal
from mission.services.tasks import status_changes as steering
from mission.services.tasks.recovery_packet import Looked
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from mission.services.workspaces.per_task import PreparedWorktrees
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class NextLaunch:
    """How a person wants a failed task to be launched again."""

    execution: Execution
    """The one that failed."""
    client: str | None = None
    """Another client, with arguments of its own; None for the same launch again."""
    arguments: Sequence[str] = ()
    hint: str | None = None


def other_agent(tx: Tx, *, item_id: str, text: str, choice: int | None, clients: Collection[str]) -> str | None:
    """Return the agent that an answer gives the failed task to; None if it does something else.

    Raise InvalidInput if it names neither an agent nor a client.
    """
    item = tx.inbox.get(item_id)
    if item.kind is not ItemKind.FAILURE or not item.is_open or item.choice_of(choice) != GIVE_TO_ANOTHER:
        return None
    words = _words(text)
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


def answered(tx: Tx, item: InboxItem) -> None:
    """Do what the answer says within the store. What has to be launched is read back by `next_launch`."""
    assert item.task_id is not None
    journal.note(
        tx, task_id=item.task_id, summary=f"{item.closed_by} answered the failure: {_in_words(item)}", detail=None
    )
    if item.chosen == SKIP:
        owner = Owner(agent_id=None, lease=timedelta())
        steering.shift(tx, task_id=item.task_id, wanted=StatusChange(status=TaskStatus.SKIPPED), owner=owner)


def hand_over(
    tx: Tx, item: InboxItem, *, agent_id: str, lease: timedelta, looked: Looked, houses: PreparedWorktrees
) -> str:
    """Claim the failed task for another agent and write to it. Return the message's id."""
    task = tx.tasks.get(item.task_id or "")
    claim = claims.claim_prepared(tx, task_id=task.id, agent_id=agent_id, lease=lease, looked=looked, houses=houses)
    if claim.task is None:
        raise InvalidState(f"task {task.id} belongs to {claim.holder} now", hint="Dismiss the item.")
    message = mail.send(
        tx,
        sender=HUMAN,
        recipient=agent_id,
        type=MessageType.TASK_ASSIGNMENT,
        subject=f"Your task: {task.name}",
        body=f"You have task {task.id} now. Its last attempt failed: {item.subject}",
        mission_id=task.mission_id,
        task_id=task.id,
    )
    return message.id


def next_launch(tx: Tx, *, execution_id: str) -> NextLaunch | None:
    """Return the launch that a person's answer about a failed execution asks for, unless it was tried already."""
    item = tx.inbox.newest_of_execution(execution_id, kinds=[ItemKind.FAILURE])
    if item is None or item.state is not ItemState.ANSWERED or item.chosen == SKIP:
        return None
    execution = tx.executions.get(execution_id)
    newest = tx.executions.newest_of_task(execution.task_id)
    task = tx.tasks.get(execution.task_id)
    tried = newest is not None and item.closed_at is not None and newest.created_at > item.closed_at
    if tried or task.owner_id is not None or task.status not in FREE:
        return None
    if tx.missions.get(task.mission_id).status in ENDED:
        return None
    if item.chosen == GIVE_TO_ANOTHER:
        client, *arguments = _words(item.said)
        return NextLaunch(execution=execution, client=client, arguments=arguments)
    return NextLaunch(execution=execution, hint=item.said or None)


def launches_asked_for(tx: Tx) -> list[str]:
    """Return the failed executions whose tasks people may have wanted to be launched again."""
    return list(dict.fromkeys(tx.inbox.failures_answered()))


def not_launched(tx: Tx, *, execution: Execution, error: MissionError) -> None:
    """Ask again about a failed task that could not be launched as the answer wanted."""
    asking.failed(
        tx,
        tx.tasks.get(execution.task_id),
        reason=f"It could not be launched again: {error.message}",
        detail=error.hint or "",
        agent_id=execution.agent_id,
        execution_id=execution.id,
    )


def _in_words(item: InboxItem) -> str:
    label = str(item.chosen.get("label") or "")
    return ": ".join(filter(None, (label, item.said)))


def _words(text: str) -> list[str]:
    """The words of a command line; quotes hold together, as in a shell."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
