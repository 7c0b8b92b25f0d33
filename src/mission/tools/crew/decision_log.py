"""The crew's decision log: entries that agents write to the audit trail."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.views import audit as trail
from mission.tools.shared.fields import Name, Text
from mission.tools.shared.wording import Moment


class LogDecision(Arguments):
    title: Name
    body: Text = Field(max_length=20_000)


class LoggedDecision(Result):
    logId: str
    timestamp: Moment


@tool(toolset="crew", actor="agentId", whole=True)
async def mcp__system__log_decision(call: Call, args: LogDecision) -> LoggedDecision:
    """Record a decision and its reasons in the audit trail."""
    entry_id = call.entry_id

    def logged(at: datetime) -> LoggedDecision:
        return LoggedDecision(logId=entry_id, timestamp=at)

    return await call.write(trail.moment, answer=logged)
