"""What the steps of a run need: the store, trees, agents and checks of this process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mission.domain.runs.options import Limits
from mission.domain.runs.run import Run
from mission.events.log import EventLog
from mission.services.agents.registration import LivenessSettings
from mission.services.checks.checker import Checker
from mission.services.launcher import Launcher
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work


@dataclass(frozen=True, kw_only=True, slots=True)
class RunContext:
    """The process that drives runs, as its steps see it."""

    work: Work
    trees: Trees
    launcher: Launcher
    checker: Checker
    events: EventLog
    liveness: LivenessSettings
    worktrees: Path
    """The folder for merge worktrees and fresh worktrees."""
    agent_slots: int = 0
    """How many agents may run at once on this host; 0 is derived from cores and memory."""
    min_free_gb: float = 5.0
    """No agent is launched with less free disk space than this."""
    daily: Limits = field(default_factory=Limits)
    """What all runs together may spend in a day."""
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def now(self) -> datetime:
        return self.clock()

    @property
    def host_id(self) -> str:
        return self.trees.host_id


StepHandler = Callable[[RunContext, Run, Any], Awaitable[None]]
"""Carries out one kind of step. It checks again in its own transaction what the view showed."""
