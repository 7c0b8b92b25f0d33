"""The critical path: the chain of tasks that decides when a mission is done, and how long the rest of it takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from mission.domain.task import OPEN, TaskStatus

USUAL_SECONDS = 20 * 60.0
"""How long a task takes as long as none of its mission has ended."""
SHORTEST_REST = 0.1
"""What is left at least of a task that runs, as a part of the usual time."""
LATEST = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A task as far as time goes, and the tasks it waits or waited for."""

    id: str
    status: str
    started_at: datetime | None
    completed_at: datetime | None
    needs: Sequence[str] = ()

    @property
    def seconds(self) -> float | None:
        """How long it took, for one that was completed."""
        if self.started_at is None or self.completed_at is None or self.status != TaskStatus.COMPLETED:
            return None
        return max(0.0, (self.completed_at - self.started_at).total_seconds())


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticalPath:
    """The tasks that decide, and the seconds until the last of them has ended."""

    tasks: frozenset[str]
    remaining: float


def typical_seconds(steps: Iterable[Step]) -> float | None:
    """What a task usually takes: the middle of the latest ones that ended."""
    ended = [(step.completed_at, step.seconds) for step in steps if step.completed_at and step.seconds is not None]
    latest = sorted(ended, reverse=True)[:LATEST]
    return median(seconds for _, seconds in latest) if latest else None


def critical_path(steps: Sequence[Step], *, typical: float | None, now: datetime) -> CriticalPath:
    """The chain that ends last: from the task that ends last back to whatever each of them waited for longest."""
    by_id = {step.id: step for step in steps}
    ends: dict[str, float] = {}
    for step in _ordered(by_id):
        ends[step.id] = _end(step, ends, usual=typical or USUAL_SECONDS, now=now)
    path: list[str] = []
    last = max(by_id, key=lambda id: ends[id], default=None)
    while last is not None and last not in path:
        path.append(last)
        last = max((need for need in by_id[last].needs if need in ends), key=lambda id: ends[id], default=None)
    return CriticalPath(tasks=frozenset(path), remaining=max(0.0, *ends.values()) if ends else 0.0)


def _end(step: Step, ends: Mapping[str, float], *, usual: float, now: datetime) -> float:
    """When a task ends, in seconds from now: measured, or guessed from what it waits for and what is usual."""
    if step.completed_at is not None or step.status not in OPEN:
        return min(0.0, ((step.completed_at or now) - now).total_seconds())
    spent = (now - step.started_at).total_seconds() if step.started_at else 0.0
    begins = max([0.0, *(ends[need] for need in step.needs if need in ends)])
    return begins + max(usual - spent, usual * SHORTEST_REST)


def _ordered(by_id: Mapping[str, Step]) -> list[Step]:
    """Each after all that it needs."""
    found: list[Step] = []
    begun: set[str] = set()
    stack = [(step, False) for step in reversed([*by_id.values()])]
    while stack:
        step, ready = stack.pop()
        if ready:
            found.append(step)
        elif step.id not in begun:
            begun.add(step.id)
            stack.append((step, True))
            stack += [(by_id[need], False) for need in step.needs if need in by_id]
    return found
