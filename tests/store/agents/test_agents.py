"""Agents as the store finds them."""

from __future__ import annotations

import pytest

from mission.domain.actions import Action
from mission.domain.agents.agent import AgentType, Presence
from mission.domain.errors import AgentNotFound
from tests.store.rows import at


def ids(agents):
    return [agent.id for agent in agents]


def test_an_unknown_agent_is_an_error_that_says_how_to_register_one(tx):
    with pytest.raises(AgentNotFound) as raised:
        tx.agents.get("a_nowhere000")

    assert raised.value.action is Action.REGISTER_AGENT


def test_a_name_finds_those_who_have_not_left_and_two_are_enough(tx, rows):
    rows.agent("bob")
    rows.agent(declared=Presence.OFFLINE, last_seen_at=at(9))
    old, new, middle = (rows.agent(last_seen_at=at(minute)) for minute in (1, 3, 2))

    assert ids(tx.agents.staying_by_name("ada")) == [new.id, middle.id]
    assert old.id not in ids(tx.agents.staying_by_name("ada"))


def test_a_mission_is_led_by_its_orchestrators_and_supervisors_the_newest_first(tx, rows):
    first = rows.agent(type=AgentType.SUPERVISOR, mission_id="m_1", created_at=at(1))
    second = rows.agent(type=AgentType.ORCHESTRATOR, mission_id="m_1", created_at=at(2))
    rows.agent(type=AgentType.WORKER, mission_id="m_1")
    rows.agent(type=AgentType.SUPERVISOR, mission_id="m_2")

    assert ids(tx.agents.leading("m_1")) == [second.id, first.id]


def test_a_sign_of_life_changes_only_when_the_agent_was_seen(tx, rows):
    agent, other = rows.agent(), rows.agent("bob")

    tx.agents.mark_seen(agent.id, now=at(5))

    found = tx.agents.get(agent.id)
    assert (found.last_seen_at, found.updated_at) == (at(5), agent.updated_at)
    assert tx.agents.get(other.id).last_seen_at == other.last_seen_at


def test_agents_are_listed_newest_first_and_narrowed_by_type_runtime_and_time(tx, rows):
    lead = rows.agent(type=AgentType.SUPERVISOR, created_at=at(1), last_seen_at=at(9))
    coder = rows.agent(runtime="codex", created_at=at(2), last_seen_at=at(8))

    def listed(limit=9, after=None, **filters):
        return ids(tx.agents.page(limit=limit, after=after, **filters))

    assert listed() == [coder.id, lead.id]
    assert listed(types=[AgentType.SUPERVISOR]) == [lead.id]
    assert listed(types=[]) == []
    assert listed(runtime="codex") == [coder.id]
    assert listed(since=at(9)) == [lead.id]
    assert listed(limit=1) == [coder.id]
    assert listed(after=(coder.created_at, coder.id)) == [lead.id]
    assert tx.agents.count() == 2


def test_agents_launched_for_one_mission_go_with_it_unless_something_else_refers_to_them(tx, rows):
    here, elsewhere = rows.task(rows.mission()), rows.task(rows.mission("Other"))
    gone, busy, wrote, registered = (rows.agent() for _ in range(4))
    for agent, task in ((gone, here), (busy, here), (busy, elsewhere), (wrote, here)):
        rows.execution(task, agent_id=agent.id)
    rows.message("human", sender_id=wrote.id)

    tx.agents.delete_launched(here.mission_id)

    left = tx.agents.page(limit=10, after=None)
    assert set(ids(left)) == {busy.id, wrote.id, registered.id}
