"""Events that go together, for tools whose answers they make stale."""

from __future__ import annotations

MISSION = ("mission", "workflow", "phase")
JOURNAL = ("decision", "issue", "milestone", "checkpoint")
