"""Queries about the lines that ended tasks changed."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, delete, insert, select

from mission.domain.tasks.patch import Patch
from mission.store.tables import task_patches

_GET = select(task_patches.c.content).where(task_patches.c.task_id == bindparam("wanted"))
_ADD = insert(task_patches)
_REMOVE = delete(task_patches).where(task_patches.c.task_id == bindparam("wanted"))


class Patches:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, task_id: str) -> Patch | None:
        """Return the patch of the task's last attempt; None if none was kept."""
        content = self._connection.execute(_GET, {"wanted": task_id}).scalar()
        return None if content is None else Patch.unpacked(content)

    def put(self, task_id: str, packed: str | None) -> None:
        """Store the result of `Patch.packed`, replacing that of an earlier attempt."""
        self.remove(task_id)
        if packed is not None:
            self._connection.execute(_ADD, {"task_id": task_id, "content": packed})

    def remove(self, task_id: str) -> None:
        self._connection.execute(_REMOVE, {"wanted": task_id})
