"""Queries about workspaces and their tasks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, update

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.tasks.workspace import Workspace, WorkspaceStatus
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import tasks, workspaces

_MAPPER = Mapper(workspaces, Workspace)
_AT = _MAPPER.select.where(
    workspaces.c.host_id == bindparam("host_id"),
    workspaces.c.path == bindparam("path"),
    workspaces.c.removed_at.is_(None),
)
_ON_BRANCH = _MAPPER.select.where(
    workspaces.c.mission_id == bindparam("mission_id"), workspaces.c.branch == bindparam("branch")
)
_TASKS = (
    select(tasks.c.workspace_id, tasks.c.id)
    .where(tasks.c.workspace_id.in_(bindparam("ids", expanding=True)))
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.id)
)
_ASSIGN = (
    update(tasks)
    .where(tasks.c.id == bindparam("row_id"))
    .values(workspace_id=bindparam("new_workspace"), updated_at=bindparam("now", type_=UtcTime))
)


class Workspaces:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Workspace:
        """Return the workspace, or raise an error that says how to find one."""
        found = _MAPPER.get(self._connection, id)
        if found is None:
            raise NotFound(
                f"there is no workspace {id}",
                action=Action.FIND_WORKSPACE,
                workspace_id=id,
            )
        return found

    def add(self, workspace: Workspace) -> None:
        _MAPPER.insert(self._connection, workspace)

    def save(self, workspace: Workspace) -> None:
        _MAPPER.save(self._connection, workspace)

    def at(self, *, host_id: str, path: str) -> Workspace | None:
        """Return the current workspace at this path."""
        row = self._connection.execute(_AT, {"host_id": host_id, "path": path}).first()
        return None if row is None else _MAPPER.entity(row)

    def on_branch(self, mission_id: str, branch: str) -> list[Workspace]:
        """Return workspaces that a mission has had on that branch, including removed ones."""
        rows = self._connection.execute(_ON_BRANCH, {"mission_id": mission_id, "branch": branch})
        return [_MAPPER.entity(row) for row in rows]

    def page(
        self,
        *,
        mission_id: str | None,
        statuses: Sequence[WorkspaceStatus] | None,
        removed: bool,
        limit: int,
        offset: int,
    ) -> tuple[list[Workspace], int]:
        """Return a page of workspaces, the newest first, and how many there are; removed ones only on request."""
        where: list[ColumnElement[bool]] = []
        if mission_id is not None:
            where.append(workspaces.c.mission_id == mission_id)
        if statuses is not None:
            where.append(workspaces.c.status.in_([status.value for status in statuses]))
        if not removed:
            where.append(workspaces.c.removed_at.is_(None))
        newest_first = (workspaces.c.created_at.desc(), workspaces.c.id)
        page = _MAPPER.select.where(*where).order_by(*newest_first).limit(limit).offset(offset)
        counted = select(func.count()).select_from(workspaces).where(*where)
        total = int(self._connection.execute(counted).scalar_one())
        return [_MAPPER.entity(row) for row in self._connection.execute(page)], total

    def task_ids(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """Return for each workspace its tasks, in plan order."""
        found: dict[str, list[str]] = {id: [] for id in ids}
        for row in self._connection.execute(_TASKS, {"ids": list(ids)}):
            found[row.workspace_id].append(row.id)
        return found

    def assign(self, task_id: str, workspace_id: str, *, now: datetime) -> None:
        """Assign the task to the workspace."""
        self._connection.execute(_ASSIGN, {"row_id": task_id, "new_workspace": workspace_id, "now": now})
