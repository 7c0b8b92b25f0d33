"""Queries about activity: the periods in which tasks were worked on, and items waited for a person."""

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
        """Return active tasks, and those that ended after the moment, the latest of each up to the limit."""
        asked = {"since": since, "limit": limit}
        return [*self._connection.execute(_ENDED, asked), *self._connection.execute(_IN_HAND, {"limit": limit})]

    def waited(self, *, since: datetime, limit: int) -> Sequence[Any]:
        """Return open items, and those closed after the moment, the latest up to the limit."""
        return list(self._connection.execute(_WAITED, {"since": since, "limit": limit}))
