"""What every move of a task does: it is stored and counted, what was asked about it is withdrawn, its readers hear."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain import events
from mission.domain.missions.mission import Mission
from mission.domain.tasks.task import Task
from mission.services import task_events as telling
from mission.services.inbox import task_requests as asking
from mission.store.transaction import Tx


def save(tx: Tx, before: Task, after: Task, *, mission: Mission | None = None) -> Task:
    """Store a task that moved, and tell those who follow it; its mission may be given where it is at hand."""
    tx.tasks.save(after)
    tx.tallies.moved(before, after)
    asking.moved(tx, before, after)
    telling.moved(tx, after, mission=mission)
    return after


def release(tx: Tx, task: Task) -> Task:
    """Free a task: it waits for its next owner and keeps its snapshot."""
    return save(tx, task, task.given_back(at=tx.now))


def skip(tx: Tx, task: Task) -> Task:
    """End a task that will not be done: nobody waits for it any more. Its mission is told by the caller."""
    skipped = task.skipped(at=tx.now)
    tx.tasks.save(skipped)
    tx.tallies.freed(task.id)
    tx.tallies.moved(task, skipped)
    asking.moved(tx, task, skipped)
    tx.emit(events.TaskUpdated(task=skipped))
    return skipped


def skip_all(tx: Tx, *, mission_id: str, tasks: Sequence[Task]) -> None:
    """End all open tasks of a mission, which are these, at once. Its mission is told by the caller."""
    tx.plans.skip_open(mission_id, now=tx.now)
    asking.skipped(tx, mission_id=mission_id, tasks=tasks)
    for task in tasks:
        tx.emit(events.TaskUpdated(task=task.skipped(at=tx.now)))
