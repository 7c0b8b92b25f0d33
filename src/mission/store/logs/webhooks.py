"""Queries about webhooks: the last event delivered to each receiver."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, insert, select, update

from mission.domain.webhook import DeliveryProgress
from mission.store.columns import UtcTime
from mission.store.tables import webhooks

_GET = select(webhooks).where(webhooks.c.key == bindparam("wanted"))
_ADD = insert(webhooks)
_TAKE = (
    update(webhooks)
    .where(webhooks.c.key == bindparam("wanted"), webhooks.c.due_at <= bindparam("now", type_=UtcTime))
    .values(due_at=bindparam("until", type_=UtcTime))
)
_SAVE = (
    update(webhooks)
    .where(webhooks.c.key == bindparam("wanted"))
    .values(seq=bindparam("new_seq"), failures=bindparam("new_failures"), due_at=bindparam("next", type_=UtcTime))
)


class Webhooks:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, key: str) -> DeliveryProgress | None:
        row = self._connection.execute(_GET, {"wanted": key}).mappings().first()
        return None if row is None else DeliveryProgress(**row)

    def add(self, progress: DeliveryProgress) -> None:
        values = {"key": progress.key, "seq": progress.seq, "failures": progress.failures, "due_at": progress.due_at}
        self._connection.execute(_ADD, values)

    def take(self, key: str, *, now: datetime, until: datetime) -> bool:
        """Return whether the receiver is due and ours to serve until then."""
        return self._connection.execute(_TAKE, {"wanted": key, "now": now, "until": until}).rowcount == 1

    def save(self, progress: DeliveryProgress) -> None:
        values = {"wanted": progress.key, "new_seq": progress.seq, "new_failures": progress.failures}
        self._connection.execute(_SAVE, {**values, "next": progress.due_at})
