"""Groups of events that make a tool's result stale."""

from __future__ import annotations

MISSION = ("mission", "workflow", "phase")
JOURNAL = ("decision", "issue", "milestone", "checkpoint")
