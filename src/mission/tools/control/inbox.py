"""Tools for the inbox: list, read, answer and dismiss items."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mission.domain.inbox.item import InboxItem, ItemKind, ItemState
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.answers import answering
from mission.services.answers.answering import AnswerResult
from mission.services.inbox import ranked_items
from mission.services.inbox.ranked_items import RankedItem
from mission.store.inbox.items import InboxFilter
from mission.tools.shared.fields import MissionId, QueueItemId, TaskId, cut
from mission.tools.shared.wording import Moment


class ListQueue(Arguments):
    state: list[ItemState] = Field([ItemState.OPEN], min_length=1)
    kind: list[ItemKind] | None = None
    mission_id: MissionId | None = None
    task_id: TaskId | None = None
    limit: int = Field(50, ge=1, le=500)
    offset: int = Field(0, ge=0, le=1_000_000)

    def wanted(self, *, reader: str | None) -> InboxFilter:
        return InboxFilter(
            states=self.state, kinds=self.kind, mission_id=self.mission_id, task_id=self.task_id, reader=reader
        )


class ItemById(Arguments):
    id: QueueItemId


class AnswerItem(Arguments):
    id: QueueItemId
    text: str = Field("", max_length=20_000, description="The answer as text")
    choice: int | None = Field(None, ge=1, le=100, description="Number of a choice, from 1")


class DismissItem(Arguments):
    id: QueueItemId
    reason: str | None = Field(None, max_length=2_000)


class ItemRow(Result):
    id: str
    kind: ItemKind
    state: ItemState
    subject: str
    body: str
    mission_id: str | None
    mission_name: str | None
    task_id: str | None
    task_name: str | None
    agent_id: str | None
    agent_name: str | None
    execution_id: str | None
    message_id: str | None
    entry_id: str | None
    choices: list[dict[str, Any]]
    count: int
    holds_tasks: int = Field(description="Open tasks blocked until this is closed")
    holds_agents: int
    critical: bool = Field(description="Its task is on the critical path and delays the mission")
    answer: str | None
    choice: int | None
    closed_by: str | None
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None

    @classmethod
    def of(cls, ranked: RankedItem, *, body: str) -> ItemRow:
        item = ranked.item
        return cls(
            id=item.id,
            kind=item.kind,
            state=item.state,
            subject=item.subject,
            body=body,
            mission_id=item.mission_id,
            mission_name=ranked.named.mission_name,
            task_id=item.task_id,
            task_name=ranked.named.task_name,
            agent_id=item.agent_id,
            agent_name=ranked.named.agent_name,
            execution_id=item.execution_id,
            message_id=item.message_id,
            entry_id=item.entry_id,
            choices=item.choices,
            count=item.count,
            holds_tasks=ranked.rank.tasks,
            holds_agents=ranked.rank.agents,
            critical=ranked.rank.critical,
            answer=item.answer,
            choice=item.choice,
            closed_by=item.closed_by,
            created_at=item.created_at,
            updated_at=item.updated_at,
            closed_at=item.closed_at,
        )


class Queue(Result):
    items: list[ItemRow]
    total: int


class DismissedItem(Result):
    id: str
    state: ItemState
    task_id: str | None
    closed_at: Moment | None


class AnsweredItem(Result):
    id: str = attribute("item.id")
    state: ItemState = attribute("item.state")
    answer: str | None = attribute("item.answer")
    task_id: str | None = attribute("item.task_id")
    follow_up_task_id: str | None = attribute("follow_up", description="The task added for the missing work")
    message_id: str | None = Field(description="The message that delivers the answer to the agent")
    closed_at: Moment | None = attribute("item.closed_at")


@tool(toolset="control", result=Queue, reads=True, address="/api/queue", stale_on=("queue",))
async def queue_list(call: Call, args: ListQueue) -> Queue:
    """List inbox items: critical path first, then most blocking, then oldest.

    Agents do not see failures or other agents' messages.
    """
    found, total = await call.read(
        ranked_items.list_items, wanted=args.wanted(reader=call.actor), limit=args.limit, offset=args.offset
    )
    return Queue(items=[ItemRow.of(ranked, body=cut(ranked.item.body)) for ranked in found], total=total)


@tool(toolset="control", result=ItemRow, reads=True, address="/api/queue/{id}", stale_on=("queue",), about="item")
async def queue_get(call: Call, args: ItemById) -> ItemRow:
    """Read one inbox item."""
    ranked = await call.read(ranked_items.get, item_id=args.id, reader=call.actor)
    return ItemRow.of(ranked, body=ranked.item.body)


@tool(toolset="control", result=AnsweredItem)
async def queue_answer(call: Call, args: AnswerItem) -> AnswerResult:
    """Answer an item with text or one of its choices; resolves the blocker and resumes the task."""
    return await answering.answer(
        call,
        call.trees,
        item_id=args.id,
        text=args.text,
        choice=args.choice,
        by=call.identity.name,
        lease=call.lease,
        clients=call.launcher.clients(),
    )


@tool(toolset="control", result=DismissedItem)
async def queue_dismiss(call: Call, args: DismissItem) -> InboxItem:
    """Dismiss an item without an answer; the task resumes."""
    return await call.finish(answering.dismiss, item_id=args.id, by=call.identity.name, reason=args.reason)
