"""Waiting for what happens next: clients do not wake up by themselves."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.messages import waiting
from mission.services.messages.waiting import EventWatcher, NewEvents
from mission.tools.agents.messages import MessageRecord, mailbox
from mission.tools.shared.fields import MissionId
from mission.tools.shared.wording import Moment

LONGEST_WAIT = 55


class WaitForEvents(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    agent_id: str | None = Field(None, description="Who waits")
    since: int | None = Field(None, ge=0, lt=2**63, description="The cursor of the last answer")
    timeout_seconds: float = Field(30, ge=0, le=LONGEST_WAIT)
    workflow_id: MissionId | None = Field(None, description="Also what happens in this mission")
    limit: int = Field(50, ge=1, le=200)


class EventRecord(Result):
    seq: int
    type: str
    at: Moment
    mission_id: str | None
    data: dict[str, Any]


class NewsRecord(Result):
    messages: list[MessageRecord]
    events: list[EventRecord]
    cursor: int
    reset: bool = Field(description="The cursor given lies outside what is kept: look anew, then go on")

    @classmethod
    def of(cls, news: NewEvents) -> NewsRecord:
        return cls(
            messages=[MessageRecord.row(message) for message in news.messages],
            events=[
                EventRecord(seq=each.seq, type=each.type, at=each.at, mission_id=each.mission_id, data=each.data)
                for each in news.events
            ],
            cursor=news.cursor,
            reset=news.reset,
        )


@tool(toolset="messages", actor="agent_id", person=True, reads=True)
async def wait_for_events(call: Call, args: WaitForEvents) -> NewsRecord:
    """Wait until a message or an event comes for you, then call again with the cursor. The first call answers at once
    if messages wait unread."""
    found = await waiting.new_events(
        call,
        call.events,
        watcher=EventWatcher(party=mailbox(call), mission_id=args.workflow_id),
        since=args.since,
        limit=args.limit,
        seconds=args.timeout_seconds,
        left=call.left,
    )
    return NewsRecord.of(found)
