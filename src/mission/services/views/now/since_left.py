"""What happened since a person last looked: the facts behind the summary on the page and in notifications."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.overview.costs import total
from mission.domain.overview.since_left import SinceFacts, SummaryLine, summary
from mission.domain.tasks.patch import LineCount
from mission.services.views.now import costs
from mission.services.views.task_lines import Count, count_of_ended
from mission.store.transaction import Tx

MAX_PATCHES = 1_000
LANDED = "landed"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedTotal:
    """The files and lines that ended tasks changed; `uncounted` files have no known lines."""

    files: int = 0
    added: int = 0
    removed: int = 0
    uncounted: int = 0


def read(tx: Tx, *, since: datetime) -> list[SummaryLine]:
    """Return what happened since a moment, in at most five lines."""
    ended = count_of_ended(tx.overviews.count_ended(since))
    return summary(facts(tx, since=since, ended=ended, changed=changed_since(tx, since)))


def facts(tx: Tx, *, since: datetime, ended: Count, changed: ChangedTotal) -> SinceFacts:
    """Return what the summary since a moment is made of."""
    waiting, oldest = tx.attention.waiting()
    return SinceFacts(
        proved=ended.proved,
        accepted=ended.accepted,
        unproved=ended.unproved,
        failed=ended.failed,
        waiting=waiting,
        longest_wait=tx.now - oldest if oldest is not None else None,
        merged=tx.costs.merged_since(since),
        landed=[str(run.landing["target"]) for run in tx.costs.runs_since(since) if _has_landed(run)],
        files=changed.files,
        lines=LineCount(changed.added, changed.removed),
        cost=total(costs.read(tx, since=since)),
    )


def changed_since(tx: Tx, since: datetime) -> ChangedTotal:
    """Return the files and lines that tasks changed that ended after a moment."""
    rows = tx.costs.changed_since(since, limit=MAX_PATCHES)
    files: dict[str, bool] = {}
    for row in rows:
        for path, counted in _paths(row.lines):
            files[path] = files.get(path, True) and counted
    return ChangedTotal(
        files=len(files),
        added=sum(row.added for row in rows),
        removed=sum(row.removed for row in rows),
        uncounted=sum(not counted for counted in files.values()),
    )


def _paths(lines: Mapping[str, Sequence[int] | None] | None) -> list[tuple[str, bool]]:
    return [(path, count is not None) for path, count in (lines or {}).items()]


def _has_landed(run: Any) -> bool:
    return bool(run.landing) and run.landing.get("state") == LANDED and bool(run.landing.get("target"))
