"""Messages between agents and people: mailboxes, threads, priorities and the limits of a body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.actions import Action
from mission.domain.agents.agent import Agent
from mission.domain.errors import InvalidInput, PermissionDenied, TooLarge
from mission.domain.timestamps import format_time

HUMAN = "human"
"""The person, as sender and as recipient."""
SYSTEM = "system"
"""Mission Control itself, as sender."""
OPERATOR = "operator"
"""The person, as the caller of a tool."""

MAX_BODY_LENGTH = 1_000_000
MAX_BROADCAST_LENGTH = 20_000_000
"""Limit for all copies of one broadcast together: each recipient gets its own copy."""

Body = str | Mapping[str, Any]


class MessageType(StrEnum):
    TASK_ASSIGNMENT = "task_assignment"
    STATUS_UPDATE = "status_update"
    QUERY = "query"
    RESPONSE = "response"
    NOTIFICATION = "notification"


class Priority(StrEnum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class MessageState(StrEnum):
    UNREAD = "unread"
    READ = "read"
    ARCHIVED = "archived"


MOVES: Mapping[MessageState, frozenset[MessageState]] = {
    MessageState.UNREAD: frozenset({MessageState.READ, MessageState.ARCHIVED}),
    MessageState.READ: frozenset({MessageState.ARCHIVED}),
    MessageState.ARCHIVED: frozenset(),
}


def leading_to(state: MessageState) -> list[MessageState]:
    """Return the states from which a message can reach this one."""
    return [source for source, targets in MOVES.items() if state in targets]


@dataclass(frozen=True, kw_only=True, slots=True)
class Author:
    """The author of a message, as its readers see it."""

    id: str
    name: str
    type: str

    @classmethod
    def of(cls, agent: Agent) -> Author:
        return cls(id=agent.id, name=agent.name, type=str(agent.type))


PERSON = Author(id=HUMAN, name=HUMAN, type="HUMAN")
MISSION_CONTROL = Author(id=SYSTEM, name="Mission Control", type="SYSTEM")


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """One message in one mailbox."""

    id: str
    thread_id: str
    sender_id: str
    sender_name: str
    sender_type: str
    recipient_id: str
    type: MessageType
    body: Body
    created_at: datetime
    subject: str | None = None
    priority: Priority = Priority.NORMAL
    state: MessageState = MessageState.UNREAD
    mission_id: str | None = None
    task_id: str | None = None
    reply_to_id: str | None = None
    read_at: datetime | None = None

    def is_of(self, party: str) -> bool:
        """Return whether that agent or person is the sender or recipient."""
        return party in (self.sender_id, self.recipient_id)

    def expect_party(self, party: str | None) -> None:
        """Raise PermissionDenied unless the party is the sender or recipient; None is the operator."""
        if party is not None and not self.is_of(party):
            raise not_yours(self.id)

    def record(self) -> dict[str, Any]:
        """Return the message as events show it: without its body."""
        return {
            "id": self.id,
            "sender_id": self.sender_id,
            "sender_name": self.sender_name,
            "sender_type": self.sender_type,
            "recipient_id": self.recipient_id,
            "message_type": str(self.type),
            "subject": self.subject,
            "priority": str(self.priority),
            "status": str(self.state),
            "thread_id": self.thread_id,
            "reply_to_id": self.reply_to_id,
            "workflow_id": self.mission_id,
            "task_id": self.task_id,
            "created_at": format_time(self.created_at),
            "read_at": format_time(self.read_at),
        }


def checked_body(body: Any, *, field: str = "body") -> Body:
    """Return the body; raise an error unless it is text or an object, not empty and not too large."""
    if not isinstance(body, str | Mapping):
        raise InvalidInput(f"{field}: must be text or an object", hint="Send text or {…}.", field=field)
    if not body or (isinstance(body, str) and not body.strip()):
        raise InvalidInput(f"{field}: must not be empty", hint="Give text or an object.", field=field)
    size = size_of(body)
    if size > MAX_BODY_LENGTH:
        raise TooLarge(f"{field}: too long: {size:,} characters (limit {MAX_BODY_LENGTH:,})", field=field)
    return body


def size_of(body: Body) -> int:
    """Return the length of a body in characters; an object counts as JSON."""
    return len(body) if isinstance(body, str) else len(json.dumps(body, ensure_ascii=False, separators=(",", ":")))


def body_text(body: Body, *, max_length: int) -> str:
    """Return the body as text, truncated if it is too long."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, indent=1)
    return text if len(text) <= max_length else f"{text[:max_length]}…"


def reply_subject(subject: str | None) -> str:
    """Return the subject of a reply, with 'Re: ' in front of it once."""
    subject = subject or "your message"
    return subject if subject[:3].casefold() == "re:" else f"Re: {subject}"


def not_yours(id: str) -> PermissionDenied:
    return PermissionDenied(
        f"message {id} belongs to another agent",
        action=Action.FIND_MESSAGE,
        message_id=id,
    )
