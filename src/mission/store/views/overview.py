"""Queries for viewers: few columns of many rows, along indexes that stay small."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, bindparam, case, exists, func, or_, select

from mission.domain.checks.evidence import ProofState
from mission.domain.inbox.item import ItemState
from mission.domain.missions.critical_path import PathStep
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.tasks.journal import JournalEntry
from mission.domain.tasks.states import ACTIVE, OPEN, RUNNING
from mission.store.columns import UtcTime
from mission.store.missions.task_counts import COUNT_BUCKETS
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import agents, dependencies, journal, missions, phases, queue_items, task_patches, tasks
from mission.store.tasks.tasks import ZERO

TASK_STATE = (
    tasks.c.id,
    tasks.c.mission_id,
    tasks.c.status,
    tasks.c.quality,
    tasks.c.hold,
    tasks.c.waiting_for,
    tasks.c.proof_state,
    tasks.c.owner_id,
    tasks.c.agent_name,
    tasks.c.attempt_started_at,
)
"""The state of a task, and its owner."""
TASK_ROW = (
    *TASK_STATE,
    tasks.c.phase_number,
    tasks.c.name,
    tasks.c.lease_until,
    tasks.c.attempts,
    tasks.c.failed_attempts,
    tasks.c.started_at,
    tasks.c.completed_at,
    tasks.c.updated_at,
)
_ENDED = sorted(map(str, ENDED))
_UNSTARTED = [str(MissionStatus.PLANNING), str(MissionStatus.READY)]
MISSION_GROUPS = ("needs_you", "running", "planning", "rest")
_OPEN = sorted(map(str, OPEN))
_RUNNING = sorted(map(str, RUNNING))
_ACTIVE = sorted(map(str, ACTIVE))
OPEN_MISSION = (missions.c.status.not_in(_ENDED), missions.c.archived_at.is_(None))
IN_HAND = (tasks.c.waiting_for == 0, tasks.c.status.in_(_RUNNING))
_SUMS = [func.sum(phases.c[name]).label(name) for name in COUNT_BUCKETS]
_NEEDS_YOU = (
    exists()
    .where(queue_items.c.mission_id == missions.c.id, queue_items.c.state == str(ItemState.OPEN))
    .correlate(missions)
)
_HAS_WORK = exists().where(tasks.c.mission_id == missions.c.id, *IN_HAND).correlate(missions)
RANK = case(
    (_NEEDS_YOU, 0),
    (missions.c.status.in_(_ENDED), 3),
    (_HAS_WORK, 1),
    (missions.c.status.in_(_UNSTARTED), 2),
    else_=3,
)
"""The position of a mission in `MISSION_GROUPS`."""
_MISSION_ROW = (
    RANK.label("rank"),
    missions.c.max_parallel,
    missions.c.id,
    missions.c.name,
    missions.c.objective,
    missions.c.status,
    missions.c.outcome,
    missions.c.repository_path,
    missions.c.created_at,
    missions.c.updated_at,
    missions.c.completed_at,
)
_OPEN_MISSIONS = (
    select(*_MISSION_ROW)
    .where(*OPEN_MISSION)
    .order_by(RANK, missions.c.updated_at.desc(), missions.c.id)
    .limit(bindparam("limit"))
)
_NEWEST_MISSIONS = (
    select(*_MISSION_ROW)
    .where(*OPEN_MISSION)
    .order_by(missions.c.created_at.desc(), missions.c.id)
    .limit(bindparam("limit"))
)
_COUNT_OPEN = select(func.count()).select_from(missions).where(*OPEN_MISSION)
_TASK_COUNTS = (
    select(phases.c.mission_id, *_SUMS)
    .where(phases.c.mission_id.in_(bindparam("ids", expanding=True)))
    .group_by(phases.c.mission_id)
)
_FAILING = (
    select(tasks.c.mission_id, func.sum(tasks.c.failed_attempts).label("attempts"))
    .where(tasks.c.mission_id.in_(bindparam("ids", expanding=True)), tasks.c.failed_attempts > ZERO)
    .group_by(tasks.c.mission_id)
)
_COUNT_FAILING = (
    select(func.coalesce(func.sum(tasks.c.failed_attempts), 0))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(*OPEN_MISSION, tasks.c.failed_attempts > ZERO, tasks.c.status.in_(_OPEN))
)
_IS_SHOWN = or_(tasks.c.proof_state != str(ProofState.FAILING), tasks.c.status.in_(_OPEN))
"""A task that was given up counts as failed, not as failing."""
_PROOFS = (
    select(tasks.c.mission_id, tasks.c.proof_state, func.count().label("tasks"))
    .where(
        tasks.c.mission_id.in_(bindparam("ids", expanding=True)),
        tasks.c.proof_state.is_not(None),
        _IS_SHOWN,
    )
    .group_by(tasks.c.mission_id, tasks.c.proof_state)
)
_OPEN_PROOFS = (
    select(tasks.c.proof_state, func.count().label("tasks"))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(*OPEN_MISSION, tasks.c.proof_state.is_not(None), _IS_SHOWN)
    .group_by(tasks.c.proof_state)
)
_OPEN_COUNTS = (
    select(*(func.coalesce(each, 0).label(each.name) for each in _SUMS))
    .select_from(missions)
    .join(phases, phases.c.mission_id == missions.c.id)
    .where(*OPEN_MISSION)
)
_IN_HAND = (
    select(*TASK_ROW, missions.c.name.label("mission_name"), journal.c.summary, journal.c.created_at.label("said_at"))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .outerjoin(journal, (journal.c.task_id == tasks.c.id) & (journal.c.sequence == tasks.c.entries))
    .where(*OPEN_MISSION, *IN_HAND)
    .order_by(missions.c.created_at.desc(), missions.c.id, tasks.c.started_at, tasks.c.id)
    .limit(bindparam("limit"))
)
_IN_HANDS_OF = (
    select(*TASK_ROW)
    .join(missions, missions.c.id == tasks.c.mission_id)
    .where(*OPEN_MISSION, *IN_HAND, tasks.c.owner_id.in_(bindparam("ids", expanding=True)))
    .order_by(missions.c.created_at.desc(), missions.c.id, tasks.c.started_at, tasks.c.id)
)
_COUNT_ACTIVE = (
    select(func.count(tasks.c.id))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(
        *OPEN_MISSION,
        *IN_HAND,
        or_(tasks.c.status.in_(_ACTIVE), tasks.c.proof_state == str(ProofState.CHECKING)),
    )
)
_ENDED_SINCE = (
    select(
        *TASK_ROW,
        tasks.c.changes,
        missions.c.name.label("mission_name"),
        task_patches.c.added.label("lines_added"),
        task_patches.c.removed.label("lines_removed"),
    )
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .outerjoin(task_patches, task_patches.c.task_id == tasks.c.id)
    .where(
        missions.c.updated_at > bindparam("since", type_=UtcTime),
        tasks.c.completed_at > bindparam("since", type_=UtcTime),
    )
    .order_by(tasks.c.completed_at.desc())
    .limit(bindparam("limit"))
)
_COUNT_ENDED = (
    select(tasks.c.status, tasks.c.proof_state, func.count().label("tasks"))
    .select_from(missions)
    .join(tasks, tasks.c.mission_id == missions.c.id)
    .where(
        missions.c.updated_at > bindparam("since", type_=UtcTime),
        tasks.c.completed_at > bindparam("since", type_=UtcTime),
    )
    .group_by(tasks.c.status, tasks.c.proof_state)
)
_HANDS = select(*TASK_STATE).where(tasks.c.mission_id.in_(bindparam("ids", expanding=True)), *IN_HAND)
_IN_PLAN = (tasks.c.phase_number, tasks.c.position, tasks.c.created_at, tasks.c.id)
_OPEN_STEPS = (
    select(tasks.c.id, tasks.c.status, tasks.c.attempt_started_at, tasks.c.owner_id)
    .where(tasks.c.mission_id == bindparam("mission_id"), tasks.c.status.in_(_OPEN))
    .order_by(*_IN_PLAN)
)
_OF_MISSION = (
    select(
        *TASK_ROW,
        tasks.c.position,
        tasks.c.parallel_group,
        tasks.c.complexity,
        tasks.c.changes,
        tasks.c.proof,
        tasks.c.metadata,
        tasks.c.parent_id,
        tasks.c.created_at,
    )
    .where(tasks.c.mission_id == bindparam("mission_id"))
    .order_by(*_IN_PLAN)
)
_EDGES_OF_MISSION = (
    select(dependencies.c.task_id, dependencies.c.depends_on)
    .join(tasks, tasks.c.id == dependencies.c.task_id)
    .where(tasks.c.mission_id == bindparam("mission_id"))
)
_EDGES = Prepared(_EDGES_OF_MISSION)
_OPEN_EDGES = Prepared(_EDGES_OF_MISSION.where(tasks.c.waiting_for > ZERO))
_ENTRIES = Mapper(journal, JournalEntry)
_FLEET = (
    select(agents.c.id, agents.c.name, agents.c.runtime, agents.c.declared, agents.c.last_seen_at, agents.c.created_at)
    .where(
        or_(
            agents.c.last_seen_at > bindparam("since", type_=UtcTime),
            agents.c.id.in_(bindparam("ids", expanding=True)),
        )
    )
    .order_by(agents.c.created_at, agents.c.id)
    .limit(bindparam("limit"))
)
_NAMES = select(agents.c.id, agents.c.name).where(agents.c.id.in_(bindparam("ids", expanding=True)))


class Overviews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def open_missions(self, *, limit: int) -> list[Any]:
        """Return missions that have not ended: those that need a person, then those with work, then the rest."""
        return list(self._connection.execute(_OPEN_MISSIONS, {"limit": limit}))

    def newest_missions(self, *, limit: int) -> list[Any]:
        """Return missions that have not ended, the latest created first."""
        return list(self._connection.execute(_NEWEST_MISSIONS, {"limit": limit}))

    def count_open(self) -> int:
        return int(self._connection.execute(_COUNT_OPEN).scalar_one())

    def missions(
        self, *, words: Sequence[str], statuses: Sequence[str] | None, archived: bool, limit: int, offset: int
    ) -> tuple[list[Any], dict[str, int]]:
        """Return a page of missions whose name or objective has every word, and how many there are by status."""
        where: list[ColumnElement[bool]] = [
            missions.c.archived_at.is_not(None) if archived else missions.c.archived_at.is_(None)
        ]
        where += [
            or_(has_word(missions.c.name, word), has_word(missions.c.objective, word), missions.c.id == word)
            for word in words
        ]
        counted = select(missions.c.status, func.count().label("missions")).where(*where).group_by(missions.c.status)
        counts = {row.status: int(row.missions) for row in self._connection.execute(counted)}
        chosen = [missions.c.status.in_(statuses)] if statuses is not None else []
        page = select(*_MISSION_ROW).where(*where, *chosen).order_by(RANK, missions.c.updated_at.desc(), missions.c.id)
        return list(self._connection.execute(page.limit(limit).offset(offset))), counts

    def task_counts(self, ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return for each mission how many of its tasks are in each count bucket."""
        rows = self._connection.execute(_TASK_COUNTS, {"ids": list(ids)})
        return {row.mission_id: {name: int(getattr(row, name)) for name in COUNT_BUCKETS} for row in rows}

    def proofs(self, ids: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return for each mission how many of its tasks are in each state of proof."""
        found: dict[str, dict[str, int]] = {}
        for row in self._connection.execute(_PROOFS, {"ids": list(ids)}):
            found.setdefault(row.mission_id, {})[row.proof_state] = int(row.tasks)
        return found

    def open_proofs(self) -> dict[str, int]:
        """Return how many tasks of all open missions are in each state of proof."""
        return {row.proof_state: int(row.tasks) for row in self._connection.execute(_OPEN_PROOFS)}

    def open_task_counts(self) -> dict[str, int]:
        """Return how many tasks of all open missions are in each count bucket."""
        row = self._connection.execute(_OPEN_COUNTS).one()
        return {name: int(getattr(row, name)) for name in COUNT_BUCKETS}

    def failed_attempts(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how many attempts at the tasks of each mission failed, for missions that have some."""
        rows = self._connection.execute(_FAILING, {"ids": list(ids)})
        return {row.mission_id: int(row.attempts) for row in rows}

    def count_failed_attempts(self) -> int:
        """Return how many attempts failed at open tasks of open missions."""
        return int(self._connection.execute(_COUNT_FAILING).scalar_one())

    def hands(self, ids: Sequence[str]) -> list[Any]:
        """Return the active tasks of these missions, with little more than their state."""
        return list(self._connection.execute(_HANDS, {"ids": list(ids)}))

    def open_steps(self, mission_id: str) -> list[PathStep]:
        """Return the open tasks of a mission with their times, in plan order."""
        needs = self._needs(_OPEN_EDGES, mission_id)
        rows = self._connection.execute(_OPEN_STEPS, {"mission_id": mission_id}).all()
        return [
            PathStep(id=id, status=status, started_at=began, completed_at=None, needs=needs.get(id, ()), owner_id=owner)
            for id, status, began, owner in rows
        ]

    def in_hand(self, *, limit: int) -> list[Any]:
        """Return active tasks, those of the newest missions first, with the last note about each."""
        return list(self._connection.execute(_IN_HAND, {"limit": limit}))

    def in_hands_of(self, ids: Sequence[str]) -> list[Any]:
        """Return the active tasks of these agents, in the order of `in_hand`."""
        return list(self._connection.execute(_IN_HANDS_OF, {"ids": list(ids)}))

    def count_active(self) -> int:
        """Return how many tasks are active and not stalled."""
        return int(self._connection.execute(_COUNT_ACTIVE).scalar_one())

    def ended_since(self, since: datetime, *, limit: int) -> list[Any]:
        """Return tasks that ended after a moment, the latest first."""
        return list(self._connection.execute(_ENDED_SINCE, {"since": since, "limit": limit}))

    def count_ended(self, since: datetime) -> dict[tuple[str, str | None], int]:
        """Return how many tasks ended after a moment, by status and state of proof."""
        rows = self._connection.execute(_COUNT_ENDED, {"since": since})
        return {(row.status, row.proof_state): int(row.tasks) for row in rows}

    def fleet(self, ids: Sequence[str], *, since: datetime, limit: int) -> list[Any]:
        """Return these agents and all that were seen after a moment, in the order in which they joined."""
        return list(self._connection.execute(_FLEET, {"ids": list(ids), "since": since, "limit": limit}))

    def names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of agents."""
        return {row.id: row.name for row in self._connection.execute(_NAMES, {"ids": list(ids)})}

    def tasks(self, mission_id: str) -> list[Any]:
        """Return every task of a mission in plan order."""
        return list(self._connection.execute(_OF_MISSION, {"mission_id": mission_id}))

    def edges(self, mission_id: str) -> dict[str, list[str]]:
        """Return for each task of a mission with dependencies the tasks it depends on."""
        return self._needs(_EDGES, mission_id)

    def _needs(self, edges: Prepared, mission_id: str) -> dict[str, list[str]]:
        needs: dict[str, list[str]] = {}
        for task_id, wanted in edges.run(self._connection, {"mission_id": mission_id}):
            needs.setdefault(task_id, []).append(wanted)
        return needs

    def journal(self, mission_id: str, *, limit: int, after: PagePosition | None) -> list[tuple[JournalEntry, str]]:
        """Return entries of every kind with the names of their tasks, newest first."""
        statement = (
            select(*_ENTRIES.columns, tasks.c.name.label("task_name"))
            .join(tasks, tasks.c.id == journal.c.task_id)
            .where(journal.c.mission_id == mission_id, *older_than(after, journal.c))
            .order_by(journal.c.created_at.desc(), journal.c.id.desc())
            .limit(limit)
        )
        rows: list[Any] = list(self._connection.execute(statement))
        return [(_ENTRIES.entity(row), row.task_name) for row in rows]

    def count_journal(self, mission_id: str) -> int:
        counted = select(func.count()).select_from(journal).where(journal.c.mission_id == mission_id)
        return int(self._connection.execute(counted).scalar_one())


def has_word(column: Column[Any], word: str) -> ColumnElement[bool]:
    """Return the condition that a text contains the word, given in lower case. SQLite, and PostgreSQL in some locales,
    only fold ASCII: the word's other letters are replaced one by one."""
    text: ColumnElement[str] = func.lower(column)
    for letter in sorted(set(word)):
        if not letter.isascii() and letter.upper() != letter:
            text = func.replace(text, letter.upper(), letter)
    return text.contains(word, autoescape=True)
