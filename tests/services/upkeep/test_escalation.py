"""Who hears of a failed call, and how often."""

from __future__ import annotations

import pytest

from mission.domain.agents.agent import AgentType
from mission.domain.inbox.failure_report import CRITICAL_TOOLS, FailedCall
from mission.domain.inbox.item import ItemKind
from mission.domain.message import HUMAN, MessageState, Priority
from mission.services.inbox import items as inbox
from mission.services.upkeep import escalation
from mission.store.agents.messages import MessageFilter
from tests.store.rows import at

ALL = MessageFilter(states=list(MessageState))
ERROR = {"code": "INTERNAL_ERROR", "message": "it broke"}


def failure(**fields):
    return FailedCall(
        **{"incident": "log_1", "tool": "task_get", "cause": "c", "error": ERROR, "trace": "at line 7", **fields}
    )


def mailbox(tx, owner):
    return tx.messages.inbox(owner, ALL, limit=9, after=None)


@pytest.fixture
def crew(rows):
    lead = rows.agent("lead", type=AgentType.SUPERVISOR)
    return lead, rows.agent("worker", supervisor_id=lead.id)


def test_a_supervisor_hears_of_it_without_the_way_through_the_code(tx, crew):
    lead, worker = crew

    escalation.report(tx, failure=failure(agent_id=worker.id))

    [message] = mailbox(tx, lead.id)
    assert (message.subject, message.priority) == ("task_get failed for worker: it broke", Priority.HIGH)
    assert "at line 7" not in str(message.body)
    assert tx.inbox.open_where() == []


@pytest.mark.parametrize("tool", sorted(CRITICAL_TOOLS)[:2])
def test_a_critical_failure_always_reaches_the_person(tx, crew, tool):
    lead, worker = crew

    escalation.report(tx, failure=failure(agent_id=worker.id, tool=tool))

    assert mailbox(tx, lead.id) == []
    [message] = mailbox(tx, HUMAN)
    assert message.priority is Priority.URGENT
    [item] = tx.inbox.open_where()
    assert (item.kind, item.message_id) == (ItemKind.ESCALATION, message.id)
    assert "Incident: log_1" in item.body
    assert "at line 7" in message.body
    assert "at line 7" not in item.body


def test_the_same_cause_is_told_once_in_a_while_and_the_item_counts_the_others(tx):
    for minute in (0, 1, 2):
        tx.now = at(minute)
        escalation.report(tx, failure=failure(incident=f"log_{minute}"))
    escalation.report(tx, failure=failure(cause="another"))

    assert len(mailbox(tx, HUMAN)) == 2
    assert sorted(item.count for item in tx.inbox.open_where()) == [1, 3]
    tx.now = at(60)
    escalation.report(tx, failure=failure(incident="log_60"))
    newest = mailbox(tx, HUMAN)[0]
    assert "2 more times" in str(newest.body)


def test_an_item_that_was_closed_is_left_in_peace(tx):
    escalation.report(tx, failure=failure())
    [item] = tx.inbox.open_where()
    inbox.dismiss(tx, item_id=item.id, by=HUMAN)

    tx.now = at(1)
    escalation.report(tx, failure=failure())

    assert tx.inbox.open_where() == []


def test_ids_that_came_from_wrong_arguments_are_left_out(tx, rows):
    task = rows.task(mission := rows.mission())

    escalation.report(tx, failure=failure(agent_id="a_nowhere000", task_id="t_nowhere000", mission_id="m_nowhere000"))
    escalation.report(tx, failure=failure(cause="other", task_id=task.id))

    found = {(item.mission_id, item.task_id, item.agent_id) for item in tx.inbox.open_where()}
    assert found == {(None, None, None), (mission.id, task.id, None)}
