"""Crew tools for mail: messages between agents and the human."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from mission.domain.actions import Action
from mission.domain.errors import InvalidAgentState, InvalidInput
from mission.domain.message import HUMAN, MAX_BODY_LENGTH, Message, MessageState, body_text
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.messages import mailboxes, sending
from mission.services.messages.mailboxes import MessagePage
from mission.store.agents.messages import MessageFilter
from mission.tools.shared.fields import MessageId, Name, Text, cut
from mission.tools.shared.wording import Moment


class ListInbox(Arguments):
    includeRead: bool = False
    limit: int = Field(50, ge=1, le=200)
    cursor: str | None = None
    agentId: str | None = Field(None, description="The acting agent")


class MailRecord(Result):
    id: str
    fromAgentId: str
    fromAgentType: str
    subject: str | None
    body: str
    isRead: bool
    createdAt: Moment
    readAt: Moment | None

    @classmethod
    def of(cls, message: Message) -> MailRecord:
        return cls(
            id=message.id,
            fromAgentId=message.sender_id,
            fromAgentType=message.sender_type,
            subject=message.subject,
            body=body_text(message.body, max_length=MAX_BODY_LENGTH),
            isRead=message.read_at is not None,
            createdAt=message.created_at,
            readAt=message.read_at,
        )

    @classmethod
    def row(cls, message: Message) -> MailRecord:
        full = cls.of(message)
        return full.model_copy(update={"body": cut(full.body)})


class Inbox(Result):
    count: int
    unreadCount: int
    mails: list[MailRecord]
    nextCursor: str | None

    @classmethod
    def of(cls, page: MessagePage) -> Inbox:
        rows = [MailRecord.row(message) for message in page.messages]
        return cls(count=len(rows), unreadCount=page.unread, mails=rows, nextCursor=page.next)


class ReadMail(Arguments):
    mailId: MessageId
    agentId: str | None = Field(None, description="The acting agent")


class SendMail(Arguments):
    toAgentId: str | None = None
    toHuman: bool = Field(False, description="Instead of toAgentId")
    subject: Name
    body: Text
    agentId: str | None = Field(None, description="The acting agent")

    @model_validator(mode="after")
    def _one_recipient(self) -> Self:
        if (self.toAgentId is None) != self.toHuman:
            raise InvalidInput(
                "Must specify either 'toAgentId' or 'toHuman: true'",
                hint="Give exactly one of them.",
                field="toAgentId",
            )
        return self


class ReplyMail(Arguments):
    originalMailId: MessageId
    body: Text
    agentId: str | None = Field(None, description="The acting agent")


class SentMail(Result):
    mailId: str = attribute("id")
    timestamp: Moment = attribute("created_at")


@tool(toolset="crew", result=Inbox, actor="agentId", reads=True)
async def mcp__mail__list_inbox(call: Call, args: ListInbox) -> MessagePage:
    """List your mail, newest first. Long bodies are truncated."""
    states = [MessageState.UNREAD, MessageState.READ] if args.includeRead else [MessageState.UNREAD]
    return await call.read(
        mailboxes.list_messages,
        owner=_own_box(call),
        wanted=MessageFilter(states=states),
        limit=args.limit,
        cursor=args.cursor,
    )


@tool(toolset="crew", result=MailRecord, actor="agentId", idempotent=True)
async def mcp__mail__read(call: Call, args: ReadMail) -> Message:
    """Read one of your mails in full and mark it as read."""
    return await call.finish(mailboxes.open_mail, id=args.mailId, reader=_own_box(call))


@tool(toolset="crew", result=SentMail, actor="agentId")
async def mcp__mail__send(call: Call, args: SendMail) -> Message:
    """Send mail to an agent or the human."""
    return await call.finish(
        sending.send_mail,
        sender=_own_box(call),
        recipient=args.toAgentId or HUMAN,
        subject=args.subject,
        body=args.body,
        field="toAgentId",
    )


@tool(toolset="crew", result=SentMail, actor="agentId")
async def mcp__mail__reply(call: Call, args: ReplyMail) -> Message:
    """Reply to a mail you received."""
    return await call.finish(sending.reply, to=args.originalMailId, sender=_own_box(call), body=args.body)


def _own_box(call: Call) -> str:
    if call.actor is None:
        raise InvalidAgentState(
            "Only agents can call this.",
            action=Action.READ_OWN_MAIL,
        )
    return call.actor
