"""Periodic work, done by one daemon at a time: the daemon that moves the due time owns this run."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, bindparam, insert, select, update

from mission.store.columns import UtcTime
from mission.store.tables import jobs

_TAKE = (
    update(jobs)
    .where(jobs.c.name == bindparam("job"), jobs.c.due_at <= bindparam("now", type_=UtcTime))
    .values(due_at=bindparam("next", type_=UtcTime))
)
_KNOWN = select(jobs.c.name).where(jobs.c.name == bindparam("job"))
_ADD = insert(jobs)


class JobTurns:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self, name: str, *, now: datetime, every: timedelta) -> bool:
        """Return whether the job is due and now ours; a new job is due immediately."""
        if self._connection.execute(_KNOWN, {"job": name}).first() is None:
            self._connection.execute(_ADD, {"name": name, "due_at": now + every})
            return True
        return self._connection.execute(_TAKE, {"job": name, "now": now, "next": now + every}).rowcount == 1
