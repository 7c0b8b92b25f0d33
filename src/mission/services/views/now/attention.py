"""What is stuck, and what is next: tasks that do not move, and ready ones with an honest estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.missions.estimate import Estimate, typical_task
from mission.domain.overview.stuck import FAILED_TIMES, Stuck, TaskFacts, find_stuck
from mission.domain.timestamps import parse_time
from mission.services.views.task_lines import AT_WORK, TaskLine, task_lines
from mission.store.transaction import Tx

MAX_MISSIONS = 50
MAX_READY = 400
MAX_FAILING = 100
MAX_STUCK = 20
MAX_NEXT = 8
NEXT_PER_MISSION = 3

ShownAt = Callable[[str], datetime | None]
"""Returns when an execution of this daemon last showed something."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StuckLine:
    """Something that is stuck, with the names that a list shows; `task` is the first of its tasks."""

    stuck: Stuck
    task: TaskLine
    mission_name: str
    execution_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class UpcomingTask:
    """A ready task: since when, and how long a task of its mission usually takes."""

    line: TaskLine
    mission_name: str
    since: datetime
    typical: Estimate | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Attention:
    stuck: Sequence[StuckLine]
    stuck_total: int
    next_up: Sequence[UpcomingTask]
    ready: int
    """How many tasks are ready, in the missions that were looked at."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveWork:
    """The running executions, by their tasks."""

    by_task: Mapping[str, Any]
    shown_at: ShownAt

    def last_sign(self, task_id: str) -> datetime | None:
        """Return when the launched agent of a task last showed or reported something; None if nobody can tell."""
        row = self.by_task.get(task_id)
        shown = self.shown_at(row.id) if row is not None else None
        if row is None or shown is None:
            return None
        said = self.progress(task_id)
        return max(shown, said[1]) if said is not None else shown

    def progress(self, task_id: str) -> tuple[str, datetime] | None:
        """Return what the launched agent of a task last reported, and when."""
        row = self.by_task.get(task_id)
        told = row.progress if row is not None else None
        if not told or not told.get("summary"):
            return None
        return str(told["summary"]), parse_time(told["at"], field="at")


def live_work(tx: Tx, *, shown_at: ShownAt) -> LiveWork:
    """Return the running executions."""
    return LiveWork(by_task={row.task_id: row for row in tx.attention.live_executions()}, shown_at=shown_at)


def attention(tx: Tx, *, running: Sequence[TaskLine], live: LiveWork) -> Attention:
    """Return what is stuck and what is next; `running` are the active tasks."""
    missions = tx.attention.ready_missions(limit=MAX_MISSIONS)
    ready = task_lines(tx, tx.attention.ready_tasks([row.id for row in missions], now=tx.now, limit=MAX_READY))
    failing = task_lines(tx, tx.attention.failing(times=FAILED_TIMES, limit=MAX_FAILING))
    names = {row.id: row.name for row in missions} | {
        line.row.mission_id: line.row.mission_name for line in (*running, *failing)
    }
    lines = {line.row.id: line for line in (*ready, *failing, *running)}
    found = find_stuck(_facts(tx, lines.values(), live), full=_full(missions, running), now=tx.now)
    return Attention(
        stuck=[_stuck_line(each, lines, names, live) for each in found[:MAX_STUCK]],
        stuck_total=sum(len(each.tasks) for each in found),
        next_up=_next_up(tx, ready, missions),
        ready=len(ready),
    )


def _facts(tx: Tx, lines: Any, live: LiveWork) -> list[TaskFacts]:
    seen = tx.attention.last_seen(sorted({line.row.owner_id for line in lines if line.row.owner_id}))
    asked = tx.attention.asked_at([line.row.id for line in lines if line.word == "review"])
    return [
        TaskFacts(
            id=line.row.id,
            mission_id=line.row.mission_id,
            word=line.word,
            since=asked.get(line.row.id) or _since(line),
            failed_attempts=line.row.failed_attempts,
            heard_at=live.last_sign(line.row.id) or seen.get(line.row.owner_id or ""),
            lapsed=line.row.lease_until is not None and line.row.lease_until < tx.now,
        )
        for line in lines
    ]


def _since(line: TaskLine) -> datetime:
    """Return since when a task is in its state; a ready one since the last of its dependencies was done."""
    updated: datetime = line.row.updated_at
    freed = getattr(line.row, "freed_at", None)
    return max(updated, freed) if freed is not None else updated


def _full(missions: Sequence[Any], running: Sequence[TaskLine]) -> set[str]:
    """Return the missions with as many tasks at work as they allow."""
    at_work: dict[str, int] = {}
    for line in running:
        if line.word in AT_WORK:
            at_work[line.row.mission_id] = at_work.get(line.row.mission_id, 0) + 1
    return {row.id for row in missions if at_work.get(row.id, 0) >= row.max_parallel}


def _stuck_line(stuck: Stuck, lines: Mapping[str, TaskLine], names: Mapping[str, str], live: LiveWork) -> StuckLine:
    first = stuck.tasks[0]
    row = live.by_task.get(first)
    return StuckLine(
        stuck=stuck,
        task=lines[first],
        mission_name=names[stuck.mission_id],
        execution_id=row.id if row is not None else None,
    )


def _next_up(tx: Tx, ready: Sequence[TaskLine], missions: Sequence[Any]) -> list[UpcomingTask]:
    """Return the first ready tasks of the most urgent missions, a few of each."""
    by_mission: dict[str, list[TaskLine]] = {}
    for line in ready:
        by_mission.setdefault(line.row.mission_id, []).append(line)
    chosen = [(row, line) for row in missions for line in by_mission.get(row.id, ())[:NEXT_PER_MISSION]][:MAX_NEXT]
    ids = sorted({row.id for row, _ in chosen})
    spans = tx.attention.spans(ids) if ids else {}
    tallies = tx.overviews.task_counts(ids) if ids else {}
    return [
        UpcomingTask(
            line=line,
            mission_name=row.name,
            since=_since(line),
            typical=typical_task(spans.get(row.id, ()), total=sum(tallies.get(row.id, {}).values())),
        )
        for row, line in chosen
    ]
