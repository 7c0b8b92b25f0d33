"""Fill a store with many missions in bulk, to measure and test the page."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from mission.domain.ids import new_id
from mission.domain.missions.mission import MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Quality
from mission.store.tables import dependencies, missions, phases, tasks
from mission.store.transaction import Tx

PHASES = 5


def plant_crowd(tx: Tx, *, many: int, tasks_each: int, open_every: int = 5) -> list[str]:
    """Insert missions; one in `open_every` is open and half done, the others have ended. Return their ids."""
    made = [_Mission(number, tasks_each, open=number % open_every == 0, now=tx.now) for number in range(many)]
    _insert(tx.connection, missions, [each.row for each in made])
    _insert(tx.connection, phases, [row for each in made for row in each.phases])
    _insert(tx.connection, tasks, [row for each in made for row in each.tasks])
    _insert(tx.connection, dependencies, [row for each in made for row in each.edges])
    return [each.row["id"] for each in made]


def _insert(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), 5_000):
        connection.execute(insert(table), rows[start : start + 5_000])


class _Mission:
    """The rows of one mission."""

    def __init__(self, number: int, count: int, *, open: bool, now: datetime) -> None:
        self._at = now - timedelta(days=40, minutes=number)
        self.row: dict[str, Any] = {
            "id": new_id("mission"),
            "name": f"Mission {number:04}: " + ("move the ledger" if number % 2 else "split the bundle"),
            "objective": f"Objective {number}: every balance is the sum of its entries.",
            "family": "workflow",
            "profile": "standard",
            "total_phases": PHASES,
            "status": str(MissionStatus.IN_PROGRESS if open else MissionStatus.COMPLETED),
            "achievements": [],
            "limitations": [],
            "source_type": "prompt",
            "max_parallel": 4,
            "created_at": self._at - timedelta(hours=8),
            "updated_at": self._at,
            "started_at": self._at - timedelta(hours=8),
            "completed_at": None if open else self._at,
        }
        self.phases: list[dict[str, Any]] = []
        self.tasks: list[dict[str, Any]] = []
        self.edges: list[dict[str, Any]] = []
        per_phase = count // PHASES
        for phase in range(1, PHASES + 1):
            self._phase(phase, per_phase, open=open)

    def _phase(self, number: int, count: int, *, open: bool) -> None:
        done = not open or number <= PHASES // 2
        runs = open and number == PHASES // 2 + 1
        phase_id = new_id("phase")
        status = PhaseStatus.COMPLETED if done else PhaseStatus.IN_PROGRESS if runs else PhaseStatus.PENDING
        working = min(2, count) if runs else 0
        self.phases.append(
            {
                "id": phase_id,
                "mission_id": self.row["id"],
                "number": number,
                "name": f"Phase {number}",
                "is_parallel": True,
                "planned": True,
                "status": str(status),
                "created_at": self.row["created_at"],
                "success": count if done else 0,
                "in_progress": working,
                "pending": 0 if done else count - working,
                "waiting": 0 if done or runs else count,
            }
        )
        before = [task["id"] for task in self.tasks if task["phase_number"] == number - 1]
        for position in range(count):
            waits = 0 if done or runs else min(2, len(before))
            self._task(phase_id, number, position, done=done, runs=position < working, waits=waits)
            self.edges += [
                {"task_id": self.tasks[-1]["id"], "depends_on": before[(position + step) % len(before)]}
                for step in range(min(2, len(before)))
            ]

    def _task(self, phase_id: str, phase: int, position: int, *, done: bool, runs: bool, waits: int) -> None:
        started = self._at - timedelta(hours=4 - phase * 0.5, minutes=position)
        status = TaskStatus.COMPLETED if done else TaskStatus.IN_PROGRESS if runs else TaskStatus.PENDING
        self.tasks.append(
            {
                "id": new_id("task"),
                "mission_id": self.row["id"],
                "phase_id": phase_id,
                "phase_number": phase,
                "name": f"Step {phase}.{position + 1} of the work",
                "goal": "Do this step, with tests.",
                "areas": [],
                "status": str(status),
                "quality": str(Quality.SUCCESS) if done else None,
                "agent_name": "crowd" if done or runs else None,
                "fence": 0,
                "attempts": 1 if done or runs else 0,
                "position": position,
                "waiting_for": waits,
                "created_at": self.row["created_at"],
                "updated_at": self._at,
                "started_at": started if done or runs else None,
                "completed_at": started + timedelta(minutes=20) if done else None,
            }
        )
