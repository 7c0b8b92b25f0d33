"""A mission's summary: its progress, who works on what, what comes next, and the latest results and decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mission.domain.checks.evidence import ProofState
from mission.domain.missions.mission import Mission
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.missions import progress
from mission.services.missions.progress import MissionProgress
from mission.store.sql.pages import Filter
from mission.store.transaction import Tx

IN_HAND = 10
LISTED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    mission: Mission
    source: str
    progress: MissionProgress
    proof_counts: Mapping[ProofState, int]
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
        tx.journal.page(mission_id, kind, Filter(), limit=LISTED, after=None, blockers=kind is EntryKind.ISSUE)
        for kind in (EntryKind.DECISION, EntryKind.ISSUE)
    )
    return Summary(
        mission=so_far.mission,
        source=tx.nearby_tasks.source_start(mission_id, characters=source_characters),
        progress=so_far,
        proof_counts=tx.evidence.proof_counts(mission_id),
        in_hand=tx.nearby_tasks.in_hand(mission_id, limit=IN_HAND),
        ready=list(islice(tx.claims.ready(mission_id, TaskStatus.PENDING, chunk=LISTED), LISTED)),
        failed=list(islice(tx.claims.ready(mission_id, TaskStatus.FAILED, chunk=LISTED), LISTED)),
        completed=tx.nearby_tasks.completed_last(mission_id, limit=LISTED),
        decisions=decided,
        blockers=open_issues,
    )
