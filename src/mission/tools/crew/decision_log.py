"""The crew's decision log: entries that agents write to the audit trail."""

from __future__ import annotations

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, attribute, tool
from mission.services.views import audit
from mission.services.views.audit import LoggedEntry
from mission.tools.shared.fields import Name, Text
from mission.tools.shared.wording import Moment


class LogDecision(Arguments):
    title: Name
    body: Text = Field(max_length=20_000)


class LoggedDecision(Result):
    logId: str = attribute("id")
    timestamp: Moment = attribute("at")


@tool(toolset="crew", result=LoggedDecision, actor="agentId", whole=True)
async def mcp__system__log_decision(call: Call, args: LogDecision) -> LoggedEntry:
    """Record a decision and its reasons in the audit trail."""
    return await call.finish(audit.log, entry_id=call.entry_id)
