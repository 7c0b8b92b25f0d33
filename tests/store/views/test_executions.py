"""Launched agents with the names of what they work on, and what they used."""

from __future__ import annotations

from mission.domain.executions.execution import ExecutionStatus
from mission.domain.tasks.states import TaskStatus
from tests.store.rows import at


def test_executions_come_newest_first_with_names_also_when_the_agent_is_unknown(tx, rows):
    task = rows.task(rows.mission(), "Sort", status=TaskStatus.REVIEW)
    agent = rows.agent("ada")
    old = rows.execution(task, agent_id=agent.id, created_at=at(1))
    new = rows.execution(task, agent_id="a_unknown", created_at=at(2), status=ExecutionStatus.LOST)

    def listed(statuses=None, after=None):
        page = tx.execution_views.page(statuses=statuses, mission_id=None, limit=9, after=after)
        return [(execution.id, row.agent_name, row.task_name, row.task_status) for execution, row in page]

    assert listed() == [(new.id, None, "Sort", "review"), (old.id, "ada", "Sort", "review")]
    assert listed(statuses=["lost"]) == listed()[:1]
    assert listed(after=(at(2), new.id)) == listed()[1:]
    assert tx.execution_views.counts(mission_id=None) == {"starting": 1, "lost": 1}


def test_use_is_told_by_clients_per_agent_and_by_tasks_per_owner(tx, rows):
    mission = rows.mission()
    task = rows.task(mission, owner_id="a_1", metadata={"tokens_input": 5})
    rows.task(mission, owner_id="a_2", metadata={"tokens_input": 7})
    rows.task(mission, owner_id="a_1")
    rows.execution(task, agent_id="a_1", usage={"tokens_output": 2})
    rows.execution(task, agent_id="a_2")

    assert list(tx.execution_views.usage()) == [("a_1", {"tokens_output": 2})]
    assert list(tx.execution_views.reported_usage(["a_1"])) == [("a_1", {"tokens_input": 5})]
    assert list(tx.execution_views.reported_usage([])) == []
