"""The context of a mission: its phases, tasks, decisions, milestones and open blockers, page by page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mission.domain.checks.evidence import ProofState
from mission.domain.missions.mission import Mission
from mission.domain.missions.phase import Phase, current_phase
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.domain.tasks.task import Task
from mission.store.sql.pages import Filter, PagePosition
from mission.store.transaction import Tx


class ContextSection(StrEnum):
    DECISIONS = "decisions"
    MILESTONES = "milestones"
    BLOCKERS = "blockers"
    PHASE_SUMMARY = "phase_summary"
    TASKS = "tasks"


PAGED = (ContextSection.TASKS, ContextSection.DECISIONS, ContextSection.MILESTONES, ContextSection.BLOCKERS)
_KINDS = {
    ContextSection.DECISIONS: EntryKind.DECISION,
    ContextSection.MILESTONES: EntryKind.MILESTONE,
    ContextSection.BLOCKERS: EntryKind.ISSUE,
}

Positions = Mapping[ContextSection, PagePosition | None]
"""The cursor of each section; a section that is missing has no more rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextRows:
    mission: Mission
    now: datetime
    current_phase: int
    phases: Sequence[Phase]
    proof_counts: Mapping[ProofState, int]
    rows: Mapping[ContextSection, Sequence[Task | JournalEntry]] = field(default_factory=dict)
    totals: Mapping[ContextSection, int] = field(default_factory=dict)
    next: Positions = field(default_factory=dict)


def read(
    tx: Tx, *, mission_id: str, include: Collection[ContextSection], chosen: Filter, limit: int, after: Positions | None
) -> ContextRows:
    """Return the requested sections, each newest first; phases ascending and complete."""
    mission = tx.missions.get(mission_id)
    phases = tx.phases.of_mission(mission_id)
    wanted = {
        section: (after or {}).get(section)
        for section in PAGED
        if section in include and (after is None or section in after)
    }
    rows: dict[ContextSection, Sequence[Task | JournalEntry]] = {}
    positions: dict[ContextSection, PagePosition | None] = {}
    for section, start in wanted.items():
        if section is ContextSection.TASKS:
            found: Sequence[Task | JournalEntry] = tx.tasks.page(mission_id, chosen, limit=limit + 1, after=start)
        else:
            kind, blockers = _KINDS[section], section is ContextSection.BLOCKERS
            found = tx.journal.page(mission_id, kind, chosen, limit=limit + 1, after=start, blockers=blockers)
        rows[section] = shown = found[:limit]
        if len(found) > limit:
            positions[section] = (shown[-1].created_at, shown[-1].id)
    return ContextRows(
        mission=mission,
        now=tx.now,
        current_phase=current_phase(phases, total=mission.total_phases),
        phases=[phase for phase in phases if chosen.phase is None or phase.number == chosen.phase],
        proof_counts=tx.evidence.proof_counts(mission.id),
        rows=rows,
        totals={section: _total(tx, mission, phases, section, chosen) for section in PAGED if section in include},
        next=positions,
    )


def _total(tx: Tx, mission: Mission, phases: Sequence[Phase], section: ContextSection, chosen: Filter) -> int:
    """Return the total number of rows: from the stored counters, or counted if a filter applies."""
    if section is ContextSection.TASKS:
        return tx.tasks.count(mission.id, chosen) if chosen else sum(phase.counts.total for phase in phases)
    if not chosen:
        return int(getattr(mission, section))
    return tx.journal.count(mission.id, _KINDS[section], chosen, blockers=section is ContextSection.BLOCKERS)
