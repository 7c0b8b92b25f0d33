"""One mission as people see it: header, tasks and journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.missions.critical_path import CriticalPath, PathStep, critical_path
from mission.domain.missions.estimate import Estimate, estimate, typical_task
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import Phase
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.states import DONE, OPEN
from mission.services.agents.registration import LivenessSettings
from mission.services.paging import cut_page, position_of, row_cursor
from mission.services.views.mission_changes import changed_paths
from mission.services.views.now.mission_lines import shown_status
from mission.services.views.task_lines import Count, TaskLine, count, task_lines
from mission.store.transaction import Tx

MAX_SOURCE_LENGTH = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionDetail:
    """One mission with all its tasks."""

    now: datetime
    mission: Mission
    status: str
    phases: Sequence[Phase]
    tasks: Sequence[TaskLine]
    edges: Mapping[str, Sequence[str]]
    count: Count
    phase_counts: Mapping[int, Count]
    entries: int
    files: int
    task_seconds: float
    typical: Estimate | None
    estimate: Estimate | None
    critical: CriticalPath
    remaining: Mapping[str, float]
    """Estimated remaining seconds of each open task; empty while too few tasks have ended for an estimate."""
    source: str | None
    lease_seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalPage:
    entries: Sequence[tuple[JournalEntry, str]]
    names: Mapping[str, str]
    next: str | None


def get(tx: Tx, *, mission_id: str, liveness: LivenessSettings) -> MissionDetail:
    """Return a mission as its page shows it."""
    mission = tx.missions.get(mission_id)
    tasks = task_lines(tx, tx.overviews.tasks(mission_id))
    spent = [_seconds(line.row, until=tx.now) for line in tasks if line.row.started_at is not None]
    edges = tx.overviews.edges(mission_id)
    steps = [_step(line.row, edges) for line in tasks]
    typical = typical_task((step.span for step in steps if step.span), total=len(steps))
    running = [taken for step in steps if (taken := step.elapsed(now=tx.now)) is not None]
    undone = sum(step.status not in DONE for step in steps)
    by_phase: dict[int, list[TaskLine]] = {}
    for line in tasks:
        by_phase.setdefault(line.row.phase_number, []).append(line)
    return MissionDetail(
        now=tx.now,
        mission=mission,
        status=shown_status(mission.status, mission.outcome),
        phases=tx.phases.of_mission(mission_id),
        tasks=tasks,
        edges=edges,
        count=count(tasks),
        phase_counts={number: count(lines) for number, lines in by_phase.items()},
        entries=tx.overviews.count_journal(mission_id),
        files=len({path for line in tasks for path, _ in changed_paths(line.row.changes)}),
        task_seconds=sum(spent),
        typical=typical,
        estimate=estimate(
            total=len(steps), remaining=undone, typical=typical, running=running, parallel=mission.max_parallel
        ),
        critical=critical_path(steps, typical=typical.seconds if typical else None, now=tx.now),
        remaining=_remaining(steps, typical, now=tx.now),
        source=(tx.missions.source(mission_id) or "")[:MAX_SOURCE_LENGTH] or None,
        lease_seconds=liveness.lease.total_seconds(),
    )


def read_journal(tx: Tx, *, mission_id: str, limit: int, cursor: str | None) -> JournalPage:
    """Return the journal of a mission, newest first."""
    tx.missions.get(mission_id)
    entries = tx.overviews.journal(mission_id, limit=limit + 1, after=position_of(cursor))
    page = cut_page(entries, limit=limit, cursor=lambda entry: row_cursor(entry[0]))
    authors = {id for entry, _ in page.rows if (id := entry.author or entry.answered_by)}
    return JournalPage(entries=page.rows, names=tx.overviews.names(sorted(authors)), next=page.next)


def _step(row: Any, edges: Mapping[str, Sequence[str]]) -> PathStep:
    return PathStep(
        id=row.id,
        status=row.status,
        started_at=row.attempt_started_at,
        completed_at=row.completed_at,
        needs=edges.get(row.id, ()),
    )


def _remaining(steps: Sequence[PathStep], typical: Estimate | None, *, now: datetime) -> dict[str, float]:
    if typical is None:
        return {}
    return {step.id: step.remaining(usual=typical.seconds, now=now) for step in steps if step.status in OPEN}


def _seconds(row: Any, *, until: datetime) -> float:
    return max(0.0, float(((row.completed_at or until) - row.started_at).total_seconds()))
