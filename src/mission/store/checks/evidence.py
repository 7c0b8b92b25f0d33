"""Queries about evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, or_, select

from mission.domain.actions import Action
from mission.domain.checks.evidence import UNFINISHED, Evidence, EvidenceState, Place, ProofState, Role
from mission.domain.checks.round import RoundState
from mission.domain.errors import NotFound
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.pages import PagePosition, older_than
from mission.store.tables import check_rounds, evidence, tasks

_MAPPER = Mapper(evidence, Evidence)
_UNFINISHED_WORDS = sorted(map(str, UNFINISHED))
_OLDEST_FIRST = (evidence.c.created_at, evidence.c.id)
_NEWEST_FIRST = (evidence.c.created_at.desc(), evidence.c.id.desc())
_OF_ROUND = _MAPPER.select.where(evidence.c.round_id == bindparam("round_id")).order_by(*_OLDEST_FIRST)
_OF_TASK = _MAPPER.select.where(evidence.c.task_id == bindparam("task_id")).order_by(*_NEWEST_FIRST)
_UNFINISHED_ON_HOST = (
    select(*_MAPPER.columns)
    .join(check_rounds, check_rounds.c.id == evidence.c.round_id)
    .where(evidence.c.state.in_(_UNFINISHED_WORDS), evidence.c.host_id == bindparam("host_id"))
    .order_by(*_OLDEST_FIRST)
)
_UNFINISHED = _UNFINISHED_ON_HOST.where(
    or_(
        evidence.c.state == str(EvidenceState.RUNNING),
        check_rounds.c.holder_until > bindparam("now", type_=UtcTime),
    )
)
_IN_ENDED_ROUNDS = _UNFINISHED_ON_HOST.where(check_rounds.c.state != str(RoundState.OPEN))
_LAST_STARTED = (
    select(evidence.c.mission_id, func.max(evidence.c.started_at, type_=UtcTime))
    .where(evidence.c.mission_id.in_(bindparam("missions", expanding=True)))
    .group_by(evidence.c.mission_id)
)
_PASSED = (
    _MAPPER.select.where(
        evidence.c.state == str(EvidenceState.PASSED),
        evidence.c.definition == bindparam("definition"),
        evidence.c.tree == bindparam("tree"),
        evidence.c.created_at >= bindparam("since", type_=UtcTime),
        evidence.c.host_id == bindparam("host_id"),
        evidence.c.role.in_([str(Role.RESULT)]),
        evidence.c.place == bindparam("place"),
        evidence.c.flaky.is_(False),
        evidence.c.reused_from.is_(None),
    )
    .order_by(*_NEWEST_FIRST)
    .limit(20)
)
_COUNTED = (
    _MAPPER.select.where(
        evidence.c.definition == bindparam("definition"),
        evidence.c.tree == bindparam("tree"),
        evidence.c.tests_run.is_not(None),
    )
    .order_by(*_NEWEST_FIRST)
    .limit(1)
)
_LEFT_FILES = (
    select(evidence.c.left_files)
    .join(check_rounds, check_rounds.c.id == evidence.c.round_id)
    .where(
        evidence.c.left_files.is_not(None),
        evidence.c.host_id == bindparam("host_id"),
        check_rounds.c.path == bindparam("path"),
        evidence.c.role == str(Role.RESULT),
    )
    .order_by(evidence.c.ended_at, evidence.c.id)
)
_ENDED_AT = select(evidence.c.id, evidence.c.ended_at).where(evidence.c.id.in_(bindparam("ids", expanding=True)))
_PROOF_COUNTS = (
    select(tasks.c.mission_id, tasks.c.proof_state, func.count())
    .where(tasks.c.mission_id.in_(bindparam("missions", expanding=True)), tasks.c.proof_state.is_not(None))
    .group_by(tasks.c.mission_id, tasks.c.proof_state)
)
_PROOFS = select(tasks.c.id, tasks.c.proof).where(
    tasks.c.mission_id == bindparam("mission_id"), tasks.c.proof_state.is_not(None)
)


class EvidenceRows:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, id: str) -> Evidence | None:
        return _MAPPER.get(self._connection, id)

    def get(self, id: str) -> Evidence:
        found = self.find(id)
        if found is None:
            raise NotFound(f"there is no evidence {id[:60]}", action=Action.FIND_EVIDENCE, evidence_id=id[:60])
        return found

    def add(self, *rows: Evidence) -> None:
        if rows:
            _MAPPER.insert(self._connection, *rows)

    def save(self, row: Evidence) -> None:
        _MAPPER.save(self._connection, row)

    def of_round(self, round_id: str) -> list[Evidence]:
        """List the evidence of a round, oldest first."""
        return self._all(_OF_ROUND, round_id=round_id)

    def of_task(self, task_id: str, *, limit: int) -> list[Evidence]:
        """List the evidence of a task, newest first."""
        return self._all(_OF_TASK.limit(limit), task_id=task_id)

    def unfinished(self, *, host_id: str, now: datetime) -> list[Evidence]:
        """List what runs on a host, and what is queued in rounds that a live process drives.

        A command outlives the process that drives its round, so it counts until its end is known.
        """
        return self._all(_UNFINISHED, host_id=host_id, now=now)

    def unfinished_in_ended_rounds(self, *, host_id: str) -> list[Evidence]:
        """List what may still run on a host although its round has ended."""
        return self._all(_IN_ENDED_ROUNDS, host_id=host_id)

    def last_started(self, missions: Collection[str]) -> Mapping[str, datetime]:
        """Return when each of these missions last started a check."""
        rows = self._connection.execute(_LAST_STARTED, {"missions": sorted(missions)})
        return {mission_id: at for mission_id, at in rows if at is not None}

    def reusable(
        self, *, definition: str, tree: str, place: Place, setup: str | None, host_id: str, since: datetime
    ) -> Evidence | None:
        """Return evidence that this definition passed on this tree in such a place, if there is some."""
        found = self._all(_PASSED, definition=definition, tree=tree, place=str(place), host_id=host_id, since=since)
        return next((each for each in found if each.setup == setup), None)

    def counted(self, *, definition: str, tree: str) -> Evidence | None:
        """Return the newest evidence of this definition on this tree that counted tests."""
        return next(iter(self._all(_COUNTED, definition=definition, tree=tree)), None)

    def left_files(self, *, host_id: str, path: str) -> dict[str, str]:
        """Return the untracked files that checks left in a tree, with the content that they left."""
        rows = self._connection.execute(_LEFT_FILES, {"host_id": host_id, "path": path}).scalars()
        return {name: content for files in rows for name, content in files.items()}

    def ended_at(self, ids: Sequence[str]) -> dict[str, datetime | None]:
        """Return when each of these ended, None while it has not; those that do not exist are left out."""
        return {row.id: row.ended_at for row in self._connection.execute(_ENDED_AT, {"ids": list(ids)})}

    def proof_counts(self, mission_id: str) -> dict[ProofState, int]:
        """Return how many tasks of a mission are in each state of proof."""
        return self.proof_counts_of([mission_id]).get(mission_id, {})

    def proof_counts_of(self, missions: Collection[str]) -> dict[str, dict[ProofState, int]]:
        """Return how many tasks of each mission are in each state of proof."""
        found: dict[str, dict[ProofState, int]] = {}
        for mission_id, state, count in self._connection.execute(_PROOF_COUNTS, {"missions": sorted(missions)}):
            found.setdefault(mission_id, {})[ProofState(state)] = count
        return found

    def proofs(self, mission_id: str) -> dict[str, Mapping[str, Any]]:
        """Return what is known about the result of each task of a mission, by task."""
        rows = self._connection.execute(_PROOFS, {"mission_id": mission_id})
        return {task_id: proof for task_id, proof in rows if proof is not None}

    def page(
        self,
        *,
        task_id: str | None,
        mission_id: str | None,
        states: Sequence[str] | None,
        limit: int,
        after: PagePosition | None,
    ) -> list[Evidence]:
        """List evidence, newest first."""
        where: list[ColumnElement[bool]] = [*older_than(after, evidence.c)]
        if task_id is not None:
            where.append(evidence.c.task_id == task_id)
        if mission_id is not None:
            where.append(evidence.c.mission_id == mission_id)
        if states is not None:
            where.append(evidence.c.state.in_(list(states)))
        statement = _MAPPER.select.where(*where).order_by(*_NEWEST_FIRST).limit(limit)
        return [_MAPPER.entity(row) for row in self._connection.execute(statement)]

    def _all(self, statement: Any, **values: Any) -> list[Evidence]:
        return [_MAPPER.entity(row) for row in self._connection.execute(statement, values)]
