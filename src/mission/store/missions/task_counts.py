"""Counts kept next to the tasks, so that a mission's progress costs the same at 10,000 tasks as at ten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from mission.domain.tasks.states import RUNNING, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import dependencies, parallel_groups, phases, tasks
from mission.store.tasks.tasks import ZERO

COUNT_BUCKETS = ("pending", "in_progress", "success", "partial", "failed", "skipped")
"""The count buckets of a phase's tasks; each task is in exactly one."""
_COUNTS = (*COUNT_BUCKETS, "waiting")
_NO_CHANGE = {f"more_{name}": 0 for name in _COUNTS}
_RUNNING_WORDS = sorted(map(str, RUNNING))
_RECOUNT = Prepared(
    update(phases)
    .where(phases.c.id == bindparam("row_id"))
    .values({name: phases.c[name] + bindparam(f"more_{name}") for name in _COUNTS})
)
_GROUP_DONE = Prepared(
    update(parallel_groups)
    .where(parallel_groups.c.mission_id == bindparam("of_mission"), parallel_groups.c.name == bindparam("group"))
    .values(done=parallel_groups.c.done + bindparam("more"))
)
_FREE = (
    update(tasks)
    .where(tasks.c.id.in_(select(dependencies.c.task_id).where(dependencies.c.depends_on == bindparam("ended_id"))))
    .values(waiting_for=tasks.c.waiting_for - 1)
)
_ABOUT_TO_BE_FREE = (
    select(tasks.c.phase_id, func.count().label("tasks"))
    .join(dependencies, dependencies.c.task_id == tasks.c.id)
    .where(
        dependencies.c.depends_on == bindparam("ended_id"),
        tasks.c.waiting_for == 1,
        tasks.c.status == bindparam("waiting"),
    )
    .group_by(tasks.c.phase_id)
)
_OF_MISSION = select(*(func.coalesce(func.sum(phases.c[name]), 0).label(name) for name in _COUNTS)).where(
    phases.c.mission_id == bindparam("mission_id")
)
_RUNNING = (
    select(tasks.c.status, func.count().label("tasks"))
    .where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.waiting_for == ZERO,
        tasks.c.status.in_(bindparam("running", expanding=True)),
    )
    .group_by(tasks.c.status)
)
_GROUPS = (
    select(parallel_groups.c.name, parallel_groups.c.tasks, parallel_groups.c.done)
    .where(parallel_groups.c.mission_id == bindparam("mission_id"))
    .order_by(parallel_groups.c.name)
)


class TaskCounts:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count_move(self, before: Task | None, after: Task) -> None:
        """Count a task that is new or has changed its state."""
        more = Counter({after.count_bucket: 1, "waiting": after.waits})
        if before is not None:
            more.subtract({before.count_bucket: 1, "waiting": before.waits})
        if any(more.values()):
            changes = {f"more_{name}": change for name, change in more.items()}
            _RECOUNT.run(self._connection, {**_NO_CHANGE, "row_id": after.phase_id, **changes})
        completed = TaskStatus.COMPLETED
        ended = (after.status is completed) - (before is not None and before.status is completed)
        if ended and after.parallel_group is not None:
            values = {"of_mission": after.mission_id, "group": after.parallel_group, "more": ended}
            _GROUP_DONE.run(self._connection, values)

    def count_plan(self, mission_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count the tasks that a plan adds."""
        pending = Counter(row["phase_id"] for row in rows)
        waiting = Counter(row["phase_id"] for row in rows if row["waiting_for"])
        changes = [
            {**_NO_CHANGE, "row_id": id, "more_pending": tasks, "more_waiting": waiting[id]}
            for id, tasks in pending.items()
        ]
        _RECOUNT.run(self._connection, *changes)
        groups = Counter(row["parallel_group"] for row in rows if row["parallel_group"] is not None)
        if groups:
            self._add_groups(mission_id, groups)

    def free_dependents(self, task_id: str) -> None:
        """Record that a task is done: its dependents wait for one task less."""
        values = {"ended_id": task_id, "waiting": str(TaskStatus.PENDING)}
        changes = [
            {**_NO_CHANGE, "row_id": row.phase_id, "more_waiting": -row.tasks}
            for row in self._connection.execute(_ABOUT_TO_BE_FREE, values)
        ]
        self._connection.execute(_FREE, {"ended_id": task_id})
        if changes:
            _RECOUNT.run(self._connection, *changes)

    def states(self, mission_id: str) -> dict[tuple[TaskStatus, bool], int]:
        """Return how many tasks of a mission are in each state; the second key says whether they wait for others."""
        counted = self._connection.execute(_OF_MISSION, {"mission_id": mission_id}).one()
        values = {"mission_id": mission_id, "running": _RUNNING_WORDS}
        running = {TaskStatus(row.status): row.tasks for row in self._connection.execute(_RUNNING, values)}
        planning = running.get(TaskStatus.PLANNING, 0)
        return {
            **{(status, False): tasks for status, tasks in running.items()},
            (TaskStatus.PENDING, True): int(counted.waiting),
            (TaskStatus.PENDING, False): int(counted.pending) - int(counted.waiting) - planning,
            (TaskStatus.COMPLETED, False): int(counted.success) + int(counted.partial),
            (TaskStatus.FAILED, False): int(counted.failed),
            (TaskStatus.SKIPPED, False): int(counted.skipped),
        }

    def groups(self, mission_id: str) -> list[Any]:
        """Return for each parallel group its name, the number of its tasks, and how many of them are completed."""
        return list(self._connection.execute(_GROUPS, {"mission_id": mission_id}))

    def _add_groups(self, mission_id: str, groups: Mapping[str, int]) -> None:
        insert = postgresql.insert if self._connection.dialect.name == "postgresql" else sqlite.insert
        statement = insert(parallel_groups)
        more = statement.on_conflict_do_update(
            index_elements=["mission_id", "name"], set_={"tasks": parallel_groups.c.tasks + statement.excluded.tasks}
        )
        rows = [{"mission_id": mission_id, "name": name, "tasks": tasks, "done": 0} for name, tasks in groups.items()]
        self._connection.execute(more, rows)
