"""Tools that write to a task's journal: decisions, issues, milestones."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from mission.domain.tasks.journal import DecisionCategory, EntryKind, IssueType, JournalEntry
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.tasks import journal
from mission.tools.shared.fields import Fence, GivenTexts, TaskId, Text
from mission.tools.shared.wording import Moment


class _Log(Arguments):
    own: ClassVar[frozenset[str]] = frozenset({"task_id", "agent_id", "fence"})

    task_id: TaskId

    def detail(self) -> dict[str, Any]:
        """Return the fields specific to this kind of entry."""
        return self.model_dump(mode="json", exclude=set(self.own))


class LogDecision(_Log):
    category: DecisionCategory
    question: Text
    options_considered: GivenTexts = []
    chosen: Text
    reasoning: Text = Field(description="1-2 sentences")
    trade_offs: str | None = None
    agent_id: str | None = None
    fence: Fence | None = None


class LogIssue(_Log):
    type: IssueType
    description: Text
    resolution: Text = Field(description="Fix or workaround")
    requires_human_review: bool = Field(False, description="Show it as a blocker")
    agent_id: str | None = None
    fence: Fence | None = None


class LogMilestone(_Log):
    message: Text = Field(max_length=500)
    progress: float | None = Field(None, ge=0, le=100)
    metadata: dict[str, Any] | None = None
    agent_id: str | None = None
    fence: Fence | None = None


class LoggedDecision(Result):
    decision_id: str = attribute("id")
    created_at: Moment


class LoggedIssue(Result):
    issue_id: str = attribute("id")
    created_at: Moment


class LoggedMilestone(Result):
    milestone_id: str = attribute("id")
    created_at: Moment


@tool(toolset="mission", result=LoggedDecision, actor="agent_id", owned="task_id")
async def log_decision(call: Call, args: LogDecision) -> JournalEntry:
    """Record a choice others should know: library, architecture, trade-off, workaround."""
    return await call.finish(
        journal.log,
        kind=EntryKind.DECISION,
        task_id=args.task_id,
        summary=f"{args.question} → {args.chosen}",
        detail=args.detail(),
        agent_id=call.actor,
        fence=args.fence,
    )


@tool(toolset="mission", result=LoggedIssue, actor="agent_id", owned="task_id")
async def log_issue(call: Call, args: LogIssue) -> JournalEntry:
    """Record a problem and its resolution."""
    return await call.finish(
        journal.log,
        kind=EntryKind.ISSUE,
        task_id=args.task_id,
        summary=args.description,
        detail=args.detail(),
        agent_id=call.actor,
        fence=args.fence,
        blocker=args.requires_human_review,
    )


@tool(toolset="mission", result=LoggedMilestone, actor="agent_id", owned="task_id")
async def log_milestone(call: Call, args: LogMilestone) -> JournalEntry:
    """Report progress briefly; at most 5 per task."""
    return await call.finish(
        journal.log,
        kind=EntryKind.MILESTONE,
        task_id=args.task_id,
        summary=args.message,
        detail=args.detail(),
        agent_id=call.actor,
        fence=args.fence,
    )
