"""Queries for viewers of workspaces: the tasks in each, with the names of their mission and agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, select

from mission.store.tables import agents, missions, tasks

_TASKS = (
    select(
        tasks.c.workspace_id,
        tasks.c.id,
        tasks.c.name,
        tasks.c.status,
        tasks.c.quality,
        tasks.c.hold,
        tasks.c.waiting_for,
        tasks.c.proof_state,
        agents.c.name.label("agent_name"),
    )
    .outerjoin(agents, agents.c.id == tasks.c.owner_id)
    .where(tasks.c.workspace_id.in_(bindparam("ids", expanding=True)))
    .order_by(tasks.c.phase_number, tasks.c.position, tasks.c.id)
)
_MISSIONS = select(missions.c.id, missions.c.name).where(missions.c.id.in_(bindparam("ids", expanding=True)))


class WorkspaceViews:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def tasks(self, workspace_ids: Sequence[str]) -> list[Any]:
        """Return the tasks of these workspaces in plan order, with the names of their agents."""
        return list(self._connection.execute(_TASKS, {"ids": list(workspace_ids)}))

    def mission_names(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the names of missions."""
        return {row.id: row.name for row in self._connection.execute(_MISSIONS, {"ids": list(ids)})}
