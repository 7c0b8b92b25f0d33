"""Queries about the event log: numbering, appending, reading from a number on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, bindparam, cast, delete, func, insert, select, update

from mission.domain.timestamps import format_time
from mission.store.columns import UtcTime
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import event_counter, events

_NEWEST_ROW = 1
_FIRST_ROW = 2
"""Rows of the counter: the last number used; and, after a restore, the first that does not come from the backup."""

_IS_NEWEST = event_counter.c.id == _NEWEST_ROW
_ADVANCE = Prepared(
    update(event_counter)
    .where(_IS_NEWEST)
    .values(seq=event_counter.c.seq + bindparam("more"))
    .returning(event_counter.c.seq)
)
_INSERT = Prepared(insert(events))
_NEWEST = select(event_counter.c.seq).where(_IS_NEWEST)
_FIRST = select(event_counter.c.seq).where(event_counter.c.id == _FIRST_ROW)
_OLDEST = select(func.min(events.c.seq))
_SINCE = select(events).where(events.c.seq > bindparam("since")).order_by(events.c.seq).limit(bindparam("limit"))
_SINCE_OF_MISSION = (
    select(events)
    .where(events.c.mission_id == bindparam("mission_id"), events.c.seq > bindparam("since"))
    .order_by(events.c.seq)
    .limit(bindparam("limit"))
)
_NEWEST_ABOUT = (
    select(events)
    .where(
        events.c.mission_id == bindparam("mission_id"),
        events.c.type.in_(bindparam("types", expanding=True)),
        cast(events.c.data, Text).like(bindparam("words")),
    )
    .order_by(events.c.seq.desc())
    .limit(bindparam("limit"))
)
_OLDEST_FEW = select(events.c.seq).order_by(events.c.seq).limit(bindparam("limit"))
_EXPIRED = delete(events).where(events.c.seq.in_(_OLDEST_FEW), events.c.at < bindparam("before", type_=UtcTime))


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One row of the event log."""

    seq: int
    type: str
    at: datetime
    mission_id: str | None
    agent_ids: Sequence[str]
    data: dict[str, Any]

    def frame(self) -> dict[str, Any]:
        """Return the event in the form that readers get."""
        return {
            "seq": self.seq,
            "type": self.type,
            "at": format_time(self.at),
            "mission_id": self.mission_id,
            "data": self.data,
        }


class EventRows:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def append(self, rows: Sequence[dict[str, Any]]) -> list[StoredEvent]:
        """Number and insert the events. Must be last before COMMIT: the counter's row lock orders commits."""
        [(last,)] = _ADVANCE.run(self._connection, {"more": len(rows)})
        stored = [StoredEvent(seq=seq, **row) for seq, row in enumerate(rows, start=last - len(rows) + 1)]
        _INSERT.run(self._connection, *({"seq": event.seq, **row} for event, row in zip(stored, rows, strict=True)))
        return stored

    def newest(self) -> int:
        return int(self._connection.execute(_NEWEST).scalar_one())

    def oldest(self) -> int:
        """Return the number of the oldest event from which a reader can continue, or the next one if there is none.

        Readers cannot continue across a restore: events seen before it may be undone, but their numbers stay used.
        """
        oldest = self._connection.execute(_OLDEST).scalar()
        first = self._connection.execute(_FIRST).scalar()
        return max(self.newest() + 1 if oldest is None else int(oldest), first or 0)

    def continue_after(self, highest: int) -> None:
        """Mark a restore: readers that know numbers missing from the backup must start over."""
        if self.newest() >= highest:
            return
        self._connection.execute(update(event_counter).where(_IS_NEWEST).values(seq=highest + 1))
        self._connection.execute(delete(event_counter).where(event_counter.c.id == _FIRST_ROW))
        self._connection.execute(insert(event_counter).values(id=_FIRST_ROW, seq=highest + 2))

    def since(self, seq: int, *, limit: int, mission_id: str | None = None) -> list[StoredEvent]:
        if mission_id is None:
            rows = self._connection.execute(_SINCE, {"since": seq, "limit": limit})
        else:
            values = {"since": seq, "limit": limit, "mission_id": mission_id}
            rows = self._connection.execute(_SINCE_OF_MISSION, values)
        return [StoredEvent(*row) for row in rows]

    def about(self, id: str, *, mission_id: str, types: Sequence[str], limit: int) -> list[StoredEvent]:
        """Return the newest events of a mission that name the id, in order."""
        values = {"mission_id": mission_id, "types": list(types), "words": f"%{id}%", "limit": limit}
        return [StoredEvent(*row) for row in self._connection.execute(_NEWEST_ABOUT, values)][::-1]

    def remove_before(self, moment: datetime, *, limit: int) -> int:
        """Remove events from before the moment, the oldest first, as many as one transaction should."""
        return self._connection.execute(_EXPIRED, {"before": moment, "limit": limit}).rowcount
