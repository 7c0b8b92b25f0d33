"""Use cases of outgoing messages: send, reply, broadcast. Mail is the crew's name for messages."""

from __future__ import annotations

from dataclasses import dataclass

from mission.domain import events
from mission.domain.agents.agent import AgentRole, Presence
from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.ids import new_id
from mission.domain.inbox.item import ItemKind
from mission.domain.message import (
    HUMAN,
    MAX_BROADCAST_LENGTH,
    MISSION_CONTROL,
    PERSON,
    SYSTEM,
    Author,
    Body,
    Message,
    MessageType,
    Priority,
    body_text,
    checked_body,
    reply_subject,
    size_of,
)
from mission.services.agents import registration as agents
from mission.services.agents.registration import AgentFilter, LivenessSettings
from mission.services.inbox import items as inbox
from mission.services.messages import mailboxes
from mission.store.transaction import Tx

MAX_RECIPIENTS = 1_000
MAX_ITEM_BODY = 4_000
"""How much of a message the inbox shows; the message itself is complete."""
_KNOWN_AUTHORS = {author.id: author for author in (PERSON, MISSION_CONTROL)}


@dataclass(frozen=True, kw_only=True, slots=True)
class _About:
    """The context of a message: its mission, its task and the message it replies to."""

    thread_id: str
    mission_id: str | None
    task_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Audience:
    """The recipients of a broadcast: all agents that have not left, or those that match."""

    liveness: LivenessSettings
    role: AgentRole | None = None
    presence: Presence | None = None
    runtime: str | None = None

    def members(self, tx: Tx) -> list[str]:
        presences = [self.presence] if self.presence else None
        wanted = AgentFilter(presences=presences, role=self.role, runtime=self.runtime)
        found = agents.every(tx, wanted=wanted, liveness=self.liveness)
        fitting = [each.agent.id for each in found if each.agent.declared is not Presence.OFFLINE]
        if len(fitting) > MAX_RECIPIENTS:
            raise InvalidInput(
                f"recipient_filter: {len(fitting):,} agents match (limit {MAX_RECIPIENTS:,})",
                hint="Narrow the filter: status online or busy, a role, a runtime.",
                field="recipient_filter",
            )
        return fitting


def send(
    tx: Tx,
    *,
    sender: str,
    recipient: str,
    body: Body,
    type: MessageType = MessageType.NOTIFICATION,
    subject: str | None = None,
    priority: Priority = Priority.NORMAL,
    mission_id: str | None = None,
    task_id: str | None = None,
    reply_to_id: str | None = None,
    field: str = "recipient_id",
) -> Message:
    """Put a message into a mailbox. Sender and recipient are agents, or the person as 'human'.

    `field` is the caller's name for the recipient, used in errors.
    """
    author = _author(tx, sender)
    about = _about(tx, author=author, mission_id=mission_id, task_id=task_id, reply_to_id=reply_to_id)
    message = Message(
        id=new_id("message"),
        thread_id=about.thread_id,
        sender_id=author.id,
        sender_name=author.name,
        sender_type=author.type,
        recipient_id=_recipient(tx, recipient, field=field),
        type=type,
        subject=subject,
        body=checked_body(body),
        priority=priority,
        mission_id=about.mission_id,
        task_id=about.task_id,
        reply_to_id=reply_to_id,
        created_at=tx.now,
    )
    _deliver(tx, message)
    _notify_person(tx, message)
    return message


def send_mail(tx: Tx, *, sender: str, recipient: str, subject: str, body: str, field: str) -> Message:
    """Send a message as the crew's mail, which publishes the event 'mail.sent'."""
    return _mailed(tx, send(tx, sender=sender, recipient=recipient, subject=subject, body=body, field=field))


def reply(tx: Tx, *, to: str, sender: str, body: str) -> Message:
    """Reply to the sender of a received message."""
    original = mailboxes.received(tx, id=to, reader=sender)
    if original.sender_id == SYSTEM:
        raise InvalidInput("you cannot reply to system messages", hint="Write to your supervisor or to the human.")
    answer = send(
        tx,
        sender=sender,
        recipient=original.sender_id,
        type=MessageType.RESPONSE,
        subject=reply_subject(original.subject),
        body=body,
        reply_to_id=original.id,
    )
    return _mailed(tx, answer)


def broadcast(
    tx: Tx,
    *,
    sender: str,
    audience: Audience,
    body: Body,
    type: MessageType = MessageType.NOTIFICATION,
    subject: str | None = None,
    priority: Priority = Priority.NORMAL,
    mission_id: str | None = None,
) -> list[Message]:
    """Send the same message to every agent of the audience except the sender, all in one thread."""
    author = _author(tx, sender)
    about = _about(tx, author=author, mission_id=mission_id, task_id=None, reply_to_id=None)
    recipients = [id for id in audience.members(tx) if id != author.id]
    _check_copies(body, len(recipients))
    copies = [
        Message(
            id=new_id("message"),
            thread_id=about.thread_id,
            sender_id=author.id,
            sender_name=author.name,
            sender_type=author.type,
            recipient_id=recipient,
            type=type,
            subject=subject,
            body=body,
            priority=priority,
            mission_id=about.mission_id,
            created_at=tx.now,
        )
        for recipient in recipients
    ]
    _deliver(tx, *copies)
    return copies


def _mailed(tx: Tx, message: Message) -> Message:
    """Record the mail as a heartbeat at once: other heartbeats are written only from time to time."""
    tx.agents.mark_seen(message.sender_id, now=tx.now)
    tx.emit(events.MailSent(message=message))
    return message


def _deliver(tx: Tx, *messages: Message) -> None:
    if messages:
        tx.messages.add(*messages)
    for message in messages:
        tx.emit(events.MessageCreated(message=message))


def _notify_person(tx: Tx, message: Message) -> None:
    """Open an inbox item for an agent's message to the person; the person's own reply answers the open item."""
    if message.recipient_id == HUMAN and message.sender_id not in _KNOWN_AUTHORS:
        inbox.open_item(
            tx,
            kind=ItemKind.MAIL,
            subject=message.subject or f"Message from {message.sender_name}",
            body=body_text(message.body, max_length=MAX_ITEM_BODY),
            mission_id=message.mission_id,
            task_id=message.task_id,
            agent_id=message.sender_id,
            message_id=message.id,
        )
    if message.sender_id == HUMAN and message.reply_to_id is not None:
        mailboxes.read(tx, id=message.reply_to_id, reader=HUMAN)
        for item in tx.inbox.open_where(message_id=message.reply_to_id):
            inbox.answer(tx, item_id=item.id, text=body_text(message.body, max_length=MAX_ITEM_BODY), by=HUMAN)


def _check_copies(body: Body, copies: int) -> None:
    size = size_of(checked_body(body)) * copies
    if size > MAX_BROADCAST_LENGTH:
        raise TooLarge(
            f"body: too long: {copies:,} copies take {size:,} characters (limit {MAX_BROADCAST_LENGTH:,})", field="body"
        )


def _author(tx: Tx, sender: str) -> Author:
    return _KNOWN_AUTHORS.get(sender) or Author.of(tx.agents.get(sender))


def _recipient(tx: Tx, reference: str, *, field: str) -> str:
    return HUMAN if reference == HUMAN else agents.find(tx, reference=reference, field=field).id


def _about(tx: Tx, *, author: Author, mission_id: str | None, task_id: str | None, reply_to_id: str | None) -> _About:
    """Look up what the message refers to; a reply joins the thread of a message that its author can read."""
    if task_id is not None:
        task = tx.tasks.get(task_id)
        if mission_id not in (None, task.mission_id):
            raise InvalidInput(
                f"task {task_id} belongs to {task.mission_id}, not to {mission_id}",
                hint="Omit workflow_id: the task determines it.",
                field="workflow_id",
            )
        mission_id = task.mission_id
    elif mission_id is not None:
        tx.missions.get(mission_id)
    if reply_to_id is None:
        return _About(thread_id=new_id("thread"), mission_id=mission_id, task_id=task_id)
    original = mailboxes.get(tx, id=reply_to_id, reader=author.id)
    return _About(
        thread_id=original.thread_id,
        mission_id=mission_id or original.mission_id,
        task_id=task_id or (original.task_id if mission_id in (None, original.mission_id) else None),
    )
