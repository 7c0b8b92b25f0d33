"""Activity over time since a reader left: tasks in progress and items that waited for a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mission.domain.activity import Stretch, moments, under_way
from mission.store.transaction import Tx

MOMENTS = 97
MOST = 5_000
LONGEST = timedelta(days=7)
SHORTEST = timedelta(minutes=10)


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    at: Sequence[datetime]
    at_work: Sequence[int]
    waiting: Sequence[int]
    unanswered_since: datetime | None


def activity(tx: Tx, *, since: datetime) -> Activity:
    """Return, for many moments since then, the number of tasks in progress and of items that waited for a person."""
    since = min(max(since, tx.now - LONGEST), tx.now - SHORTEST)
    at = moments(since, tx.now, many=MOMENTS)
    tasks = {
        row.id: Stretch(began=row.started_at, ended=row.completed_at)
        for row in tx.activity.worked(since=since, limit=MOST)
    }
    items = [
        (row.task_id, Stretch(began=row.created_at, ended=row.closed_at))
        for row in tx.activity.waited(since=since, limit=MOST)
    ]
    held = [stretch.within(tasks[task_id]) for task_id, stretch in items if task_id in tasks]
    worked = under_way(tasks.values(), at)
    held_at = under_way([each for each in held if each is not None], at)
    return Activity(
        at=at,
        at_work=[max(0, all_ - still) for all_, still in zip(worked, held_at, strict=True)],
        waiting=under_way([stretch for _, stretch in items], at),
        unanswered_since=min((stretch.began for _, stretch in items if stretch.ended is None), default=None),
    )
