"""The record of executions: listed, read with the names of what they are about, and what was observed of them."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.executions.execution import ExecutionStatus
from mission.services.executions import history
from tests.store.rows import at


def listed(tx, **wanted):
    nothing = {"statuses": None, "mission_id": None, "task_id": None, "agent_id": None, "limit": 9, "cursor": None}
    page = history.list_executions(tx, **{**nothing, **wanted})
    return [each.id for each in page.rows], page.next


@pytest.fixture
def three(rows):
    mission = rows.mission()
    return [
        rows.execution(rows.task(mission), agent_id=f"a_{n}", created_at=at(n), status=status)
        for n, status in enumerate([ExecutionStatus.RUNNING, ExecutionStatus.LOST, ExecutionStatus.RUNNING])
    ]


def test_executions_are_listed_newest_first_page_by_page(tx, three):
    first, cursor = listed(tx, limit=2)

    assert first == [three[2].id, three[1].id]
    assert listed(tx, limit=2, cursor=cursor) == ([three[0].id], None)


def test_a_list_is_narrowed_by_state_mission_task_and_agent(tx, rows, three):
    other = rows.execution(rows.task(rows.mission("other")), created_at=at(9))

    assert listed(tx, statuses=[ExecutionStatus.LOST])[0] == [three[1].id]
    assert listed(tx, statuses=[])[0] == []
    assert listed(tx, mission_id=other.mission_id)[0] == [other.id]
    assert listed(tx, task_id=three[0].task_id)[0] == [three[0].id]
    assert listed(tx, agent_id="a_2")[0] == [three[2].id]


def test_a_cursor_of_another_list_is_refused(tx):
    with pytest.raises(InvalidInput, match="cursor"):
        listed(tx, cursor="2026-01-15T10:00:00.000Z t_0123456789")


def test_an_execution_is_read_with_the_names_of_its_task_and_agent_and_its_latest_messages(tx, rows, monkeypatch):
    monkeypatch.setattr(history, "SHOWN_MESSAGES", 2)
    agent = rows.agent("ada")
    execution = rows.execution(rows.task(rows.mission(), "Sort"), agent_id=agent.id)
    for n in range(3):
        text = {"kind": CommandKind.TEXT, "text": str(n), "created_at": at(n)}
        tx.commands.add(ExecutionCommand(id=f"msg_{n}", execution_id=execution.id, **text))
    stop = {"kind": CommandKind.STOP, "created_at": at(9)}
    tx.commands.add(ExecutionCommand(id="msg_9", execution_id=execution.id, **stop))

    found = history.get(tx, execution_id=execution.id)

    assert (found.execution.id, found.task_name, found.agent_name) == (execution.id, "Sort", "ada")
    assert [message.text for message in found.messages] == ["2", "1"]


def test_observations_are_read_newest_first_by_type_and_only_of_an_execution_that_exists(tx, rows):
    execution = rows.execution(rows.task(rows.mission()))
    for n, type in enumerate(["progress", "blocked", "progress"]):
        rows.observation(execution, f"e{n}", type=type, created_at=at(n))

    def read(**wanted):
        page = history.observations(
            tx, **{"execution_id": execution.id, "type": None, "limit": 9, "cursor": None, **wanted}
        )
        return [each.event_id for each in page.rows], page.next

    first, cursor = read(limit=2)
    assert first == ["e2", "e1"]
    assert read(cursor=cursor) == (["e0"], None)
    assert read(type="progress") == (["e2", "e0"], None)
    with pytest.raises(NotFound):
        read(execution_id="x_nowhere000")
