"""Tasks of one mission or of all, as a list that can be filtered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mission.domain.tasks.task import Task
from mission.services.agents import registration as agents
from mission.services.paging import Page, cut_page, fitting, position_of, row_cursor
from mission.store.sql.pages import PagePosition
from mission.store.tasks.tasks import TaskState
from mission.store.transaction import Tx


def list_tasks(
    tx: Tx,
    *,
    mission_id: str | None,
    states: Sequence[TaskState] | None,
    fits: Callable[[Task], bool],
    agent_id: str | None,
    limit: int,
    cursor: str | None,
) -> Page[Task]:
    """Return tasks, newest first, and the next cursor; without a mission, those of all that are not archived.

    `states` limits what is read to states that may match; the agent is given by id or name.
    """
    if mission_id is not None:
        tx.missions.get(mission_id)
    owner_id = agents.find(tx, reference=agent_id, field="agent_id").id if agent_id is not None else None

    def read(limit: int, after: PagePosition | None) -> list[Task]:
        return tx.tasks.listed(mission_id=mission_id, states=states, owner_id=owner_id, limit=limit, after=after)

    found = fitting(read, fits=fits, limit=limit + 1, after=position_of(cursor, kind="task"))
    return cut_page(found, limit=limit, cursor=row_cursor)
