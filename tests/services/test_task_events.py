"""Who hears of a task that moved."""

from __future__ import annotations

import pytest

from mission.domain.missions.mission import Family
from mission.services import task_events
from tests.store.rows import at


@pytest.mark.parametrize("family", list(Family))
def test_a_workflow_tells_of_itself_whenever_one_of_its_tasks_moves(tx, rows, family):
    mission = rows.mission(family=family)
    task = rows.task(mission)
    tx.now = at(5)

    task_events.moved(tx, task)

    expected = ["task:updated", "workflow:updated"] if family is Family.WORKFLOW else ["task:updated"]
    assert [event.type for event in tx.emitted] == expected
    assert tx.missions.get(mission.id).updated_at == at(5)
