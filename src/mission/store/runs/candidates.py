"""Queries about the candidates of runs."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam

from mission.domain.errors import NotFound
from mission.domain.runs.candidate import OPEN, Candidate
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import candidates

_MAPPER = Mapper(candidates, Candidate)
_OLDEST_FIRST = (candidates.c.created_at, candidates.c.id)
_OPEN = candidates.c.state.in_([str(state) for state in OPEN])
_OF_RUN = _MAPPER.select.where(candidates.c.run_id == bindparam("run_id")).order_by(*_OLDEST_FIRST)
_OF_TASK = _MAPPER.select.where(candidates.c.task_id == bindparam("task_id")).order_by(*_OLDEST_FIRST)
_OPEN_OF_RUN = _OF_RUN.where(_OPEN)
_OPEN_OF_TASK = _OF_TASK.where(_OPEN)


class Candidates:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Candidate:
        candidate = self.find(id)
        if candidate is None:
            raise NotFound(f"there is no candidate {id[:60]}", candidate_id=id[:60])
        return candidate

    def find(self, id: str) -> Candidate | None:
        return _MAPPER.get(self._connection, id)

    def add(self, candidate: Candidate) -> None:
        _MAPPER.insert(self._connection, candidate)

    def save(self, candidate: Candidate) -> None:
        _MAPPER.save(self._connection, candidate)

    def of_run(self, run_id: str) -> list[Candidate]:
        """List the candidates of a run, oldest first."""
        return self._all(_OF_RUN, run_id=run_id)

    def open_of_run(self, run_id: str) -> list[Candidate]:
        """List the candidates of a run that may still be merged, oldest first."""
        return self._all(_OPEN_OF_RUN, run_id=run_id)

    def of_task(self, task_id: str) -> list[Candidate]:
        """List the candidates of a task, oldest first."""
        return self._all(_OF_TASK, task_id=task_id)

    def open_of_task(self, task_id: str) -> Candidate | None:
        """Return the candidate of a task that may still be merged."""
        found = self._all(_OPEN_OF_TASK, task_id=task_id)
        return found[-1] if found else None

    def _all(self, statement: Any, **values: Any) -> list[Candidate]:
        return [_MAPPER.entity(row) for row in self._connection.execute(statement, values)]
