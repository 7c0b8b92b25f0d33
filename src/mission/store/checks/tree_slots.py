"""Queries about the slots of worktrees: a number, ports and a name of their own."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from mission.domain.checks.slot import TreeSlot
from mission.store.columns import UtcTime
from mission.store.tables import tree_slots

_OF = select(tree_slots).where(tree_slots.c.host_id == bindparam("host_id"), tree_slots.c.path == bindparam("path"))
_ALL = select(tree_slots).where(tree_slots.c.host_id == bindparam("host_id")).order_by(tree_slots.c.slot)
_ADD = insert(tree_slots)
_USE = (
    update(tree_slots)
    .where(tree_slots.c.host_id == bindparam("wanted_host"), tree_slots.c.path == bindparam("wanted_path"))
    .values(used_at=bindparam("at", type_=UtcTime))
)
_REMOVE = delete(tree_slots).where(
    tree_slots.c.host_id == bindparam("wanted_host"), tree_slots.c.path == bindparam("wanted_path")
)


class TreeSlots:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, *, host_id: str, path: str) -> TreeSlot | None:
        row = self._connection.execute(_OF, {"host_id": host_id, "path": path}).first()
        return None if row is None else TreeSlot(**row._mapping)

    def all(self, host_id: str) -> list[TreeSlot]:
        """List the slots of a host."""
        return [TreeSlot(**row._mapping) for row in self._connection.execute(_ALL, {"host_id": host_id})]

    def add(self, slot: TreeSlot) -> None:
        row = {name: getattr(slot, name) for name in TreeSlot.__dataclass_fields__}
        self._connection.execute(_ADD, row)

    def use(self, slot: TreeSlot, *, at: datetime) -> None:
        """Record that a slot is still in use."""
        self._connection.execute(_USE, {"wanted_host": slot.host_id, "wanted_path": slot.path, "at": at})

    def remove(self, *, host_id: str, path: str) -> None:
        """Free the slot of a worktree."""
        self._connection.execute(_REMOVE, {"wanted_host": host_id, "wanted_path": path})
