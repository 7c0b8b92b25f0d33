"""Queries about plans: many tasks at once, their dependencies, and the progress of a mission."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Integer, bindparam, delete, func, null, or_, select, tuple_, update

from mission.domain.checks.evidence import ProofState
from mission.domain.missions.estimate import Span
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import ACTIVE, DONE, OPEN, TaskStatus
from mission.domain.tasks.task import Task
from mission.store.columns import UtcTime
from mission.store.sql.prepared_statements import Bulk
from mission.store.tables import dependencies, parallel_groups, phases, tasks
from mission.store.tasks.tasks import MAPPER, ZERO

CHUNK = 500
PLANNED = (
    "id",
    "mission_id",
    "phase_id",
    "phase_number",
    "name",
    "goal",
    "areas",
    "status",
    "fence",
    "attempts",
    "position",
    "parallel_group",
    "requires",
    "client",
    "complexity",
    "files_likely_affected",
    "acceptance",
    "review",
    "waiting_for",
    "created_at",
    "updated_at",
)
"""The columns of a task that a plan sets; the others have defaults."""
_DONE_WORDS = sorted(map(str, DONE))
_OPEN_WORDS = sorted(map(str, OPEN))
_ACTIVE_WORDS = sorted(map(str, ACTIVE))
_ADD_TASKS = Bulk(tasks, PLANNED)
_ADD_DEPENDENCIES = Bulk(dependencies, ("task_id", "depends_on"))
_KNOWN = select(tasks.c.id, tasks.c.name, tasks.c.status, tasks.c.phase_number).where(
    tasks.c.mission_id == bindparam("mission_id")
)
_KNOWN_BY = tuple(_KNOWN.where(column.in_(bindparam("known", expanding=True))) for column in (tasks.c.name, tasks.c.id))
_TOUCHED = (
    select(tasks.c.id, tasks.c.name)
    .where(
        tasks.c.mission_id == bindparam("mission_id"),
        or_(tasks.c.status != bindparam("untouched"), tasks.c.fence > 0, tasks.c.entries > 0, tasks.c.attempts > 0),
    )
    .limit(bindparam("limit"))
)
_CLEAR = (
    delete(tasks).where(tasks.c.mission_id == bindparam("mission_id")),
    delete(phases).where(phases.c.mission_id == bindparam("mission_id")),
    delete(parallel_groups).where(parallel_groups.c.mission_id == bindparam("mission_id")),
)
_OTHERS = tasks.alias("others")
_SKIP_OPEN = (
    update(tasks)
    .where(tasks.c.mission_id == bindparam("of_mission"), tasks.c.waiting_for > 0)
    .values(
        waiting_for=tasks.c.waiting_for
        - select(func.count())
        .select_from(dependencies)
        .join(_OTHERS, _OTHERS.c.id == dependencies.c.depends_on)
        .where(dependencies.c.task_id == tasks.c.id, _OTHERS.c.status.in_(bindparam("open", expanding=True)))
        .scalar_subquery()
    ),
    update(phases)
    .where(phases.c.mission_id == bindparam("of_mission"))
    .values(skipped=phases.c.skipped + phases.c.pending + phases.c.in_progress, pending=0, in_progress=0, waiting=0),
    update(tasks)
    .where(tasks.c.mission_id == bindparam("of_mission"), tasks.c.status.in_(bindparam("open", expanding=True)))
    .values(
        status=bindparam("skipped"),
        previous_owner_id=func.coalesce(tasks.c.owner_id, tasks.c.previous_owner_id),
        owner_id=None,
        lease_until=None,
        claimed_at=None,
        snapshots=null(),
        hold=null(),
        proof_state=func.nullif(tasks.c.proof_state, str(ProofState.CHECKING)),
        completed_at=bindparam("now", type_=UtcTime),
        updated_at=bindparam("now", type_=UtcTime),
    ),
)
"""The dependencies on open tasks first, then the counts, then the tasks themselves."""
_DEPENDENCIES = (
    select(dependencies.c.task_id, dependencies.c.depends_on)
    .where(dependencies.c.task_id.in_(bindparam("ids", expanding=True)))
    .order_by(dependencies.c.task_id, dependencies.c.depends_on)
)
_DEPENDENCY_TASKS = (
    MAPPER.select.join(dependencies, dependencies.c.depends_on == tasks.c.id)
    .where(dependencies.c.task_id == bindparam("task_id"))
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.id)
)
_IN_PLAN = (tasks.c.phase_number, tasks.c.position, tasks.c.created_at, tasks.c.id)
_PAGE = (
    MAPPER.select.where(tasks.c.mission_id == bindparam("mission_id"))
    .order_by(*_IN_PLAN)
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)
_PAGE_BEHIND = _PAGE.where(
    tuple_(*_IN_PLAN) > tuple_(*(bindparam(f"last_{column.name}", type_=column.type) for column in _IN_PLAN))
)
_SOME_MEMBERS = (
    select(tasks.c.id)
    .where(
        tasks.c.mission_id == parallel_groups.c.mission_id,
        tasks.c.parallel_group == parallel_groups.c.name,
        tasks.c.status.not_in(_DONE_WORDS),
    )
    .order_by(tasks.c.status.desc())  # along the index, the completed ones last: otherwise PostgreSQL scans the table
    .limit(bindparam("limit"))
    .correlate(parallel_groups)
    .subquery()
)
_GROUP_MEMBERS = select(
    parallel_groups.c.name,
    select(func.aggregate_strings(_SOME_MEMBERS.c.id, " ")).scalar_subquery().label("ids"),
).where(
    parallel_groups.c.mission_id == bindparam("mission_id"),
    parallel_groups.c.name.in_(bindparam("groups", expanding=True)),
)
"""The members of a group as one text: a query per group would cost a round trip each."""
_WAITING_TASKS = (
    MAPPER.select.where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.waiting_for > ZERO,
        tasks.c.status == bindparam("waiting"),
    )
    .order_by(tasks.c.phase_number, tasks.c.position)
    .limit(bindparam("limit"))
)
_HELD = MAPPER.select.where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.waiting_for == ZERO,
    tasks.c.status == bindparam("paused"),
    tasks.c.hold.is_not(None),
)
_LATEST_COMPLETED = (
    select(tasks.c.attempt_started_at, tasks.c.completed_at)
    .where(
        tasks.c.mission_id == bindparam("mission_id"),
        tasks.c.completed_at.is_not(None),
        tasks.c.attempt_started_at.is_not(None),
        tasks.c.status == bindparam("completed"),
    )
    .order_by(tasks.c.completed_at.desc())
    .limit(bindparam("limit"))
)
_LONGEST_RUNNING = select(func.min(tasks.c.attempt_started_at)).where(
    tasks.c.mission_id == bindparam("mission_id"),
    tasks.c.waiting_for == ZERO,
    tasks.c.status.in_(bindparam("going", expanding=True)),
)
_WAITED_FOR = (
    select(dependencies.c.task_id, tasks.c.name, tasks.c.status)
    .join(tasks, tasks.c.id == dependencies.c.depends_on)
    .where(dependencies.c.task_id.in_(bindparam("ids", expanding=True)))
    .order_by(tasks.c.phase_number, tasks.c.position)
)
"""Without a condition on states: where nearly all tasks share one, PostgreSQL would choose the wrong index."""
_UNFINISHED = phases.c.pending + phases.c.in_progress + phases.c.failed > 0
_FIRST_UNFINISHED = select(func.min(phases.c.number)).where(phases.c.mission_id == bindparam("mission_id"), _UNFINISHED)
_LAST_BEFORE = select(func.max(phases.c.number)).where(
    phases.c.mission_id == bindparam("mission_id"),
    or_(bindparam("first", type_=Integer).is_(None), phases.c.number < bindparam("first", type_=Integer)),
)
_PLANNED_PHASES = (
    select(phases.c.id, phases.c.number, phases.c.status)
    .where(phases.c.mission_id == bindparam("mission_id"))
    .order_by(phases.c.number)
)


class Plans:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add_tasks(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert pending tasks, all in one statement."""
        _ADD_TASKS.run(self._connection, rows)

    def add_dependencies(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Record for each pair that the first task waits for the second."""
        if pairs:
            rows = [{"task_id": task_id, "depends_on": wanted} for task_id, wanted in pairs]
            _ADD_DEPENDENCIES.run(self._connection, rows)

    def known(self, mission_id: str, references: Iterable[str]) -> list[Any]:
        """Return id, name, status and phase of the tasks of a mission that are referred to by name or id."""
        wanted = list(dict.fromkeys(references))
        return [
            row
            for start in range(0, len(wanted), CHUNK)
            for statement in _KNOWN_BY
            for row in self._connection.execute(
                statement, {"mission_id": mission_id, "known": wanted[start : start + CHUNK]}
            )
        ]

    def phases(self, mission_id: str) -> dict[int, tuple[str, PhaseStatus]]:
        """Return the phases of a mission by number: id and state."""
        rows = self._connection.execute(_PLANNED_PHASES, {"mission_id": mission_id})
        return {row.number: (row.id, PhaseStatus(row.status)) for row in rows}

    def touched(self, mission_id: str, *, limit: int) -> list[Any]:
        """Return tasks that an agent has already claimed, started or written about."""
        values = {"mission_id": mission_id, "untouched": str(TaskStatus.PENDING), "limit": limit}
        return list(self._connection.execute(_TOUCHED, values))

    def clear(self, mission_id: str) -> None:
        """Remove every task and phase of a mission."""
        for statement in _CLEAR:
            self._connection.execute(statement, {"mission_id": mission_id})

    def skip_open(self, mission_id: str, *, now: datetime) -> None:
        """End every open task of a mission at once, with all dependencies on them: a plan may have thousands."""
        values = {"of_mission": mission_id, "open": _OPEN_WORDS, "skipped": str(TaskStatus.SKIPPED), "now": now}
        for statement in _SKIP_OPEN:
            self._connection.execute(statement, values)

    def dependencies(self, task_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return for each task the ids of those it depends on."""
        found: dict[str, list[str]] = {id: [] for id in task_ids}
        for start in range(0, len(task_ids), CHUNK):
            values = {"ids": list(task_ids[start : start + CHUNK])}
            for row in self._connection.execute(_DEPENDENCIES, values):
                found[row.task_id].append(row.depends_on)
        return found

    def dependency_tasks(self, task_id: str) -> list[Task]:
        """Return the tasks that a task depends on."""
        return [MAPPER.entity(row) for row in self._connection.execute(_DEPENDENCY_TASKS, {"task_id": task_id})]

    def page(self, mission_id: str, *, limit: int, offset: int, after: Task | None = None) -> list[Task]:
        """Return tasks of a mission in plan order; with `after`, only those after that task."""
        values: dict[str, Any] = {"mission_id": mission_id, "limit": limit, "offset": offset}
        statement = _PAGE
        if after is not None:
            statement = _PAGE_BEHIND
            values |= {f"last_{column.name}": getattr(after, column.name) for column in _IN_PLAN}
        return [MAPPER.entity(row) for row in self._connection.execute(statement, values)]

    def group_members(self, mission_id: str, groups: Collection[str], *, limit: int) -> dict[str, list[str]]:
        """Return for each of these parallel groups some tasks that are not done."""
        if not groups:
            return {}
        values = {"mission_id": mission_id, "groups": sorted(groups), "limit": limit}
        return {row.name: (row.ids or "").split() for row in self._connection.execute(_GROUP_MEMBERS, values)}

    def waiting(self, mission_id: str, *, limit: int) -> list[Task]:
        """Return the first tasks that wait for others."""
        values = {"mission_id": mission_id, "waiting": str(TaskStatus.PENDING), "limit": limit}
        return [MAPPER.entity(row) for row in self._connection.execute(_WAITING_TASKS, values)]

    def waited_for(self, task_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return for each task the names of those it still waits for."""
        found: dict[str, list[str]] = {id: [] for id in task_ids}
        for row in self._connection.execute(_WAITED_FOR, {"ids": list(task_ids)}):
            if row.status not in _DONE_WORDS:
                found[row.task_id].append(row.name)
        return found

    def sequences(self, mission_id: str) -> tuple[int, int | None]:
        """Return the highest phase up to which everything is done, and the lowest that is not."""
        first = self._connection.execute(_FIRST_UNFINISHED, {"mission_id": mission_id}).scalar()
        last = self._connection.execute(_LAST_BEFORE, {"mission_id": mission_id, "first": first}).scalar()
        return last or 0, first

    def held(self, mission_id: str) -> list[Task]:
        """Return tasks that are paused for a reason."""
        values = {"mission_id": mission_id, "paused": str(TaskStatus.PAUSED)}
        return [MAPPER.entity(row) for row in self._connection.execute(_HELD, values)]

    def latest_completed(self, mission_id: str, *, limit: int) -> list[Span]:
        """Return when the last attempts at the most recently completed tasks started and ended."""
        values = {"mission_id": mission_id, "completed": str(TaskStatus.COMPLETED), "limit": limit}
        rows = self._connection.execute(_LATEST_COMPLETED, values)
        return [(row.attempt_started_at, row.completed_at) for row in rows]

    def longest_running(self, mission_id: str) -> datetime | None:
        """Return when the longest-running attempt started; None if there is none."""
        values = {"mission_id": mission_id, "going": _ACTIVE_WORDS}
        found: datetime | None = self._connection.execute(_LONGEST_RUNNING, values).scalar()
        return found
