"""The estimate of a mission's remaining time: one rule for all callers and plan sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median, quantiles

MEASURED_TASKS = 50
"""How many of the most recently completed tasks determine the usual duration."""
ENOUGH_TASKS = 5
ENOUGH_PART = 10
"""An estimate needs ENOUGH_TASKS completed tasks, or one in ENOUGH_PART of the plan, whichever comes first."""
SPREAD = 2
"""With fewer completed tasks than ENOUGH_TASKS, a task may take this many times more or less than they did."""

Span = tuple[datetime, datetime]
"""When the last attempt at a completed task began, and when it ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The probable seconds for a task or the rest of a mission, with a range."""

    seconds: float
    low: float
    high: float

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high


def is_enough(*, completed: int, total: int) -> bool:
    """Return whether that many completed tasks are enough to estimate the rest of the plan."""
    return completed >= ENOUGH_TASKS or 0 < total <= completed * ENOUGH_PART


def typical_seconds(completed: Iterable[Span]) -> float | None:
    """Return what a task usually takes: the median of the latest ones; None before the first has ended."""
    durations = _durations(completed)
    return median(durations) if durations else None


def typical_task(completed: Iterable[Span], *, total: int) -> Estimate | None:
    """Return what a task of the plan usually takes; None while too few tasks are completed."""
    durations = _durations(completed)
    if not durations or not is_enough(completed=len(durations), total=total):
        return None
    middle = median(durations)
    if len(durations) < ENOUGH_TASKS:
        return Estimate(seconds=middle, low=middle / SPREAD, high=middle * SPREAD)
    low, _, high = quantiles(durations, n=4, method="inclusive")
    return Estimate(seconds=middle, low=low, high=high)


def estimate(
    *, total: int, remaining: int, typical: Estimate | None, running: Iterable[float], parallel: int
) -> Estimate | None:
    """Return how long the remaining tasks take at full parallelism; None while the usual duration is unknown.

    `running` has the seconds that each running task's current attempt has taken so far. The estimate is never less
    than that: a task that has already run long is not about to end.
    """
    if total and not remaining:
        return Estimate(seconds=0.0, low=0.0, high=0.0)
    if typical is None:
        return None
    longest = max([0.0, *running])
    low, middle, high = (remaining * each / parallel for each in (typical.low, typical.seconds, typical.high))
    return Estimate(
        seconds=round(max(middle, longest), 3),
        low=round(max(low, longest), 3),
        high=round(max(high, longest * SPREAD), 3),
    )


def remaining_seconds(*, usual: float, elapsed: float | None) -> float:
    """Return the remaining seconds of a task: the usual time minus `taken`, but at least `taken`.

    `taken` is None for a task that no agent is working on; all of it remains.
    """
    return usual if elapsed is None else max(usual - elapsed, elapsed)


def _durations(completed: Iterable[Span]) -> Sequence[float]:
    latest = sorted(completed, key=lambda span: span[1], reverse=True)[:MEASURED_TASKS]
    return [max(0.0, (ended - began).total_seconds()) for began, ended in latest]
