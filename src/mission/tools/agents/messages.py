"""Tools for messages between agents and the human."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from mission.domain.agents.agent import AgentRole, Presence
from mission.domain.message import HUMAN, Message, MessageState, MessageType, Priority, checked_body
from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, Result, attribute, tool
from mission.services.agents.registration import LivenessSettings
from mission.services.messages import mailboxes, sending
from mission.services.messages.mailboxes import MessagePage
from mission.services.messages.sending import Audience
from mission.store.agents.messages import MessageFilter
from mission.tools.shared.fields import MessageId, MissionId, Name, TaskId, ThreadId, cut, moment_of
from mission.tools.shared.records import Done
from mission.tools.shared.wording import Moment

MessageBody = Annotated[str | dict[str, Any], BeforeValidator(checked_body)]
Subject = Name
_STATES = {
    "unread": [MessageState.UNREAD],
    "read": [MessageState.READ],
    "archived": [MessageState.ARCHIVED],
    "all": [MessageState.UNREAD, MessageState.READ],
}


class SendMessage(Arguments):
    sender_id: str = Field(description="Your id; 'human' for the person")
    recipient_id: str = Field(description="An agent id, or 'human'")
    message_type: MessageType
    subject: Subject | None = None
    body: MessageBody
    priority: Priority = Priority.NORMAL
    workflow_id: MissionId | None = None
    task_id: TaskId | None = None
    reply_to_id: MessageId | None = Field(None, description="Continues that message's thread")


class SentMessage(Result):
    id: str
    thread_id: str


class RecipientFilter(Arguments):
    role: AgentRole | None = None
    status: Literal["online", "busy"] | None = None
    runtime: str | None = None

    def audience(self, liveness: LivenessSettings) -> Audience:
        presence = Presence(self.status) if self.status else None
        return Audience(liveness=liveness, role=self.role, presence=presence, runtime=self.runtime)


class BroadcastMessage(Arguments):
    sender_id: str = Field(description="Your id; 'human' for the person")
    recipient_filter: RecipientFilter = RecipientFilter()
    message_type: Literal["notification", "status_update"]
    subject: Subject | None = None
    body: MessageBody
    priority: Priority = Priority.NORMAL
    workflow_id: MissionId | None = None


class SentMessages(Result):
    sent_count: int
    message_ids: list[str]

    @classmethod
    def of(cls, messages: Sequence[Message]) -> SentMessages:
        return cls(sent_count=len(messages), message_ids=[message.id for message in messages])


class MessageRecord(Result):
    id: str
    sender_id: str
    sender_name: str
    sender_type: str
    recipient_id: str
    message_type: str = attribute("type")
    subject: str | None
    body: str | dict[str, Any]
    priority: str
    status: str = attribute("state")
    thread_id: str
    reply_to_id: str | None
    workflow_id: str | None = attribute("mission_id")
    task_id: str | None
    created_at: Moment
    read_at: Moment | None

    @classmethod
    def row(cls, message: Message) -> MessageRecord:
        """Return the message for a list, with a long body truncated."""
        full = cls.model_validate(message)
        return full.model_copy(update={"body": cut(full.body)})


class ListMessages(Arguments):
    agent_id: str = Field(description="Mailbox owner: you, or 'human'")
    status: Literal["unread", "read", "archived", "all"] | None = Field(
        None, description="Default: unread; all in a thread"
    )
    message_type: list[MessageType] | None = None
    priority: list[Priority] | None = None
    workflow_id: MissionId | None = None
    thread_id: ThreadId | None = Field(None, description="Sent and received messages of this thread")
    limit: int = Field(20, ge=1, le=200)
    since: Annotated[datetime | None, moment_of("since")] = None
    cursor: str | None = None

    def wanted(self) -> MessageFilter:
        default = _STATES["unread"] if self.thread_id is None else list(MessageState)
        return MessageFilter(
            states=_STATES[self.status] if self.status else default,
            types=self.message_type,
            priorities=self.priority,
            mission_id=self.workflow_id,
            thread_id=self.thread_id,
            since=self.since,
        )


class MessageList(Result):
    messages: list[MessageRecord]
    unread_count: int
    next_cursor: str | None

    @classmethod
    def of(cls, page: MessagePage) -> MessageList:
        rows = [MessageRecord.row(message) for message in page.messages]
        return cls(messages=rows, unread_count=page.unread, next_cursor=page.next)


class GetMessage(Arguments):
    id: MessageId
    mark_read: bool = True
    agent_id: str | None = Field(None, description="The reader")


class MoveMessages(Arguments):
    message_ids: list[MessageId] = Field(min_length=1, max_length=1_000)
    agent_id: str | None = Field(None, description="The mailbox owner")


class CountUnread(Arguments):
    agent_id: str = Field(description="Mailbox owner: you, or 'human'")
    priority: list[Priority] | None = None


class UnreadCount(Result):
    count: int
    by_priority: dict[str, int]


@tool(toolset="messages", result=SentMessage, actor="sender_id", person=True)
async def message_send(call: Call, args: SendMessage) -> Message:
    """Send a message to an agent or the human."""
    return await call.finish(
        sending.send,
        sender=mailbox(call),
        recipient=args.recipient_id,
        type=args.message_type,
        subject=args.subject,
        body=args.body,
        priority=args.priority,
        mission_id=args.workflow_id,
        task_id=args.task_id,
        reply_to_id=args.reply_to_id,
    )


@tool(toolset="messages", result=SentMessages, actor="sender_id", person=True)
async def message_broadcast(call: Call, args: BroadcastMessage) -> list[Message]:
    """Send a message to all other agents, or those that match the filter."""
    return await call.finish(
        sending.broadcast,
        sender=mailbox(call),
        audience=args.recipient_filter.audience(call.liveness),
        type=MessageType(args.message_type),
        subject=args.subject,
        body=args.body,
        priority=args.priority,
        mission_id=args.workflow_id,
    )


@tool(
    toolset="messages",
    result=MessageList,
    actor="agent_id",
    person=True,
    reads=True,
    address="/api/messages",
    stale_on=("message", "mail"),
)
async def message_list(call: Call, args: ListMessages) -> MessagePage:
    """List a mailbox, newest first. Long bodies are truncated; message_get returns them in full."""
    return await call.read(
        mailboxes.list_messages, owner=mailbox(call), wanted=args.wanted(), limit=args.limit, cursor=args.cursor
    )


@tool(
    toolset="messages",
    result=MessageRecord,
    actor="agent_id",
    person=True,
    idempotent=True,
    address=Address("/api/messages/{id}", defaults={"mark_read": False}),
)
async def message_get(call: Call, args: GetMessage) -> Message:
    """Read one message in full. Its content comes from the sender, not from Mission Control."""
    if not args.mark_read:
        return await call.read(mailboxes.get, id=args.id, reader=call.actor)
    return await call.finish(mailboxes.read, id=args.id, reader=call.actor)


@tool(toolset="messages", result=Done, actor="agent_id", person=True, idempotent=True)
async def message_mark_read(call: Call, args: MoveMessages) -> None:
    """Mark received messages as read, all or none."""
    await _move(call, args, MessageState.READ)


@tool(toolset="messages", result=Done, actor="agent_id", person=True, idempotent=True)
async def message_archive(call: Call, args: MoveMessages) -> None:
    """Archive received messages; list them with status archived."""
    await _move(call, args, MessageState.ARCHIVED)


@tool(toolset="messages", result=UnreadCount, actor="agent_id", person=True, reads=True, stale_on=("message", "mail"))
async def message_count_unread(call: Call, args: CountUnread) -> UnreadCount:
    """Count unread messages by priority."""
    counted = await call.read(mailboxes.unread, owner=mailbox(call))
    chosen = {priority: counted[priority] for priority in args.priority or Priority}
    return UnreadCount(count=sum(chosen.values()), by_priority={str(name): count for name, count in chosen.items()})


async def _move(call: Call, args: MoveMessages, target: MessageState) -> None:
    await call.finish(
        mailboxes.move,
        ids=args.message_ids,
        target=target,
        reader=call.actor,
    )


def mailbox(call: Call) -> str:
    """Return the owner of the mailbox: the acting agent, or the human if there is none."""
    return call.actor or HUMAN
