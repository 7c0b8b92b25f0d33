"""Queries about reported failures: one row for each cause and reader."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from mission.domain.inbox.failure_report import ReportedFailure
from mission.store.columns import UtcTime
from mission.store.tables import incidents

_GET = select(incidents.c.key, incidents.c.told_at, incidents.c.times).where(incidents.c.key == bindparam("wanted"))
_COUNT = update(incidents).where(incidents.c.key == bindparam("wanted")).values(times=incidents.c.times + 1)
_FORGET = delete(incidents).where(incidents.c.key == bindparam("wanted"))
_ADD = insert(incidents)
_REMOVE = delete(incidents).where(incidents.c.told_at < bindparam("moment", type_=UtcTime))


class FailureReports:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> ReportedFailure | None:
        row = self._connection.execute(_GET, {"wanted": key}).first()
        return None if row is None else ReportedFailure(key=row.key, told_at=row.told_at, times=row.times)

    def count(self, key: str) -> None:
        """Count another occurrence that is not reported."""
        self._connection.execute(_COUNT, {"wanted": key})

    def mark_reported(self, key: str, *, now: datetime) -> None:
        """Record that it is reported now; restart the count."""
        self._connection.execute(_FORGET, {"wanted": key})
        self._connection.execute(_ADD, {"key": key, "told_at": now, "times": 0})

    def remove_before(self, moment: datetime) -> int:
        return self._connection.execute(_REMOVE, {"moment": moment}).rowcount
