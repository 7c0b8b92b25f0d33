"""Work that does not move by itself: untouched, silent, failing again, or waiting too long for a review."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

UNTOUCHED_AFTER = timedelta(minutes=20)
"""How long a task may be ready before somebody takes it."""
SILENT_AFTER = timedelta(minutes=10)
"""How long an agent may work without a sign of life."""
REVIEW_AFTER = timedelta(minutes=10)
"""How long a result may wait for its review."""
FAILED_TIMES = 2
WORKING = frozenset({"working", "planning"})
UNDONE = frozenset({*WORKING, "ready", "waiting", "asks", "blocked", "budget", "paused", "review", "failed"})
"""Words of tasks that somebody still has to finish."""


class StuckReason(StrEnum):
    """The reasons why a task does not move, the most urgent first."""

    FAILED = "failed"
    SILENT = "silent"
    REVIEW = "review"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFacts:
    """The facts about a task that decide whether it moves."""

    id: str
    mission_id: str
    word: str
    """Its state as people see it."""
    since: datetime
    """Since when it is in this state; for a ready task, when the last of its dependencies was done."""
    failed_attempts: int = 0
    heard_at: datetime | None = None
    """The last sign of life of the agent that works on it; None if nobody can tell."""
    lapsed: bool = False
    """Whether the lease of its owner has ended."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stuck:
    """A task that does not move; or, if nobody takes them, several of a mission."""

    reason: StuckReason
    since: datetime
    mission_id: str
    tasks: tuple[str, ...]
    """The ids of the tasks, in the order in which they were given."""


def stuck_reason(task: TaskFacts, *, now: datetime) -> StuckReason | None:
    """Return why a task does not move; None if it moves, has ended, or may still be waiting its turn."""
    if task.word not in UNDONE:
        return None
    if task.failed_attempts >= FAILED_TIMES:
        return StuckReason.FAILED
    if task.word in WORKING and _is_silent(task, now=now):
        return StuckReason.SILENT
    if task.word == "review" and now - task.since >= REVIEW_AFTER:
        return StuckReason.REVIEW
    if task.word == "ready" and now - task.since >= UNTOUCHED_AFTER:
        return StuckReason.UNTOUCHED
    return None


def find_stuck(tasks: Iterable[TaskFacts], *, full: Collection[str], now: datetime) -> list[Stuck]:
    """Return what is stuck, the most urgent first and then the longest.

    Ready tasks of a mission are one entry, and none if the mission is `full`: all its places are taken, so they wait
    their turn.
    """
    found: list[Stuck] = []
    untouched: dict[str, list[TaskFacts]] = {}
    for task in tasks:
        reason = stuck_reason(task, now=now)
        if reason is StuckReason.UNTOUCHED:
            untouched.setdefault(task.mission_id, []).append(task)
        elif reason is not None:
            found.append(
                Stuck(reason=reason, since=_stuck_since(task, reason), mission_id=task.mission_id, tasks=(task.id,))
            )
    found += [_group(group) for mission_id, group in untouched.items() if mission_id not in full]
    order = list(StuckReason)
    return sorted(found, key=lambda each: (order.index(each.reason), each.since, each.tasks))


def _is_silent(task: TaskFacts, *, now: datetime) -> bool:
    return task.lapsed or (task.heard_at is not None and now - task.heard_at >= SILENT_AFTER)


def _stuck_since(task: TaskFacts, reason: StuckReason) -> datetime:
    return task.heard_at or task.since if reason is StuckReason.SILENT else task.since


def _group(tasks: list[TaskFacts]) -> Stuck:
    return Stuck(
        reason=StuckReason.UNTOUCHED,
        since=min(task.since for task in tasks),
        mission_id=tasks[0].mission_id,
        tasks=tuple(task.id for task in tasks),
    )
