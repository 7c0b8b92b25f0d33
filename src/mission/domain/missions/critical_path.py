"""The critical path: the chain of tasks that decides when a mission is done, at any level of parallelism."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mission.domain.missions.estimate import Span, remaining_seconds
from mission.domain.tasks.states import ACTIVE, OPEN, TaskStatus

USUAL_SECONDS = 20 * 60.0
"""The assumed duration of a task until the first task of its mission has ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PathStep:
    """The timing of a task, and the tasks it depends on."""

    id: str
    status: str
    started_at: datetime | None
    """When its current attempt began."""
    completed_at: datetime | None
    needs: Sequence[str] = ()
    owner_id: str | None = None

    @property
    def is_active(self) -> bool:
        """Return whether an agent is working on it: it was started and does not wait for a person."""
        return self.started_at is not None and self.status in ACTIVE

    def elapsed(self, *, now: datetime) -> float | None:
        """Return how many seconds its current attempt has taken; None if no agent is working on it."""
        if self.started_at is None or not self.is_active:
            return None
        return max(0.0, (now - self.started_at).total_seconds())

    def remaining(self, *, usual: float, now: datetime) -> float:
        """Return how many seconds it will probably take from now on."""
        return 0.0 if self.status not in OPEN else remaining_seconds(usual=usual, elapsed=self.elapsed(now=now))

    @property
    def span(self) -> Span | None:
        """Return the start and end of the last attempt; None unless the task is completed."""
        if self.started_at is None or self.completed_at is None or self.status != TaskStatus.COMPLETED:
            return None
        return self.started_at, self.completed_at


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticalPath:
    """The tasks on the path, and the seconds until the last one ends, at least as long as any has run so far.

    The seconds are a guess until a task of the mission has ended: show them only with an estimate.
    """

    tasks: frozenset[str]
    remaining: float


def critical_path(steps: Sequence[PathStep], *, typical: float | None, now: datetime) -> CriticalPath:
    """Return the chain from the task that ends last back through the longest wait of each task.

    Ended tasks can be left out: the rest of the chain is the same without them.
    """
    by_id = {step.id: step for step in steps}
    ends: dict[str, float] = {}
    for step in in_order(by_id):
        ends[step.id] = _end(step, ends, usual=typical or USUAL_SECONDS, now=now)
    path: dict[str, None] = {}
    last = max(by_id, key=lambda id: ends[id], default=None)
    while last is not None and last not in path:
        path[last] = None
        last = max((need for need in by_id[last].needs if need in ends), key=lambda id: ends[id], default=None)
    return CriticalPath(tasks=frozenset(path), remaining=max([0.0, *ends.values()]))


def in_order(by_id: Mapping[str, PathStep]) -> Iterator[PathStep]:
    """Yield each step after its dependencies; a plan that is already ordered is walked once."""
    given: set[str] = set()
    begun: set[str] = set()
    stack = [*by_id.values()][::-1]
    while stack:
        step = stack[-1]
        if step.id not in begun:
            begun.add(step.id)
            first = [by_id[need] for need in step.needs if need in by_id and need not in begun]
            if first:
                stack += first
                continue
        stack.pop()
        if step.id not in given:
            given.add(step.id)
            yield step


def _end(step: PathStep, ends: Mapping[str, float], *, usual: float, now: datetime) -> float:
    """Return when a task ends, in seconds from now: measured, or estimated from its dependencies and the usual time."""
    if step.completed_at is not None or step.status not in OPEN:
        return min(0.0, ((step.completed_at or now) - now).total_seconds())
    return max([0.0, *(ends[need] for need in step.needs if need in ends)]) + step.remaining(usual=usual, now=now)
