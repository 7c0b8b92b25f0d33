"""Access tokens: issued, renewed, revoked, recognized; and who stands above an agent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.agents.agent import AgentType, Presence
from mission.domain.errors import AgentNotFound, InvalidInput, PermissionDenied, Unauthenticated
from mission.services.agents import access_tokens as identity
from tests.store.rows import at


def test_a_token_is_recognized_by_its_hash_alone(tx, rows):
    agent = rows.agent()

    token = identity.issue(tx, agent_id=agent.id, toolsets="crew")

    bearer = identity.bearer_of(tx, token=token)
    assert (bearer.agent.id, bearer.toolsets) == (agent.id, "crew")
    assert token.startswith("mca_")
    assert token not in str(tx.tokens.of_agent(agent.id))
    with pytest.raises(Unauthenticated, match="not valid"):
        identity.bearer_of(tx, token=token + "x")


@given(one=st.text(), other=st.text())
def test_two_tokens_have_the_same_hash_only_when_they_are_the_same(one, other):
    assert (identity.hash_of(one) == identity.hash_of(other)) is (one == other)


def test_a_token_ends_at_its_moment_and_cannot_begin_after_it(tx, rows):
    agent = rows.agent()
    token = identity.issue(tx, agent_id=agent.id, expires_at=at(5))
    identity.bearer_of(tx, token=token)

    tx.now = at(5)
    with pytest.raises(Unauthenticated, match="expired at"):
        identity.bearer_of(tx, token=token)
    with pytest.raises(InvalidInput, match="until: "):
        identity.issue(tx, agent_id=agent.id, expires_at=at(5), field="until")


def test_a_new_token_replaces_all_before_and_keeps_what_the_last_could_see(tx, rows):
    agent = rows.agent("ada")
    old = identity.issue(tx, agent_id=agent.id, toolsets="crew")
    tx.now = at(1)

    new = identity.rotate(tx, agent_id="ada")

    assert identity.bearer_of(tx, token=new.token).toolsets == "crew"
    with pytest.raises(Unauthenticated, match="revoked"):
        identity.bearer_of(tx, token=old)
    assert identity.rotate(tx, agent_id=agent.id, toolsets="mission").agent.id == agent.id
    assert len(identity.list_tokens(tx, agent_id="ada", limit=9, cursor=None).rows) == 3
    assert identity.revoke(tx, agent_id="ada").count == 1
    assert identity.revoke(tx, agent_id="ada").count == 0


def test_tokens_are_listed_a_page_at_a_time_the_oldest_first(tx, rows):
    agent = rows.agent("ada")
    for minute in range(3):
        tx.now = at(minute)
        identity.issue(tx, agent_id=agent.id)

    first = identity.list_tokens(tx, agent_id="ada", limit=2, cursor=None)
    rest = identity.list_tokens(tx, agent_id="ada", limit=2, cursor=first.next)

    assert [row["created_at"] for row in (*first.rows, *rest.rows)] == [at(0), at(1), at(2)]
    assert rest.next is None
    with pytest.raises(InvalidInput, match="cursor"):
        identity.list_tokens(tx, agent_id="ada", limit=2, cursor="nonsense")


def test_nobody_gets_a_token_for_an_agent_that_does_not_exist(tx):
    for attempt in (identity.issue, identity.rotate, identity.revoke):
        with pytest.raises(AgentNotFound):
            attempt(tx, agent_id="a_nowhere000")


@pytest.mark.parametrize("by", [None, *AgentType])
@pytest.mark.parametrize("type", list(AgentType))
def test_an_agent_creates_only_types_below_its_own_and_supervises_them(tx, rows, by, type):
    creator = rows.agent("lead", type=by) if by is not None else None

    if by is None or by.commands(type):
        made = identity.create(tx, by=creator, type=type, name="new")
        assert made.agent.supervisor_id == (creator and creator.id)
        assert identity.bearer_of(tx, token=made.token).agent.type is type
    else:
        with pytest.raises(PermissionDenied):
            identity.create(tx, by=creator, type=type, name="new")


def test_a_supervisor_must_be_of_a_type_above(tx, rows):
    worker = rows.agent("worker")

    with pytest.raises(InvalidInput, match="cannot supervise"):
        identity.create(tx, by=None, type=AgentType.WORKER, name="new", supervisor_id="worker")
    assert worker.type is AgentType.WORKER


def test_a_failure_goes_up_past_those_who_left_and_then_to_who_leads_the_mission(tx, rows):
    boss = rows.agent("boss", type=AgentType.SUPERVISOR)
    left = rows.agent("left", type=AgentType.ORCHESTRATOR, declared=Presence.OFFLINE, supervisor_id=boss.id)
    worker = rows.agent("worker", supervisor_id=left.id)
    assert identity.supervisor_of(tx, agent=worker).id == boss.id

    mission = rows.mission()
    leader = rows.agent("leader", type=AgentType.ORCHESTRATOR, mission_id=mission.id)
    task = rows.task(mission)
    alone = rows.agent("alone", current_task_id=task.id)
    assert identity.supervisor_of(tx, agent=alone).id == leader.id
    assert identity.supervisor_of(tx, agent=leader) is None
    assert identity.supervisor_of(tx, agent=rows.agent("nobody's")) is None
