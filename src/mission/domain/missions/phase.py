"""A phase: a numbered stage of a mission that contains tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from mission.domain.errors import InvalidState
from mission.domain.legal_moves import check_move
from mission.domain.timestamps import format_time


class PhaseStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"


MOVES: Mapping[PhaseStatus, frozenset[PhaseStatus]] = {
    PhaseStatus.PENDING: frozenset({PhaseStatus.IN_PROGRESS, PhaseStatus.COMPLETED, PhaseStatus.FAILED}),
    PhaseStatus.IN_PROGRESS: frozenset({PhaseStatus.COMPLETED, PhaseStatus.FAILED}),
    PhaseStatus.COMPLETED: frozenset(),
    PhaseStatus.FAILED: frozenset(),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseCounts:
    """The number of tasks of a phase by state."""

    pending: int = 0
    in_progress: int = 0
    success: int = 0
    partial: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        return self.pending + self.in_progress + self.success + self.partial + self.failed + self.skipped

    @property
    def completed(self) -> int:
        return self.success + self.partial

    @property
    def open(self) -> int:
        return self.pending + self.in_progress


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """One phase. Immutable: a move returns a new Phase."""

    id: str
    mission_id: str
    number: int
    name: str
    created_at: datetime
    description: str | None = None
    is_parallel: bool = False
    planned: bool = False
    status: PhaseStatus = PhaseStatus.PENDING
    summary: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    completion: Mapping[str, Any] | None = None
    counts: PhaseCounts = PhaseCounts()

    @property
    def closed(self) -> bool:
        return not MOVES[self.status]

    def move_to(self, status: PhaseStatus, *, at: datetime) -> Phase:
        check_move("phase", self.id, MOVES, self.status, status)
        started = self.started_at or (at if status is PhaseStatus.IN_PROGRESS else None)
        return replace(self, status=status, started_at=started, completed_at=at if not MOVES[status] else None)

    def start(self, *, at: datetime, open_phases: Sequence[int]) -> Phase:
        """Return the phase in progress; raise InvalidState, with the open phases, if it is closed."""
        if self.closed:
            raise InvalidState(
                f"phase {self.number} ({self.id}) is {self.status}: no task can start in it",
                hint=f"Open phases: {', '.join(map(str, open_phases))}."
                if open_phases
                else f"No phase is open: start phase {self.number + 1}.",
                current=str(self.status),
                open_phases=list(open_phases),
            )
        return self if self.status is PhaseStatus.IN_PROGRESS else self.move_to(PhaseStatus.IN_PROGRESS, at=at)

    def record(self) -> dict[str, Any]:
        """Return the phase as events and lists show it."""
        return {
            "id": self.id,
            "mission_id": self.mission_id,
            "number": self.number,
            "name": self.name,
            "description": self.description,
            "is_parallel": self.is_parallel,
            "status": str(self.status),
            "created_at": format_time(self.created_at),
            "started_at": format_time(self.started_at),
            "completed_at": format_time(self.completed_at),
        }


def current_phase(phases: Sequence[Phase], *, total: int) -> int:
    """Return the lowest phase in progress, else the one after the last completed, at most `total`."""
    running = [phase.number for phase in phases if phase.status is PhaseStatus.IN_PROGRESS]
    if running:
        return min(running)
    done = [phase.number for phase in phases if phase.status is PhaseStatus.COMPLETED]
    return min(max(done, default=0) + 1, total)
