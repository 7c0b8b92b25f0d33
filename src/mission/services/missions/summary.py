"""A mission's summary: its progress, who works on what, what comes next, and the latest results and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from mission.domain.missions.mission import Mission
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.domain.tasks.task import Task, TaskStatus
from mission.services.missions import progress
from mission.services.missions.progress import MissionProgress
from mission.store.sql.pages import Filter
from mission.store.transaction import Tx

IN_HAND = 10
FEW = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    mission: Mission
    source: str
    progress: MissionProgress
    in_hand: Sequence[Task]
    ready: Sequence[Task]
    failed: Sequence[Task]
    completed: Sequence[Task]
    decisions: Sequence[JournalEntry]
    blockers: Sequence[JournalEntry]


def summarize(tx: Tx, *, mission_id: str, source_characters: int) -> Summary:
    """Return a summary that can be read in a minute."""
    so_far = progress.measure(tx, mission_id=mission_id)
    decided, open_issues = (
        tx.journal.page(mission_id, kind, Filter(), limit=FEW, after=None, blockers=kind is EntryKind.ISSUE)
        for kind in (EntryKind.DECISION, EntryKind.ISSUE)
    )
    return Summary(
        mission=so_far.mission,
        source=tx.surroundings.source_start(mission_id, characters=source_characters),
        progress=so_far,
        in_hand=tx.surroundings.in_hand(mission_id, limit=IN_HAND),
        ready=list(islice(tx.claims.ready(mission_id, TaskStatus.PENDING, few=FEW), FEW)),
        failed=list(islice(tx.claims.ready(mission_id, TaskStatus.FAILED, few=FEW), FEW)),
        completed=tx.surroundings.completed_last(mission_id, limit=FEW),
        decisions=decided,
        blockers=open_issues,
    )
