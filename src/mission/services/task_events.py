"""Who hears of a task that moved: those who follow it or its agent, and those who follow its mission."""

from __future__ import annotations

from mission.domain import events
from mission.domain.missions.mission import Family, Mission
from mission.domain.tasks.task import Task
from mission.store.transaction import Tx


def moved(tx: Tx, task: Task, *, mission: Mission | None = None) -> None:
    """Tell that the task moved; its mission, which the caller may have at hand, counts as just active."""
    tx.emit(events.TaskUpdated(task=task))
    tx.missions.touch(task.mission_id, now=tx.now)
    workflow(tx, mission or tx.missions.get(task.mission_id))


def workflow(tx: Tx, mission: Mission) -> None:
    """Missions made by start_workflow tell every move of a task on their own topic too."""
    if mission.family is Family.WORKFLOW:
        tx.emit(events.MissionUpdated(mission=mission))
