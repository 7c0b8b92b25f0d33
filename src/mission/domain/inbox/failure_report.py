"""A failure that nobody called for: who hears of it, under which words, and when it is the same one again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

QUIET = timedelta(minutes=5)
"""How long the same failure is counted before it is told again."""

CRITICAL_TOOLS = frozenset(
    {
        "mcp__mail__send",
        "mcp__agent__get_task",
        "mcp__agent__get_epic",
        "mcp__task__update_status",
        "mcp__epic__update_status",
    }
)
"""Tools without which a crew cannot go on: their failures always reach the person."""

CRITICAL = "⚠️ CRITICAL"


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedCall:
    """One failed call, as its audit entry tells of it."""

    incident: str
    tool: str
    cause: str
    """What failed: the same cause is the same failure, whoever runs into it."""
    error: Mapping[str, Any]
    """Code and message as the caller got them: what an unforeseen error says itself is in the audit."""
    trace: str | None = None
    agent_id: str | None = None
    mission_id: str | None = None
    task_id: str | None = None

    @property
    def critical(self) -> bool:
        return self.tool in CRITICAL_TOOLS

    def key(self, recipient: str) -> str:
        """What the incidents of one cause share in the eyes of one reader."""
        return f"{'critical' if self.critical else 'failure'} {recipient} {self.cause}"

    def subject(self, who: str) -> str:
        words = f"{self.tool} failed for {who}: {self.error.get('message')}"
        return f"{CRITICAL} {words}" if self.critical else words

    def body(self, *, more: int, with_trace: bool) -> str:
        """Return what is known; the trace is for people only, in their mail."""
        lines = [
            f"Tool: {self.tool}",
            f"Error: {self.error.get('code')}: {self.error.get('message')}",
            f"Incident: {self.incident} ('mission audit {self.incident}' shows the details)",
        ]
        if more:
            lines.append(f"It happened {more} more time{'s' if more > 1 else ''} since this was told last.")
        if with_trace and self.trace:
            lines += ["", self.trace.strip()]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedFailure:
    """When a failure was told last, and how often it happened since."""

    key: str
    told_at: datetime
    times: int

    def is_recent(self, now: datetime) -> bool:
        return now - self.told_at < QUIET
