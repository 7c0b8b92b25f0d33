"""Reports of unexpected failures: who gets them, their text, and when a failure counts as a repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

QUIET = timedelta(minutes=5)
"""How long repeats of the same failure are only counted before it is reported again."""

RECENT = timedelta(hours=24)
"""How long an internal error counts against the health of the installation."""

CRITICAL_TOOLS = frozenset(
    {
        "mcp__mail__send",
        "mcp__agent__get_task",
        "mcp__agent__get_epic",
        "mcp__task__update_status",
        "mcp__epic__update_status",
    }
)
"""Tools that a crew cannot work without: their failures always reach the person."""

CRITICAL = "⚠️ CRITICAL"


@dataclass(frozen=True, kw_only=True, slots=True)
class FailedCall:
    """One failed call, as its audit entry records it."""

    incident: str
    tool: str
    cause: str
    """What failed: the same cause is the same failure, for every caller."""
    error: Mapping[str, Any]
    """Code and message as the caller got them; the text of an unexpected error is in the audit."""
    trace: str | None = None
    agent_id: str | None = None
    mission_id: str | None = None
    task_id: str | None = None

    @property
    def critical(self) -> bool:
        return self.tool in CRITICAL_TOOLS

    def key(self, recipient: str) -> str:
        """Return the key that all incidents of one cause share for one recipient."""
        return f"{'critical' if self.critical else 'failure'} {recipient} {self.cause}"

    def subject(self, who: str) -> str:
        words = f"{self.tool} failed for {who}: {self.error.get('message')}"
        return f"{CRITICAL} {words}" if self.critical else words

    def body(self, *, more: int, with_trace: bool) -> str:
        """Return the known details; the trace is only for messages to the person."""
        lines = [
            f"Tool: {self.tool}",
            f"Error: {self.error.get('code')}: {self.error.get('message')}",
            f"Incident: {self.incident} ('mission audit {self.incident}' shows the details)",
        ]
        if more:
            lines.append(f"It happened {more} more time{'s' if more > 1 else ''} since the last report.")
        if with_trace and self.trace:
            lines += ["", self.trace.strip()]
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedFailure:
    """The time of a failure's last report, and how often it happened since."""

    key: str
    told_at: datetime
    times: int

    def is_recent(self, now: datetime) -> bool:
        return now - self.told_at < QUIET
