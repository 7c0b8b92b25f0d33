"""The overview: what needs attention, what runs, what ended, what it changed, and the fleet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mission.domain.agents.agent import Presence, is_silent
from mission.domain.display_status import agent_word
from mission.domain.overview.since_left import SummaryLine, summary
from mission.services.agents.registration import LivenessSettings
from mission.services.views.now import since_left
from mission.services.views.now.attention import Attention, LiveWork, ShownAt, attention, live_work
from mission.services.views.now.mission_lines import MissionLine, mission_lines
from mission.services.views.now.since_left import ChangedTotal
from mission.services.views.task_lines import Count, TaskLine, count_of_ended, count_of_tally, task_lines, with_words
from mission.store.transaction import Tx

MAX_MISSIONS = 50
MAX_NEWEST = 10
"""New missions are listed even if many others are more urgent: somebody is about to work on them."""
MAX_RUNNING = 120
MAX_ENDED = 20
MAX_AGENTS = 300
FLEET_MEMORY = timedelta(hours=12)
"""How long an agent without a task is listed with the others after it was last heard of."""
GONE = "offline"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentLine:
    """An agent of the fleet, and its current task."""

    row: Any
    word: str
    task: TaskLine | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunningLine:
    """An active task, and the last that was reported about it."""

    line: TaskLine
    said: str | None
    said_at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    now: datetime
    open_missions: int
    missions: Sequence[MissionLine]
    running: Sequence[RunningLine]
    active: int
    ended: Sequence[TaskLine]
    ended_counts: Count
    failed_attempts: int
    fleet: Sequence[AgentLine]
    lease_seconds: float
    proof: Count
    """Tasks of all open missions."""
    attention: Attention
    since_left: Sequence[SummaryLine]
    changed: ChangedTotal
    """What tasks changed that ended since the reader left."""
    changed_today: ChangedTotal


def nobody(_: str) -> None:
    """Return that nothing is known about an execution's output."""


def overview(
    tx: Tx,
    *,
    since: datetime | None,
    liveness: LivenessSettings,
    today: datetime | None = None,
    shown_at: ShownAt = nobody,
) -> Overview:
    """Return what needs attention, what runs, what happened since the reader left, and the fleet.

    `today` is the start of the reader's day.
    """
    running = task_lines(tx, tx.overviews.in_hand(limit=MAX_RUNNING))
    live = live_work(tx, shown_at=shown_at)
    moment = since or tx.now - FLEET_MEMORY
    ended = count_of_ended(tx.overviews.count_ended(moment))
    changed = since_left.changed_since(tx, moment)
    return Overview(
        now=tx.now,
        open_missions=tx.overviews.count_open(),
        missions=mission_lines(tx, _open_missions(tx)),
        running=[_running(line, live) for line in running],
        active=tx.overviews.count_active(),
        ended=task_lines(tx, tx.overviews.ended_since(moment, limit=MAX_ENDED)),
        ended_counts=ended,
        failed_attempts=tx.overviews.count_failed_attempts(),
        fleet=_fleet(tx, running, liveness),
        lease_seconds=liveness.lease.total_seconds(),
        proof=count_of_tally(tx.overviews.open_task_counts(), tx.overviews.open_proofs(), needs=0, failed_attempts=0),
        attention=attention(tx, running=running, live=live),
        since_left=summary(since_left.facts(tx, since=moment, ended=ended, changed=changed)),
        changed=changed,
        changed_today=since_left.changed_since(tx, today or tx.now - timedelta(days=1)),
    )


def _open_missions(tx: Tx) -> list[Any]:
    """Return the most urgent open missions, and then the newest ones that are not among them."""
    urgent = tx.overviews.open_missions(limit=MAX_MISSIONS)
    known = {row.id for row in urgent}
    newest = tx.overviews.newest_missions(limit=MAX_NEWEST) if len(urgent) == MAX_MISSIONS else []
    return [*urgent, *(row for row in newest if row.id not in known)]


def agent_lines(tx: Tx, agents: Sequence[Any], liveness: LivenessSettings) -> list[AgentLine]:
    """Return these agents with their display status, each with its current task if it has one."""
    hands = with_words(tx.overviews.in_hands_of([agent.id for agent in agents]))
    in_hand = {line.row.owner_id: line for line in hands}
    return [_member(agent, in_hand.get(agent.id), now=tx.now, liveness=liveness) for agent in agents]


def _running(line: TaskLine, live: LiveWork) -> RunningLine:
    """Return a task with its last report: what its journal says, or what its launched agent told since then."""
    said, said_at = line.row.summary, line.row.said_at
    progress = live.progress(line.row.id)
    if progress is not None and (said_at is None or progress[1] >= said_at):
        said, said_at = progress
    return RunningLine(line=line, said=said, said_at=said_at)


def _fleet(tx: Tx, running: Sequence[TaskLine], liveness: LivenessSettings) -> list[AgentLine]:
    """Return the agents that are there or have a task; those that left without one are not shown."""
    in_hand = {line.row.owner_id: line for line in running if line.row.owner_id}
    rows = tx.overviews.fleet(sorted(in_hand), since=tx.now - FLEET_MEMORY, limit=MAX_AGENTS)
    members = [_member(row, in_hand.get(row.id), now=tx.now, liveness=liveness) for row in rows]
    return [member for member in members if member.word != GONE or member.task is not None]


def _member(row: Any, task: TaskLine | None, *, now: datetime, liveness: LivenessSettings) -> AgentLine:
    silent = is_silent(row.last_seen_at, now=now, silence=liveness.silence)
    presence = Presence.OFFLINE if silent or row.declared == Presence.OFFLINE else Presence.ONLINE
    lapsed = task is not None and task.row.lease_until is not None and task.row.lease_until < now
    return AgentLine(row=row, word=agent_word(presence, task=task.word if task else None, lapsed=lapsed), task=task)
