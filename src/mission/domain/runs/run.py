"""A run: what drives a mission to its end, with its branch, its options and its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from mission.domain.legal_moves import check_move
from mission.domain.runs.options import RunOptions
from mission.domain.timestamps import format_time

HOLDER_LEASE = timedelta(seconds=15)
"""How long the daemon that drives a run may be silent before another one takes it over."""
BRANCHES = "mission/"
"""Runs make branches only below this name."""


class RunState(StrEnum):
    PLANNING = "planning"
    READY = "ready"
    """It is looked at before the first launch, or a person is asked about what was found."""
    RUNNING = "running"
    PAUSED = "paused"
    FINISHING = "finishing"
    """Every task has ended: the final checks run."""
    FINISHED = "finished"
    STOPPED = "stopped"


LIVE = (RunState.PLANNING, RunState.READY, RunState.RUNNING, RunState.PAUSED, RunState.FINISHING)
"""States of a run that has not ended."""

MOVES: Mapping[RunState, frozenset[RunState]] = {
    RunState.PLANNING: frozenset({RunState.READY, RunState.PAUSED, RunState.STOPPED}),
    RunState.READY: frozenset({RunState.RUNNING, RunState.PAUSED, RunState.STOPPED}),
    RunState.RUNNING: frozenset({RunState.PAUSED, RunState.FINISHING, RunState.STOPPED}),
    RunState.PAUSED: frozenset({RunState.READY, RunState.RUNNING, RunState.STOPPED}),
    RunState.FINISHING: frozenset({RunState.RUNNING, RunState.PAUSED, RunState.FINISHED, RunState.STOPPED}),
    RunState.FINISHED: frozenset(),
    RunState.STOPPED: frozenset(),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One run. Immutable: a change returns a new run."""

    id: str
    mission_id: str
    host_id: str
    repository: str
    """The top folder of the repository."""
    branch: str
    """The integration branch."""
    base_commit: str
    tip: str
    """The newest commit of the integration branch that this run made or has seen."""
    target: str | None
    """The branch that the run lands on."""
    options: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    state: RunState = RunState.READY
    reason: str | None = None
    preflight: Mapping[str, Any] | None = None
    """What was found before the first launch: notes, problems, and the round of checks on the base."""
    unproved_allowed: bool = False
    """Whether a person let tasks merge without a required check."""
    waivers: Sequence[Mapping[str, Any]] = ()
    """Checks that a person waived for the rest of the run, with the reason."""
    foreign_commits: Sequence[Mapping[str, Any]] = ()
    merging_stopped: str | None = None
    """Why nothing is merged now: the checks fail on the tip itself."""
    final: Mapping[str, Any] | None = None
    """The final checks: their commit and round, and the repair tasks so far."""
    landing: Mapping[str, Any] | None = None
    """The landing that was asked for, and what became of it."""
    carried_out: Mapping[str, str] | None = None
    """Answers of a person that were carried out: for each key of a question the newest such inbox item."""
    holder: str | None = None
    holder_until: datetime | None = None
    fence: int = 0
    """Grows with every holder; a step of an earlier holder is refused."""
    first_launch_at: datetime | None = None
    paused_at: datetime | None = None
    paused_from: str | None = None
    """The state that a paused run continues with."""
    paused_seconds: float = 0.0
    ended_at: datetime | None = None

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def wanted(self) -> RunOptions:
        """Return the options as a value."""
        return RunOptions.from_dict(self.options)

    def is_driven(self, *, now: datetime) -> bool:
        """Return whether a live daemon drives the run."""
        until = self.holder_until
        # A lease that ends later than any lease can was given before the clock was set back.
        return self.holder is not None and until is not None and now < until <= now + HOLDER_LEASE

    def held_by(self, holder: str, *, at: datetime) -> Run:
        """Return the run with its driver; a new driver raises the fence."""
        fence = self.fence if self.holder == holder else self.fence + 1
        return replace(self, holder=holder, holder_until=at + HOLDER_LEASE, fence=fence)

    def move_to(self, state: RunState, *, at: datetime, reason: str | None = None) -> Run:
        """Return the run in another state; raise InvalidState if that is not allowed."""
        if state is self.state:
            return replace(self, reason=reason, updated_at=at)
        check_move("run", self.id, MOVES, self.state, state)
        resumed = self.state is RunState.PAUSED and self.paused_at is not None
        pause = (at - self.paused_at).total_seconds() if resumed and self.paused_at is not None else 0.0
        return replace(
            self,
            state=state,
            reason=reason,
            paused_at=at if state is RunState.PAUSED else None,
            paused_from=str(self.state) if state is RunState.PAUSED else None,
            paused_seconds=self.paused_seconds + max(0.0, pause),
            ended_at=at if state not in LIVE else None,
            updated_at=at,
        )

    def worked_seconds(self, *, now: datetime) -> float:
        """Return how long the run has worked since its first launch, without pauses."""
        if self.first_launch_at is None:
            return 0.0
        end = self.ended_at or self.paused_at or now
        return max(0.0, (end - self.first_launch_at).total_seconds() - self.paused_seconds)

    def task_branch(self, task_id: str) -> str:
        """Return the branch of a task: a dot, because a slash would collide with the integration branch."""
        return f"{self.branch}.{task_id.removeprefix('t_')}"

    def record(self) -> dict[str, Any]:
        """Return the run as events and lists show it."""
        return {
            "run_id": self.id,
            "mission_id": self.mission_id,
            "state": str(self.state),
            "reason": self.reason,
            "branch": self.branch,
            "base_commit": self.base_commit,
            "tip": self.tip,
            "target": self.target,
            "host_id": self.host_id,
            "created_at": format_time(self.created_at),
            "updated_at": format_time(self.updated_at),
            "first_launch_at": format_time(self.first_launch_at),
            "ended_at": format_time(self.ended_at),
        }
