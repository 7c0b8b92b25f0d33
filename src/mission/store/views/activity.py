"""Queries for how work went: from when to when tasks were worked on, and things waited for a person."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, or_, select

from mission.store.columns import UtcTime
from mission.store.tables import missions, queue_items, tasks
from mission.store.views.overview import IN_HAND, OPEN_MISSION

_SINCE = bindparam("since", type_=UtcTime)
_SPAN = (tasks.c.id, tasks.c.started_at, tasks.c.completed_at)
_OF_MISSIONS = select(*_SPAN).select_from(missions).join(tasks, tasks.c.mission_id == missions.c.id)
_ENDED = (
    _OF_MISSIONS.where(missions.c.updated_at > _SINCE, tasks.c.completed_at > _SINCE, tasks.c.started_at.is_not(None))
    .order_by(tasks.c.completed_at.desc())
    .limit(bindparam("limit"))
)
_IN_HAND = _OF_MISSIONS.where(*OPEN_MISSION, *IN_HAND, tasks.c.started_at.is_not(None)).limit(bindparam("limit"))
_WAITED = (
    select(queue_items.c.task_id, queue_items.c.created_at, queue_items.c.closed_at)
    .where(or_(queue_items.c.closed_at.is_(None), queue_items.c.closed_at > _SINCE))
    .order_by(queue_items.c.created_at.desc())
    .limit(bindparam("limit"))
)


class Activities:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def worked(self, *, since: datetime, limit: int) -> Sequence[Any]:
        """Tasks that are worked on, and those that ended after the moment, the latest so many of each."""
        asked = {"since": since, "limit": limit}
        return [*self._connection.execute(_ENDED, asked), *self._connection.execute(_IN_HAND, {"limit": limit})]

    def waited(self, *, since: datetime, limit: int) -> Sequence[Any]:
        """Items that are open, and those closed after the moment, the latest so many."""
        return list(self._connection.execute(_WAITED, {"since": since, "limit": limit}))
