"""Agents as people see them: the word in a list is the word of the agent alone."""

from __future__ import annotations

from datetime import timedelta

from mission.domain.agents.agent import Presence
from mission.services.agents.registration import AgentFilter, LivenessSettings
from mission.services.views import agents
from tests.store.rows import at

LIVENESS = LivenessSettings(heartbeat=timedelta(minutes=1), lease=timedelta(minutes=10))


def test_every_agent_is_listed_newest_first_with_its_own_word(tx, rows):
    gone = rows.agent("gone", last_seen_at=at(-999), created_at=at(-2))
    here = rows.agent("here", created_at=at(-1))

    first = agents.list_agents(tx, wanted=AgentFilter(), liveness=LIVENESS, limit=1, cursor=None)
    rest = agents.list_agents(tx, wanted=AgentFilter(), liveness=LIVENESS, limit=9, cursor=first.next)

    assert [each.agent.id for each in (*first.rows, *rest.rows)] == [here.id, gone.id]
    assert first.rows[0].state != rest.rows[0].state
    assert rest.rows[0].presence is Presence.OFFLINE
    for each in (*first.rows, *rest.rows):
        assert agents.get(tx, agent_id=each.agent.id, liveness=LIVENESS) == each
