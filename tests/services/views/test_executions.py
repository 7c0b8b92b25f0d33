"""Launched agents as the page lists them, and what agents used."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.inbox.item import ItemKind, ItemState
from mission.domain.tasks.states import TaskStatus
from mission.services.views import executions as runs
from tests.store.rows import at


def test_an_execution_shows_its_lease_only_while_its_agent_has_the_task(tx, rows):
    agent = rows.agent("ada")
    task = rows.task(rows.mission(), status=TaskStatus.IN_PROGRESS, owner_id=agent.id, lease_until=at(9))
    rows.execution(task, agent_id=agent.id, created_at=at(2))
    rows.execution(task, agent_id="a_unknown", created_at=at(1))

    mine, other = runs.list_executions(tx, statuses=None, limit=9, cursor=None).runs

    assert (mine.agent_name, mine.lease_until) == ("ada", at(9))
    assert (other.agent_name, other.lease_until) == ("command", None)


def test_pages_follow_each_other_and_a_wrong_cursor_is_refused(tx, rows):
    task = rows.task(rows.mission())
    for minute in range(3):
        rows.execution(task, created_at=at(minute), status=ExecutionStatus.LOST if minute else ExecutionStatus.STOPPED)

    first = runs.list_executions(tx, statuses=[ExecutionStatus.LOST], limit=1, cursor=None)
    rest = runs.list_executions(tx, statuses=[ExecutionStatus.LOST], limit=9, cursor=first.next)

    assert [each.execution.created_at for each in (*first.runs, *rest.runs)] == [at(2), at(1)]
    assert (first.counts, rest.next) == ({"lost": 2, "stopped": 1}, None)
    with pytest.raises(InvalidInput, match="cursor: "):
        runs.list_executions(tx, statuses=None, limit=1, cursor="nonsense")


def test_what_a_client_counted_outranks_what_its_agent_told(tx, rows):
    mission = rows.mission()
    told = {"tokens_input": 5, "tokens_output": "many", "cost_usd": None}
    task = rows.task(mission, owner_id="a_1", metadata=told)
    rows.task(mission, owner_id="a_2", metadata=told)
    rows.task(mission, owner_id="a_2", metadata=told)
    for _ in range(2):
        rows.execution(task, agent_id="a_1", usage={"input_tokens": 3, "output_tokens": 4, "cost_usd": 0.5})

    spent = runs.spending(tx, agent_ids=["a_2", "a_1", "a_3"])

    assert [(each.agent_id, each.tokens, each.cost_usd) for each in spent] == [("a_2", 10, 0.0), ("a_1", 14, 1.0)]


def test_executions_of_one_mission_are_counted_alone_and_a_waiting_one_shows_its_oldest_open_question(tx, rows):
    shop, other = rows.mission("Shop"), rows.mission("Other")
    task = rows.task(shop)
    waiting = rows.execution(task, status=ExecutionStatus.WAITING, created_at=at(2))
    ended = rows.execution(task, status=ExecutionStatus.LOST, created_at=at(1))
    rows.execution(rows.task(other), created_at=at(3))
    for minute, (subject, execution, state) in enumerate(
        [
            ("Closed", waiting, ItemState.ANSWERED),
            ("Which one?", waiting, ItemState.OPEN),
            ("And then?", waiting, ItemState.OPEN),
            ("Too late", ended, ItemState.OPEN),
        ]
    ):
        fields = {"subject": subject, "state": state, "created_at": at(minute), "mission_id": shop.id}
        rows.item(ItemKind.QUESTION, execution_id=execution.id, task_id=task.id, **fields)

    found = runs.list_executions(tx, statuses=None, mission_id=shop.id, limit=9, cursor=None)

    assert [(each.mission_name, each.question) for each in found.runs] == [("Shop", "Which one?"), ("Shop", None)]
    assert found.counts == {"waiting": 1, "lost": 1}
