"""What people see: everything at a glance, the list of missions, and one mission from its header to its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from mission.domain.agent import MISSED_HEARTBEATS, Presence
from mission.domain.critical import CriticalPath, Step, critical_path
from mission.domain.estimate import seconds_left, typical_seconds
from mission.domain.journal import Entry
from mission.domain.mission import ENDED, Mission, MissionStatus, Outcome
from mission.domain.overview import NEEDS_PERSON, agent_word, task_word
from mission.domain.phase import Phase
from mission.domain.task import CHANGE_LISTS, DONE
from mission.services.agents import Rhythm
from mission.services.paging import cursor_of, position_of
from mission.store.transaction import Tx

MOST_MISSIONS = 50
MOST_RUNNING = 120
MOST_ENDED = 20
MOST_AGENTS = 300
FLEET_MEMORY = timedelta(hours=12)
"""How long an agent that left still has its place among the others."""
LONGEST_SOURCE = 10_000
AT_WORK = frozenset({"working", "planning"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """How many tasks stand where, in the parts of a progress bar."""

    claimed: int = 0
    working: int = 0
    needs: int = 0
    failed: int = 0
    skipped: int = 0
    total: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionLine:
    """A mission as a row of a list, with the number of agents at work on it."""

    row: Any
    status: str
    count: Count
    at_work: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLine:
    """A task as a row of a list: its word, and who has it."""

    row: Any
    word: str
    agent: str | None

    @property
    def files(self) -> int | None:
        """How many files it changed; nothing while that is not known."""
        changes = self.row.changes
        return None if changes is None else sum(len(changes[name]) for name in CHANGE_LISTS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """An agent of the fleet, and the task in its hands."""

    row: Any
    word: str
    task: TaskLine | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Glance:
    now: datetime
    open_missions: int
    missions: Sequence[MissionLine]
    running: Sequence[TaskLine]
    going: int
    ended: Sequence[TaskLine]
    ended_counts: Mapping[str, int]
    fleet: Sequence[Member]
    lease_seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionPage:
    missions: Sequence[MissionLine]
    counts: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
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
    typical_seconds: float | None
    seconds_left: float | None
    critical: CriticalPath
    source: str | None
    lease_seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class JournalPage:
    entries: Sequence[tuple[Entry, str]]
    names: Mapping[str, str]
    next: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """A file and the tasks that changed it, each with how."""

    path: str
    tasks: Sequence[tuple[Any, str]]


def glance(tx: Tx, *, since: datetime | None, rhythm: Rhythm) -> Glance:
    """What runs, what ended since the reader left, and the fleet."""
    running = _lines(tx, tx.overviews.in_hand(limit=MOST_RUNNING))
    moment = since or tx.now - FLEET_MEMORY
    return Glance(
        now=tx.now,
        open_missions=tx.overviews.count_open(),
        missions=_mission_lines(tx, tx.overviews.open_missions(limit=MOST_MISSIONS)),
        running=running,
        going=tx.overviews.count_going(),
        ended=_lines(tx, tx.overviews.ended_since(moment, limit=MOST_ENDED)),
        ended_counts=tx.overviews.count_ended(moment),
        fleet=_fleet(tx, running, rhythm),
        lease_seconds=rhythm.lease.total_seconds(),
    )


def list_missions(
    tx: Tx, *, text: str, statuses: Sequence[MissionStatus] | None, archived: bool, limit: int, offset: int
) -> MissionPage:
    """Missions that have every word of the text, most recently active first."""
    rows, counts = tx.overviews.missions(
        words=text.lower().split(),
        statuses=None if statuses is None else [str(status) for status in statuses],
        archived=archived,
        limit=limit,
        offset=offset,
    )
    return MissionPage(missions=_mission_lines(tx, rows), counts=counts)


def look(tx: Tx, *, mission_id: str, rhythm: Rhythm) -> Whole:
    """A mission as its page shows it."""
    mission = tx.missions.get(mission_id)
    tasks = _lines(tx, tx.overviews.tasks(mission_id))
    spent = [_seconds(line.row, until=tx.now) for line in tasks if line.row.started_at is not None]
    edges = tx.overviews.edges(mission_id)
    steps = [_step(line.row, edges) for line in tasks]
    typical = typical_seconds(step.span for step in steps if step.span)
    undone = sum(step.status not in DONE for step in steps)
    by_phase: dict[int, list[TaskLine]] = {}
    for line in tasks:
        by_phase.setdefault(line.row.phase_number, []).append(line)
    return Whole(
        now=tx.now,
        mission=mission,
        status=shown_status(mission.status, mission.outcome),
        phases=tx.phases.of_mission(mission_id),
        tasks=tasks,
        edges=edges,
        count=_count(tasks),
        phase_counts={number: _count(lines) for number, lines in by_phase.items()},
        entries=tx.overviews.count_journal(mission_id),
        files=len({path for line in tasks for path, _ in _changed(line.row.changes)}),
        task_seconds=sum(spent),
        typical_seconds=typical,
        seconds_left=seconds_left(tasks=undone, typical=typical, parallel=mission.max_parallel),
        critical=critical_path(steps, typical=typical, now=tx.now),
        source=(tx.missions.source(mission_id) or "")[:LONGEST_SOURCE] or None,
        lease_seconds=rhythm.lease.total_seconds(),
    )


def read_journal(tx: Tx, *, mission_id: str, limit: int, cursor: str | None) -> JournalPage:
    """What was written down in a mission, newest first."""
    tx.missions.get(mission_id)
    entries = tx.overviews.journal(mission_id, limit=limit, after=position_of(cursor, field="before"))
    last = entries[-1][0] if len(entries) == limit else None
    authors = {entry.author for entry, _ in entries if entry.author}
    return JournalPage(
        entries=entries,
        names=tx.overviews.names(sorted(authors)),
        next=cursor_of(last.created_at, last.id) if last is not None else None,
    )


def read_changes(tx: Tx, *, mission_id: str) -> list[ChangedFile]:
    """Every file that the mission's tasks changed, by path."""
    tx.missions.get(mission_id)
    files: dict[str, list[tuple[Any, str]]] = {}
    for row in tx.overviews.tasks(mission_id):
        for path, how in _changed(row.changes):
            files.setdefault(path, []).append((row, how))
    return [ChangedFile(path=path, tasks=files[path]) for path in sorted(files)]


def shown_status(status: str, outcome: str | None) -> str:
    return "partial" if outcome == Outcome.PARTIAL else str(status)


def _lines(tx: Tx, rows: Sequence[Any]) -> list[TaskLine]:
    """Rows with their words, and the names of whoever has them."""
    return _words(rows, tx.overviews.names(sorted({row.owner_id for row in rows if row.owner_id})))


def _words(rows: Sequence[Any], names: Mapping[str, str] = MappingProxyType({})) -> list[TaskLine]:
    return [
        TaskLine(
            row=row,
            word=task_word(row.status, quality=row.quality, hold=row.hold, waiting_for=row.waiting_for),
            agent=names.get(row.owner_id or "") or row.agent_name,
        )
        for row in rows
    ]


def _mission_lines(tx: Tx, rows: Sequence[Any]) -> list[MissionLine]:
    ids = [row.id for row in rows]
    tallies = tx.overviews.tallies(ids) if ids else {}
    hands: dict[str, list[TaskLine]] = {}
    for line in _words(tx.overviews.hands(ids)) if ids else ():
        hands.setdefault(line.row.mission_id, []).append(line)
    return [_mission_line(row, tallies.get(row.id, {}), hands.get(row.id, ())) for row in rows]


def _mission_line(row: Any, tally: Mapping[str, int], hands: Sequence[TaskLine]) -> MissionLine:
    workers = {line.row.owner_id or line.row.agent_name or line.row.id for line in hands if line.word in AT_WORK}
    return MissionLine(
        row=row,
        status=shown_status(row.status, row.outcome),
        count=_from_tally(tally, needs=sum(line.word in NEEDS_PERSON for line in hands)),
        at_work=len(workers) if row.status not in ENDED else 0,
    )


def _from_tally(tally: Mapping[str, int], *, needs: int) -> Count:
    return Count(
        claimed=tally.get("success", 0) + tally.get("partial", 0),
        working=max(0, tally.get("in_progress", 0) - needs),
        needs=needs,
        failed=tally.get("failed", 0),
        skipped=tally.get("skipped", 0),
        total=sum(tally.values()),
    )


def _count(lines: Sequence[TaskLine]) -> Count:
    words = [line.word for line in lines]
    needs = sum(word in NEEDS_PERSON for word in words)
    return Count(
        claimed=words.count("claimed") + words.count("partial"),
        working=words.count("working") + words.count("planning") + words.count("paused"),
        needs=needs,
        failed=words.count("failed"),
        skipped=words.count("skipped"),
        total=len(words),
    )


def _fleet(tx: Tx, running: Sequence[TaskLine], rhythm: Rhythm) -> list[Member]:
    in_hand: dict[str, TaskLine] = {}
    for line in running:
        if line.row.owner_id:
            in_hand[line.row.owner_id] = line
    rows = tx.overviews.fleet(sorted(in_hand), since=tx.now - FLEET_MEMORY, limit=MOST_AGENTS)
    return [_member(row, in_hand.get(row.id), now=tx.now, rhythm=rhythm) for row in rows]


def _member(row: Any, task: TaskLine | None, *, now: datetime, rhythm: Rhythm) -> Member:
    silent = now - row.last_seen_at > rhythm.heartbeat * MISSED_HEARTBEATS
    presence = Presence.OFFLINE if silent or row.declared == Presence.OFFLINE else Presence.ONLINE
    lapsed = task is not None and task.row.lease_until is not None and task.row.lease_until < now
    return Member(row=row, word=agent_word(presence, task=task.word if task else None, lapsed=lapsed), task=task)


def _changed(changes: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Each changed path and how: A, M, D, or R instead of A for one that another was renamed to."""
    if not changes:
        return []
    renamed = {move["to"] for move in changes["renamed"]}
    letters = {name: name[0].upper() for name in CHANGE_LISTS}
    return [(path, "R" if path in renamed else letters[name]) for name in CHANGE_LISTS for path in changes[name]]


def _step(row: Any, edges: Mapping[str, Sequence[str]]) -> Step:
    return Step(
        id=row.id,
        status=row.status,
        started_at=row.started_at,
        completed_at=row.completed_at,
        needs=edges.get(row.id, ()),
    )


def _seconds(row: Any, *, until: datetime) -> float:
    return max(0.0, float(((row.completed_at or until) - row.started_at).total_seconds()))
