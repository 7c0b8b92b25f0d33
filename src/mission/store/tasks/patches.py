"""Queries about the lines that ended tasks changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection, bindparam, delete, insert, select

from mission.domain.tasks.patch import LineCount, Patch, StoredPatch
from mission.store.tables import task_patches, tasks

_GET = select(task_patches.c.content).where(task_patches.c.task_id == bindparam("wanted"))
_ADD = insert(task_patches)
_REMOVE = delete(task_patches).where(task_patches.c.task_id == bindparam("wanted"))
_COUNTS = select(task_patches.c.task_id, task_patches.c.lines)
_OF_MISSION = _COUNTS.join(tasks, tasks.c.id == task_patches.c.task_id).where(
    tasks.c.mission_id == bindparam("mission_id")
)
_OF_TASKS = _COUNTS.where(task_patches.c.task_id.in_(bindparam("ids", expanding=True)))

Counts = Mapping[str, LineCount | None]


class Patches:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, task_id: str) -> Patch | None:
        """Return the patch of the task's last attempt; None if none was kept."""
        content = self._connection.execute(_GET, {"wanted": task_id}).scalar()
        return None if content is None else Patch.unpacked(content)

    def counts_of_mission(self, mission_id: str) -> dict[str, Counts]:
        """Return the counted lines by path for each task of a mission that has a patch."""
        return _by_task(self._connection.execute(_OF_MISSION, {"mission_id": mission_id}).all())

    def counts_of(self, task_ids: Sequence[str]) -> dict[str, Counts]:
        """Return the counted lines by path for those of the tasks that have a patch."""
        return _by_task(self._connection.execute(_OF_TASKS, {"ids": list(task_ids)}).all())

    def put(self, task_id: str, patch: StoredPatch | None) -> None:
        """Store a patch, replacing that of an earlier attempt."""
        self.remove(task_id)
        if patch is None:
            return
        added, removed = patch.total
        values = {"task_id": task_id, "content": patch.content, "lines": dict(patch.counts)}
        self._connection.execute(_ADD, {**values, "added": added, "removed": removed})

    def remove(self, task_id: str) -> None:
        self._connection.execute(_REMOVE, {"wanted": task_id})


def _by_task(rows: Iterable[tuple[str, Mapping[str, Sequence[int] | None]]]) -> dict[str, Counts]:
    return {
        task_id: {path: None if count is None else LineCount(*count) for path, count in (lines or {}).items()}
        for task_id, lines in rows
    }
