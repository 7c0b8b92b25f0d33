"""The overview: what runs, what ended, the fleet, and the list of missions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

from mission.domain.agents.agent import Presence, is_silent
from mission.domain.checks.evidence import ProofState
from mission.domain.display_status import NEEDS_PERSON, agent_word, task_word
from mission.domain.missions.mission import ENDED, MissionOutcome, MissionStatus
from mission.domain.tasks.states import OPEN, TaskStatus
from mission.domain.tasks.task import CHANGE_LISTS
from mission.services.agents.registration import LivenessSettings
from mission.store.transaction import Tx

MAX_MISSIONS = 50
MAX_RUNNING = 120
MAX_ENDED = 20
MAX_AGENTS = 300
FLEET_MEMORY = timedelta(hours=12)
"""How long an agent that left is still listed with the others."""
AT_WORK = frozenset({"working", "planning", "checking"})
DONE_PROOFS = frozenset({ProofState.PROVED, ProofState.ACCEPTED})
UNFINISHED = frozenset({*AT_WORK, "paused"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """Task counts by status, as the parts of a progress bar."""

    proved: int = 0
    accepted: int = 0
    unproved: int = 0
    failing: int = 0
    """Open tasks whose last report failed a required check; `working` and `needs` count them too."""
    working: int = 0
    needs: int = 0
    failed: int = 0
    failed_attempts: int = 0
    """Failed attempts at any of the tasks, regardless of their current state."""
    skipped: int = 0
    total: int = 0

    @property
    def done(self) -> int:
        """Return how many tasks are completed, with or without proof."""
        return self.proved + self.accepted + self.unproved


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionLine:
    """A mission as a row of a list, with the number of agents at work on it."""

    row: Any
    status: str
    count: Count
    at_work: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLine:
    """A task as a row of a list: its display status, and its owner."""

    row: Any
    word: str
    agent: str | None

    @property
    def is_failing(self) -> bool:
        """Return whether it is open and a required check refused it last time."""
        return self.row.proof_state == ProofState.FAILING and self.row.status in OPEN

    @property
    def files(self) -> int | None:
        """Return how many files it changed; None while that is not known."""
        changes = self.row.changes
        return None if changes is None else sum(len(changes[name]) for name in CHANGE_LISTS)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentLine:
    """An agent of the fleet, and its current task."""

    row: Any
    word: str
    task: TaskLine | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    now: datetime
    open_missions: int
    missions: Sequence[MissionLine]
    running: Sequence[TaskLine]
    active: int
    ended: Sequence[TaskLine]
    ended_counts: Count
    failed_attempts: int
    fleet: Sequence[AgentLine]
    lease_seconds: float
    proof: Count
    """Tasks of all open missions."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MissionPage:
    missions: Sequence[MissionLine]
    counts: Mapping[str, int]


def overview(tx: Tx, *, since: datetime | None, liveness: LivenessSettings) -> Overview:
    """Return what runs, what ended since the reader left, and the fleet."""
    running = task_lines(tx, tx.overviews.in_hand(limit=MAX_RUNNING))
    moment = since or tx.now - FLEET_MEMORY
    return Overview(
        now=tx.now,
        open_missions=tx.overviews.count_open(),
        missions=_mission_lines(tx, tx.overviews.open_missions(limit=MAX_MISSIONS)),
        running=running,
        active=tx.overviews.count_active(),
        ended=task_lines(tx, tx.overviews.ended_since(moment, limit=MAX_ENDED)),
        ended_counts=_ended(tx.overviews.count_ended(moment)),
        failed_attempts=tx.overviews.count_failed_attempts(),
        fleet=_fleet(tx, running, liveness),
        lease_seconds=liveness.lease.total_seconds(),
        proof=_from_tally(tx.overviews.open_task_counts(), tx.overviews.open_proofs(), needs=0, failed_attempts=0),
    )


def list_missions(
    tx: Tx, *, text: str, statuses: Sequence[MissionStatus] | None, archived: bool, limit: int, offset: int
) -> MissionPage:
    """Return missions that contain every word of the text, most recently active first."""
    rows, counts = tx.overviews.missions(
        words=text.lower().split(),
        statuses=None if statuses is None else [str(status) for status in statuses],
        archived=archived,
        limit=limit,
        offset=offset,
    )
    return MissionPage(missions=_mission_lines(tx, rows), counts=counts)


def shown_status(status: str, outcome: str | None) -> str:
    return "partial" if outcome == MissionOutcome.PARTIAL else str(status)


def task_lines(tx: Tx, rows: Sequence[Any]) -> list[TaskLine]:
    """Return rows with their display status and the names of their owners."""
    return _words(rows, tx.overviews.names(sorted({row.owner_id for row in rows if row.owner_id})))


def _words(rows: Sequence[Any], names: Mapping[str, str] = MappingProxyType({})) -> list[TaskLine]:
    return [
        TaskLine(
            row=row,
            word=task_word(
                row.status,
                quality=row.quality,
                hold=row.hold,
                waiting_for=row.waiting_for,
                proof_state=row.proof_state,
            ),
            agent=names.get(row.owner_id or "") or row.agent_name,
        )
        for row in rows
    ]


def _mission_lines(tx: Tx, rows: Sequence[Any]) -> list[MissionLine]:
    ids = [row.id for row in rows]
    tallies = tx.overviews.task_counts(ids) if ids else {}
    proofs = tx.overviews.proofs(ids) if ids else {}
    failing = tx.overviews.failed_attempts(ids) if ids else {}
    hands: dict[str, list[TaskLine]] = {}
    for line in _words(tx.overviews.hands(ids)) if ids else ():
        hands.setdefault(line.row.mission_id, []).append(line)
    return [
        _mission_line(
            row,
            tallies.get(row.id, {}),
            proofs.get(row.id, {}),
            hands.get(row.id, ()),
            failed_attempts=failing.get(row.id, 0),
        )
        for row in rows
    ]


def _mission_line(
    row: Any, tally: Mapping[str, int], proofs: Mapping[str, int], hands: Sequence[TaskLine], *, failed_attempts: int
) -> MissionLine:
    workers = {line.row.owner_id or line.row.agent_name or line.row.id for line in hands if line.word in AT_WORK}
    return MissionLine(
        row=row,
        status=shown_status(row.status, row.outcome),
        count=_from_tally(
            tally, proofs, needs=sum(line.word in NEEDS_PERSON for line in hands), failed_attempts=failed_attempts
        ),
        at_work=len(workers) if row.status not in ENDED else 0,
    )


def _from_tally(tally: Mapping[str, int], proofs: Mapping[str, int], *, needs: int, failed_attempts: int) -> Count:
    completed = tally.get("success", 0) + tally.get("partial", 0)
    proved, accepted = proofs.get(ProofState.PROVED, 0), proofs.get(ProofState.ACCEPTED, 0)
    return Count(
        proved=proved,
        accepted=accepted,
        unproved=max(0, completed - proved - accepted),
        failing=proofs.get(ProofState.FAILING, 0),
        working=max(0, tally.get("in_progress", 0) - needs),
        needs=needs,
        failed=tally.get("failed", 0),
        failed_attempts=failed_attempts,
        skipped=tally.get("skipped", 0),
        total=sum(tally.values()),
    )


def _ended(counts: Mapping[tuple[str, str | None], int]) -> Count:
    proofs: dict[str, int] = {}
    for (status, proof), tasks in counts.items():
        word = proof if status == TaskStatus.COMPLETED and proof in DONE_PROOFS else status
        proofs[word] = proofs.get(word, 0) + tasks
    return Count(
        proved=proofs.get(ProofState.PROVED, 0),
        accepted=proofs.get(ProofState.ACCEPTED, 0),
        unproved=proofs.get(TaskStatus.COMPLETED, 0),
        failed=proofs.get(TaskStatus.FAILED, 0),
        skipped=proofs.get(TaskStatus.SKIPPED, 0),
        total=sum(counts.values()),
    )


def count(lines: Sequence[TaskLine]) -> Count:
    """Return how many of these tasks are in each state."""
    words = [line.word for line in lines]
    needs = sum(word in NEEDS_PERSON for word in words)
    return Count(
        proved=words.count("proved"),
        accepted=words.count("accepted"),
        unproved=words.count("unproved") + words.count("partial"),
        failing=sum(line.is_failing for line in lines),
        working=sum(word in UNFINISHED for word in words),
        needs=needs,
        failed=words.count("failed"),
        failed_attempts=sum(line.row.failed_attempts for line in lines),
        skipped=words.count("skipped"),
        total=len(words),
    )


def _fleet(tx: Tx, running: Sequence[TaskLine], liveness: LivenessSettings) -> list[AgentLine]:
    in_hand: dict[str, TaskLine] = {}
    for line in running:
        if line.row.owner_id:
            in_hand[line.row.owner_id] = line
    rows = tx.overviews.fleet(sorted(in_hand), since=tx.now - FLEET_MEMORY, limit=MAX_AGENTS)
    return [_member(row, in_hand.get(row.id), now=tx.now, liveness=liveness) for row in rows]


def agent_lines(tx: Tx, agents: Sequence[Any], liveness: LivenessSettings) -> list[AgentLine]:
    """Return these agents with their display status, each with its current task if it has one."""
    hands = _words(tx.overviews.in_hands_of([agent.id for agent in agents]))
    in_hand = {line.row.owner_id: line for line in hands}
    return [_member(agent, in_hand.get(agent.id), now=tx.now, liveness=liveness) for agent in agents]


def _member(row: Any, task: TaskLine | None, *, now: datetime, liveness: LivenessSettings) -> AgentLine:
    silent = is_silent(row.last_seen_at, now=now, silence=liveness.silence)
    presence = Presence.OFFLINE if silent or row.declared == Presence.OFFLINE else Presence.ONLINE
    lapsed = task is not None and task.row.lease_until is not None and task.row.lease_until < now
    return AgentLine(row=row, word=agent_word(presence, task=task.word if task else None, lapsed=lapsed), task=task)
