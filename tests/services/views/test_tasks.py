"""Tasks as a list that can be narrowed, page by page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import AgentNotFound, NotFound
from mission.services.views import tasks as task_list
from tests.store.rows import IN_TRANSACTION, at, undone


def page(tx, **wanted):
    given = {"mission_id": None, "states": None, "fits": bool, "agent_id": None, "limit": 9, "cursor": None}
    return task_list.list_tasks(tx, **{**given, **wanted})


@IN_TRANSACTION
@given(attempts=st.lists(st.integers(0, 2), max_size=9), limit=st.integers(1, 3), wanted=st.integers(0, 2))
def test_pages_are_full_however_few_rows_fit(tx, attempts, limit, wanted):
    with undone(tx) as rows:
        mission = rows.mission()
        tasks = [rows.task(mission, attempts=each, created_at=at(minute)) for minute, each in enumerate(attempts)]
        expected = [task.id for task in reversed(tasks) if task.attempts == wanted]

        found, cursor = [], None
        while True:
            some = page(
                tx, mission_id=mission.id, fits=lambda task: task.attempts == wanted, limit=limit, cursor=cursor
            )
            found += [task.id for task in some.rows]
            cursor = some.next
            if cursor is None:
                break
            assert len(some.rows) == limit

        assert found == expected


def test_an_unknown_mission_or_agent_is_an_error_and_not_an_empty_list(tx, rows):
    agent = rows.agent("ada")
    task = rows.task(rows.mission(), owner_id=agent.id)

    assert [each.id for each in page(tx, agent_id="ada").rows] == [task.id]
    with pytest.raises(NotFound):
        page(tx, mission_id="m_nowhere000")
    with pytest.raises(AgentNotFound):
        page(tx, agent_id="nobody")
