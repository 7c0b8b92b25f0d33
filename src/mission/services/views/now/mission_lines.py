"""Missions as rows of lists: progress, what needs a person, agents, cost and the estimated time left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mission.domain.display_status import NEEDS_PERSON
from mission.domain.missions.estimate import Estimate, estimate, typical_task
from mission.domain.missions.mission import ENDED, MissionOutcome, MissionStatus
from mission.domain.overview.costs import Cost
from mission.services.views.now import costs
from mission.services.views.task_lines import AT_WORK, Count, TaskLine, count_of_tally, with_words
from mission.store.transaction import Tx
from mission.store.views.overview import MISSION_GROUPS


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionLine:
    """A mission as a row of a list."""

    row: Any
    status: str
    count: Count
    hands: Sequence[TaskLine]
    """Its active tasks."""
    items: int
    """Open inbox items."""
    cost: Cost
    estimate: Estimate | None

    @property
    def group(self) -> str:
        """Return the part of the list it belongs to."""
        return MISSION_GROUPS[self.row.rank]

    @property
    def at_work(self) -> int:
        """Return how many agents are at work on it."""
        if self.row.status in ENDED:
            return 0
        return len({line.row.owner_id or line.row.agent_name or line.row.id for line in self.working})

    @property
    def working(self) -> Sequence[TaskLine]:
        return [line for line in self.hands if line.word in AT_WORK]


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionPage:
    missions: Sequence[MissionLine]
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Facts:
    """The facts that are read at once for all missions of a list."""

    tallies: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    proofs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    failed_attempts: Mapping[str, int] = field(default_factory=dict)
    items: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, Sequence[TaskLine]] = field(default_factory=dict)
    costs: Mapping[str, Cost] = field(default_factory=dict)
    spans: Mapping[str, Sequence[tuple[datetime, datetime]]] = field(default_factory=dict)


def list_missions(
    tx: Tx, *, text: str, statuses: Sequence[MissionStatus] | None, archived: bool, limit: int, offset: int
) -> MissionPage:
    """Return missions that contain every word of the text: those that need a person, with work, planned, and the rest;
    in each group the most recently active first."""
    rows, counts = tx.overviews.missions(
        words=text.lower().split(),
        statuses=None if statuses is None else [str(status) for status in statuses],
        archived=archived,
        limit=limit,
        offset=offset,
    )
    return MissionPage(missions=mission_lines(tx, rows), counts=counts)


def mission_lines(tx: Tx, rows: Sequence[Any]) -> list[MissionLine]:
    """Return rows of missions with everything that a list shows of them."""
    facts = _read(tx, rows)
    return [_line(row, facts, now=tx.now) for row in rows]


def shown_status(status: str, outcome: str | None) -> str:
    return "partial" if outcome == MissionOutcome.PARTIAL else str(status)


def _read(tx: Tx, rows: Sequence[Any]) -> _Facts:
    ids = [row.id for row in rows]
    if not ids:
        return _Facts()
    hands: dict[str, list[TaskLine]] = {}
    active = tx.overviews.hands(ids)
    names = tx.overviews.names(sorted({row.owner_id for row in active if row.owner_id}))
    for line in with_words(active, names):
        hands.setdefault(line.row.mission_id, []).append(line)
    return _Facts(
        tallies=tx.overviews.task_counts(ids),
        proofs=tx.overviews.proofs(ids),
        failed_attempts=tx.overviews.failed_attempts(ids),
        items=tx.attention.items_of(ids),
        hands=hands,
        costs=costs.of_missions(tx, ids),
        spans=tx.attention.spans(sorted(hands)) if hands else {},
    )


def _line(row: Any, facts: _Facts, *, now: datetime) -> MissionLine:
    hands = facts.hands.get(row.id, ())
    count = count_of_tally(
        facts.tallies.get(row.id, {}),
        facts.proofs.get(row.id, {}),
        needs=sum(line.word in NEEDS_PERSON for line in hands),
        failed_attempts=facts.failed_attempts.get(row.id, 0),
    )
    return MissionLine(
        row=row,
        status=shown_status(row.status, row.outcome),
        count=count,
        hands=hands,
        items=facts.items.get(row.id, 0),
        cost=facts.costs.get(row.id) or _unreported(count),
        estimate=_estimate(row, count, hands, facts, now=now),
    )


def _unreported(count: Count) -> Cost:
    """Return the cost of a mission without executions: unknown for each task that somebody worked on."""
    worked = count.done + count.working + count.needs + count.failed
    return Cost(unknown=worked, expenses=worked)


def _estimate(row: Any, count: Count, hands: Sequence[TaskLine], facts: _Facts, *, now: datetime) -> Estimate | None:
    working = [line.row.attempt_started_at for line in hands if line.word in AT_WORK]
    if not working or row.status in ENDED:
        return None
    return estimate(
        total=count.total,
        remaining=count.total - count.done - count.skipped,
        typical=typical_task(facts.spans.get(row.id, ()), total=count.total),
        running=[(now - started).total_seconds() for started in working if started is not None],
        parallel=row.max_parallel,
    )
