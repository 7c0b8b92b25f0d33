"""Escalate a failed call: notify the agent's supervisor or the person, once for each cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from mission.domain.agents.agent import Agent
from mission.domain.errors import NotFound
from mission.domain.inbox.failure_report import FailedCall
from mission.domain.inbox.item import ItemKind
from mission.domain.message import HUMAN, SYSTEM, Priority
from mission.services.agents import access_tokens
from mission.services.inbox import items as inbox
from mission.services.messages import sending
from mission.store.transaction import Tx

Entity = TypeVar("Entity")


def report(tx: Tx, *, failure: FailedCall) -> None:
    """Notify the agent's supervisor, else the person; for critical failures always the person."""
    failure, agent = _known(tx, failure)
    supervisor = None if failure.critical or agent is None else access_tokens.supervisor_of(tx, agent=agent)
    recipient = supervisor.id if supervisor is not None else HUMAN
    key = failure.key(recipient)
    reported = tx.incidents.get(key)
    if reported is not None and reported.is_recent(tx.now):
        tx.incidents.count(key)
        if recipient == HUMAN:
            _count_in_queue(tx, key, failure)
        return
    tx.incidents.mark_reported(key, now=tx.now)
    more = reported.times if reported is not None else 0
    subject = failure.subject(agent.name if agent is not None else "the operator")
    message = sending.send(
        tx,
        sender=SYSTEM,
        recipient=recipient,
        subject=subject,
        body=failure.body(more=more, with_trace=recipient == HUMAN),
        priority=Priority.URGENT if failure.critical else Priority.HIGH,
        mission_id=failure.mission_id,
        task_id=failure.task_id,
    )
    if recipient == HUMAN:
        inbox.open_item(
            tx,
            kind=ItemKind.ESCALATION,
            subject=subject,
            body=failure.body(more=more, with_trace=False),
            mission_id=failure.mission_id,
            task_id=failure.task_id,
            agent_id=failure.agent_id,
            message_id=message.id,
            dedupe_key=key,
        )


def _count_in_queue(tx: Tx, key: str, failure: FailedCall) -> None:
    """Raise the count of the open item for this failure; a closed one is left alone."""
    if tx.inbox.open_with_key(key) is not None:
        body = failure.body(more=0, with_trace=False)
        inbox.open_item(tx, kind=ItemKind.ESCALATION, subject="", body=body, dedupe_key=key)


def _known(tx: Tx, failure: FailedCall) -> tuple[FailedCall, Agent | None]:
    """Return the failure without unknown ids: they come from the arguments of a call that failed."""
    agent = _found(tx.agents.get, failure.agent_id)
    task = _found(tx.tasks.get, failure.task_id)
    mission = _found(tx.missions.get, task.mission_id if task is not None else failure.mission_id)
    return (
        replace(
            failure,
            agent_id=agent.id if agent is not None else None,
            task_id=task.id if task is not None else None,
            mission_id=mission.id if mission is not None else None,
        ),
        agent,
    )


def _found(get: Callable[[str], Entity], id: str | None) -> Entity | None:
    try:
        return get(id) if id is not None else None
    except NotFound:
        return None
