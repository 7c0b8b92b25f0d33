"""Access tokens of agents, of which only a hash is stored."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from tests.store.rows import NOW, at, undone


def add(tx, agent, hash, *, minute=0, toolsets=None, expires_at=None):
    created_at = at(minute)
    tx.tokens.add(hash=hash, agent_id=agent.id, toolsets=toolsets, created_at=created_at, expires_at=expires_at)


def test_a_hash_leads_to_its_agent_and_what_the_token_may_see(tx, rows):
    agent = rows.agent(capabilities=["python"])
    add(tx, agent, "h1", toolsets="mission,crew", expires_at=at(60))

    found, token = tx.tokens.find("h1")

    assert (found.id, found.capabilities) == (agent.id, ["python"])
    assert (token.toolsets, token.expires_at, token.revoked_at) == ("mission,crew", at(60), None)
    assert tx.tokens.find("h2") is None


def test_revoking_ends_every_token_of_one_agent_once(tx, rows):
    ada, bob = rows.agent(), rows.agent("bob")
    add(tx, ada, "h1")
    add(tx, ada, "h2", minute=1)
    add(tx, bob, "h3")

    assert tx.tokens.revoke(ada.id, now=at(5)) == 2
    assert tx.tokens.revoke(ada.id, now=at(9)) == 0

    assert [(row["hash"], row["revoked_at"]) for row in tx.tokens.of_agent(ada.id)] == [("h1", at(5)), ("h2", at(5))]
    assert tx.tokens.find("h3")[1].revoked_at is None


def test_a_hash_belongs_to_one_token_and_a_token_to_a_known_agent(tx, rows):
    agent = rows.agent()
    add(tx, agent, "h1")

    with pytest.raises(IntegrityError), undone(tx):
        add(tx, agent, "h1")
    with pytest.raises(IntegrityError), undone(tx):
        tx.tokens.add(hash="h9", agent_id="a_nowhere", toolsets=None, created_at=NOW, expires_at=None)
