"""What every move of a task does: it is stored and counted, what was asked about it is withdrawn, its readers hear."""

from __future__ import annotations

from mission.domain.mission import Mission
from mission.domain.task import Task
from mission.services import asking, telling
from mission.store.transaction import Tx


def save(tx: Tx, before: Task, after: Task, *, mission: Mission | None = None) -> Task:
    """Store a task that moved, and tell those who follow it; its mission may be given where it is at hand."""
    tx.tasks.save(after)
    tx.tallies.moved(before, after)
    asking.moved(tx, before, after)
    telling.moved(tx, after, mission=mission)
    return after
