"""The checks of a task as readers see them: the round under way or the last one, and single pieces of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mission.domain.checks.definition import CheckDefinition
from mission.domain.checks.evidence import Evidence, Role
from mission.domain.checks.round import CheckRound, Purpose
from mission.domain.runs.candidate import Candidate
from mission.domain.tasks.task import Task
from mission.services.evidence import definitions, rounds
from mission.services.paging import Page, cut_page, position_of, row_cursor
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskChecks:
    """The checks of a task, and the latest evidence for each."""

    task: Task
    round: CheckRound | None
    checks: Sequence[CheckDefinition]
    evidence: Sequence[Evidence]
    candidate: Candidate | None = None
    """In a run: the newest result that was reported."""

    @property
    def is_running(self) -> bool:
        is_merged_later = self.candidate is not None and self.candidate.is_open
        return is_merged_later or (self.round is not None and self.round.is_open)


def of_task(tx: Tx, *, task_id: str) -> TaskChecks:
    """Return the checks of a task with the evidence of its newest round."""
    task = tx.tasks.get(task_id)
    round = tx.rounds.newest_of_task(task.id)
    rows = tx.evidence.of_round(round.id) if round is not None else []
    current = [each for each in rows if round is not None and each.take == round.take]
    run = tx.runs.live_of_mission(task.mission_id)
    reported = [each for each in tx.candidates.of_task(task.id) if run is not None and each.run_id == run.id]
    return TaskChecks(
        task=task,
        round=round,
        checks=definitions.effective(tx, task),
        evidence=current,
        candidate=reported[-1] if reported else None,
    )


def open_advice(tx: Tx, *, task_id: str, agent_id: str | None) -> CheckRound | None:
    """Open a round for the task's own tree before it is reported, or return the one that is open.

    Return None if no check is defined.
    """
    task = tx.tasks.get(task_id)
    task.check_owner(agent_id)
    opened = tx.rounds.open_of_task(task.id)
    if opened:
        return opened[0]
    if tx.candidates.open_of_task(task.id) is not None:
        return None  # its result is frozen: what is in the tree now says nothing about it
    checks = definitions.effective(tx, task)
    if not checks or task.snapshot is None:
        return None
    return rounds.open_round(tx, task=task, checks=checks, purpose=Purpose.ADVICE, agent_id=agent_id)


def open_round(tx: Tx, *, task_id: str) -> CheckRound | None:
    """Return the round of the task that is under way, if one is."""
    tx.tasks.get(task_id)
    return next(iter(tx.rounds.open_of_task(task_id)), None)


def open_candidate(tx: Tx, *, task_id: str) -> str | None:
    """Return the result of the task that a run has not merged or sent back yet."""
    candidate = tx.candidates.open_of_task(task_id)
    return candidate.id if candidate is not None else None


def is_decided(tx: Tx, *, candidate_id: str) -> bool:
    """Return whether nothing more happens to a candidate without a person: merged, sent back, or under review."""
    candidate = tx.candidates.find(candidate_id)
    return candidate is None or not candidate.is_open or candidate.waits_for_review


def list_evidence(
    tx: Tx,
    *,
    task_id: str | None,
    mission_id: str | None,
    states: Sequence[str] | None,
    limit: int,
    cursor: str | None,
) -> Page[Evidence]:
    """List evidence, newest first."""
    if task_id is not None:
        tx.tasks.get(task_id)
    if mission_id is not None:
        tx.missions.get(mission_id)
    after = position_of(cursor, kind="evidence")
    rows = tx.evidence.page(task_id=task_id, mission_id=mission_id, states=states, limit=limit + 1, after=after)
    return cut_page(rows, limit=limit, cursor=row_cursor)


def get(tx: Tx, *, evidence_id: str) -> Evidence:
    """Return one piece of evidence."""
    return tx.evidence.get(evidence_id)


def results(rows: Sequence[Evidence]) -> list[Evidence]:
    """Return the last try of each check on the reported tree."""
    last = {each.name: each for each in rows if each.role is Role.RESULT}
    return list(last.values())


def forgettable(tx: Tx, *, ids: Sequence[str], before: datetime | None) -> list[str]:
    """Return the evidence whose stored output is no longer needed: it is gone, or ended before the moment."""
    found = tx.evidence.ended_at(ids)
    return [id for id in ids if id not in found or _is_before(found[id], before)]


def _is_before(moment: datetime | None, before: datetime | None) -> bool:
    return moment is not None and before is not None and moment < before
