"""The only way to write a task: publish, count and store each move, and withdraw the items it settles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mission.domain import events
from mission.domain.missions.mission import Family, Mission
from mission.domain.tasks import moves
from mission.domain.tasks.moves import Cause, TaskMove
from mission.domain.tasks.task import Task
from mission.services.inbox import task_requests
from mission.store.transaction import Tx

Settle = Callable[[Mission], Task]


def apply(tx: Tx, *moved: TaskMove, mission: Mission | None = None, settle: Settle | None = None) -> list[Task]:
    """Publish, count and store each of these moves, and withdraw items that no longer need an answer. Return the tasks.

    The mission may be passed if the caller has it. `settle` runs once a move is published and counted, so that the
    phase's event comes after the task's own, and returns the task to store.
    """
    return [_apply(tx, move, mission=mission, settle=settle) for move in moved]


def release(tx: Tx, task: Task) -> Task:
    """Free a task, so that it waits for its next owner, and return it."""
    (free,) = apply(tx, moves.released(task, at=tx.now))
    return free


def add(tx: Tx, task: Task, *, mission: Mission) -> Task:
    """Store, count and publish a new task."""
    tx.tasks.add(task)
    tx.task_counts.count_move(None, task)
    tx.emit(events.TaskCreated(task=task))
    tx.missions.touch(mission.id, now=tx.now)
    _publish_mission(tx, mission)
    return task


def skip_all(tx: Tx, *, mission_id: str, tasks: Sequence[Task]) -> None:
    """End all open tasks of a mission at once; `tasks` are these. The caller publishes the mission's event."""
    tx.plans.skip_open(mission_id, now=tx.now)
    task_requests.skipped(tx, mission_id=mission_id, tasks=tasks)
    for task in tasks:
        _publish(tx, moves.skipped(task, at=tx.now, cause=Cause.MISSION_ENDED))


def _apply(tx: Tx, move: TaskMove, *, mission: Mission | None, settle: Settle | None) -> Task:
    _publish(tx, move)
    if move.frees_dependents:
        tx.task_counts.free_dependents(move.after.id)
    tx.task_counts.count_move(move.before, move.after)
    tx.missions.touch(move.after.mission_id, now=tx.now)
    mission = mission or tx.missions.get(move.after.mission_id)
    if move.tells_mission:
        _publish_mission(tx, mission)
    stored = settle(mission) if settle is not None else move.after
    if move.needs_saving:
        tx.tasks.save(stored)
    task_requests.moved(tx, move)
    return stored


def _publish(tx: Tx, move: TaskMove) -> None:
    tx.emit(events.TaskUpdated(task=move.after, cause=move.cause))


def _publish_mission(tx: Tx, mission: Mission) -> None:
    """Publish the change on the mission's topic too, if it was created as a workflow."""
    if mission.family is Family.WORKFLOW:
        tx.emit(events.MissionUpdated(mission=mission))
