"""The tool that waits for events, for clients that cannot be woken."""

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

MAX_WAIT = 55


class WaitForEvents(Arguments):
    aliases: ClassVar[dict[str, str]] = {"mission_id": "workflow_id"}

    agent_id: str | None = Field(None, description="The waiting agent")
    since: int | None = Field(None, ge=0, lt=2**63, description="cursor of the last result")
    timeout_seconds: float = Field(30, ge=0, le=MAX_WAIT)
    workflow_id: MissionId | None = Field(None, description="Include events of this mission")
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
    reset: bool = Field(description="The cursor is outside the stored range: reload, then continue with the new one")

    @classmethod
    def of(cls, found: NewEvents) -> NewsRecord:
        return cls(
            messages=[MessageRecord.row(message) for message in found.messages],
            events=found.events,
            cursor=found.cursor,
            reset=found.reset,
        )


@tool(toolset="messages", result=NewsRecord, actor="agent_id", person=True, reads=True)
async def wait_for_events(call: Call, args: WaitForEvents) -> NewEvents:
    """Wait for a message or event, then call again with the cursor. The first call returns at once if there are
    unread messages."""
    return await waiting.new_events(
        call,
        call.events,
        watcher=EventWatcher(party=mailbox(call), mission_id=args.workflow_id),
        since=args.since,
        limit=args.limit,
        seconds=args.timeout_seconds,
        left=call.left,
    )
