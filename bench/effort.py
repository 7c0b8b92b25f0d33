"""The duration of a run: the full measurement, or a quick one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """Rounds are interleaved between the compared subjects, so that a busy moment affects all of them."""

    rounds: int
    calls: int
    """Calls per round and subject."""
    starts: int
    """Starts of a process."""
    idle_seconds: float
    """How long a daemon is left alone before its memory is measured."""
    files: int
    snapshots: int


FULL = Effort(rounds=15, calls=40, starts=15, idle_seconds=3.0, files=100_000, snapshots=7)
QUICK = Effort(rounds=3, calls=15, starts=5, idle_seconds=3.0, files=20_000, snapshots=3)
