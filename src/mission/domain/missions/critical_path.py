"""The critical path: the chain of tasks that decides when a mission is done, however many work side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mission.domain.missions.estimate import Span, rest_seconds
from mission.domain.tasks.task import GOING, OPEN, TaskStatus

USUAL_SECONDS = 20 * 60.0
"""How long a task takes as long as none of its mission has ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PathStep:
    """A task as far as time goes, and the tasks it waits or waited for."""

    id: str
    status: str
    started_at: datetime | None
    """When its current attempt began."""
    completed_at: datetime | None
    needs: Sequence[str] = ()
    owner_id: str | None = None

    @property
    def is_going(self) -> bool:
        """Whether somebody works on it: it was started, and does not wait for a person."""
        return self.started_at is not None and self.status in GOING

    def taken(self, *, now: datetime) -> float | None:
        """Return how many seconds its current attempt has taken; None while nobody works on it."""
        if self.started_at is None or not self.is_going:
            return None
        return max(0.0, (now - self.started_at).total_seconds())

    def rest(self, *, usual: float, now: datetime) -> float:
        """Return how many seconds it will probably take from now on."""
        return 0.0 if self.status not in OPEN else rest_seconds(usual=usual, taken=self.taken(now=now))

    @property
    def span(self) -> Span | None:
        """When its last attempt began and ended, for one that was completed."""
        if self.started_at is None or self.completed_at is None or self.status != TaskStatus.COMPLETED:
            return None
        return self.started_at, self.completed_at


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticalPath:
    """The tasks that decide, and the seconds until the last of them has ended: no less than any at work has taken.

    The seconds are a guess as long as no task of the mission has ended: tell them only with an estimate.
    """

    tasks: frozenset[str]
    remaining: float


def critical_path(steps: Sequence[PathStep], *, typical: float | None, now: datetime) -> CriticalPath:
    """The chain that ends last: from the task that ends last back to whatever each of them waited for longest.

    Of tasks that ended nothing is decided any more: without them the rest of the chain is the same.
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
    """Each after all that it needs; a plan in its own order is gone through once."""
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
    """When a task ends, in seconds from now: measured, or guessed from what it waits for and what is usual."""
    if step.completed_at is not None or step.status not in OPEN:
        return min(0.0, ((step.completed_at or now) - now).total_seconds())
    return max([0.0, *(ends[need] for need in step.needs if need in ends)]) + step.rest(usual=usual, now=now)
