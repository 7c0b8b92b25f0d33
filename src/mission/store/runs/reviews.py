"""Queries about reviews of candidates."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, bindparam

from mission.domain.reviews.review import Review
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import reviews

_MAPPER = Mapper(reviews, Review)
_NEWEST_FIRST = (reviews.c.created_at.desc(), reviews.c.id.desc())
_OF_CANDIDATE = _MAPPER.select.where(reviews.c.candidate_id == bindparam("candidate_id")).order_by(*_NEWEST_FIRST)
_OF_TASK = _MAPPER.select.where(reviews.c.task_id == bindparam("task_id")).order_by(*_NEWEST_FIRST)
_OF_EXECUTION = _MAPPER.select.where(reviews.c.execution_id == bindparam("execution_id"))


class Reviews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, review: Review) -> None:
        _MAPPER.insert(self._connection, review)

    def of_candidate(self, candidate_id: str) -> list[Review]:
        """List the reviews of a candidate, newest first."""
        return self._all(_OF_CANDIDATE, candidate_id=candidate_id)

    def of_task(self, task_id: str) -> list[Review]:
        """List the reviews of a task's candidates, newest first."""
        return self._all(_OF_TASK, task_id=task_id)

    def of_execution(self, execution_id: str) -> Review | None:
        """Return the review that an execution submitted, if it did."""
        return next(iter(self._all(_OF_EXECUTION, execution_id=execution_id)), None)

    def _all(self, statement: Any, **values: Any) -> list[Review]:
        return [_MAPPER.entity(row) for row in self._connection.execute(statement, values)]
