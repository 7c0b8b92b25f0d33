"""Queries about the journal: decisions, issues, milestones, checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, or_, select, update

from mission.domain.message import SYSTEM
from mission.domain.tasks.journal import EntryKind, JournalEntry
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import Filter, PagePosition, older_than
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import journal, tasks
from mission.store.tasks.tasks import no_task

_MAPPER = Mapper(journal, JournalEntry)
_NEXT_SEQUENCE = Prepared(
    update(tasks)
    .where(tasks.c.id == bindparam("row_id"))
    .values(entries=tasks.c.entries + 1)
    .returning(
        tasks.c.entries,
        tasks.c.mission_id,
        tasks.c.phase_number,
        tasks.c.agent_name,
        tasks.c.owner_id,
    )
)
_OF_TASK = (
    _MAPPER.select.where(
        journal.c.task_id == bindparam("task_id"),
        journal.c.kind.in_(bindparam("kinds", expanding=True)),
        journal.c.sequence > bindparam("since"),
    )
    .order_by(journal.c.sequence)
    .limit(bindparam("limit"))
)
_RESOLVE = update(journal).where(journal.c.id == bindparam("row_id"), journal.c.open_blocker).values(open_blocker=False)
_LATEST_OF_TASK = (
    _MAPPER.select.where(journal.c.task_id == bindparam("task_id"))
    .order_by(journal.c.sequence.desc())
    .limit(bindparam("limit"))
)
_LAST_WORDS = (
    _MAPPER.select.where(
        journal.c.task_id == bindparam("task_id"), or_(journal.c.author.is_(None), journal.c.author != SYSTEM)
    )
    .order_by(journal.c.sequence.desc())
    .limit(1)
)


class Counted(NamedTuple):
    """The facts about its task that an entry needs; `entries` already includes it."""

    entries: int
    mission_id: str
    phase_number: int
    agent_name: str | None
    owner_id: str | None


class Journal:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def next_sequence(self, task_id: str) -> Counted:
        """Count one more entry on the task; return its number and the facts about the task."""
        rows = _NEXT_SEQUENCE.run(self._connection, {"row_id": task_id})
        if not rows:
            raise no_task(task_id)
        return Counted(*rows[0])

    def add(self, entry: JournalEntry) -> None:
        _MAPPER.insert(self._connection, entry)

    def resolve(self, id: str) -> bool:
        """Resolve the entry if it is an open blocker; return whether it was."""
        return self._connection.execute(_RESOLVE, {"row_id": id}).rowcount == 1

    def of_task(self, task_id: str, *, kinds: Sequence[EntryKind], since: int, limit: int) -> list[JournalEntry]:
        """Return the first entries of a task after a number, ascending."""
        words = [kind.value for kind in kinds]
        values = {"task_id": task_id, "kinds": words, "since": since, "limit": limit}
        return [_MAPPER.entity(row) for row in self._connection.execute(_OF_TASK, values)]

    def latest_of_task(self, task_id: str, *, limit: int) -> list[JournalEntry]:
        """Return the last entries of a task, ascending."""
        rows = self._connection.execute(_LATEST_OF_TASK, {"task_id": task_id, "limit": limit}).all()
        return [_MAPPER.entity(row) for row in reversed(rows)]

    def last_words(self, task_id: str) -> JournalEntry | None:
        """Return the last entry of a task that was not written by Mission Control."""
        row = self._connection.execute(_LAST_WORDS, {"task_id": task_id}).first()
        return None if row is None else _MAPPER.entity(row)

    def page(
        self,
        mission_id: str,
        kind: EntryKind,
        chosen: Filter,
        *,
        limit: int,
        after: PagePosition | None,
        blockers: bool = False,
    ) -> list[JournalEntry]:
        """Return entries of one kind, newest first; with `blockers`, only issues that still wait for a person."""
        where = [*self._where(mission_id, kind, chosen, blockers=blockers), *older_than(after, journal.c)]
        order = (journal.c.created_at.desc(), journal.c.id.desc())
        statement = _MAPPER.select.where(*where).order_by(*order).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]

    def count(self, mission_id: str, kind: EntryKind, chosen: Filter, *, blockers: bool = False) -> int:
        where = self._where(mission_id, kind, chosen, blockers=blockers)
        return int(self._connection.execute(select(func.count()).select_from(journal).where(*where)).scalar_one())

    def _where(self, mission_id: str, kind: EntryKind, chosen: Filter, *, blockers: bool) -> list[Any]:
        where = [journal.c.mission_id == mission_id, journal.c.kind == kind.value, *chosen.conditions(journal.c)]
        return [*where, journal.c.open_blocker] if blockers else where
