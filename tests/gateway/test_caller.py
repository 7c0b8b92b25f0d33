"""Who shows which token."""

from __future__ import annotations

import pytest

from mission.domain.errors import Unauthenticated
from mission.gateway.caller import Caller, Identity, TokenCheck
from mission.services.agents import access_tokens
from tests.domain.samples import agent

OPERATOR = "operators-own-token"


@pytest.fixture
def tokens(app):
    async def find(token):
        return await app.database.read(access_tokens.bearer_of, token=token)

    return TokenCheck(OPERATOR, find=find)


async def test_the_operators_token_stands_for_no_agent(tokens):
    assert await tokens.check(OPERATOR) is None


@pytest.mark.parametrize("token", [None, "", OPERATOR[:-1], f"{OPERATOR} ", "tökén", "mca_unknown0000000000000"])
async def test_any_other_text_is_refused(tokens, token):
    with pytest.raises(Unauthenticated) as refused:
        await tokens.check(token)

    assert OPERATOR not in str(refused.value.as_dict())


async def test_an_agents_token_stands_for_that_agent_until_it_is_revoked(tokens, call, app):
    ada = (await call("agent_register", {"name": "ada", "runtime": "codex"}))["id"]
    token = await app.database.write(access_tokens.issue, agent_id=ada)

    assert (await tokens.check(token)).agent.id == ada

    await call("token_revoke", {"agent_id": ada})
    with pytest.raises(Unauthenticated):
        await tokens.check(token)


def test_an_identity_is_an_agent_or_the_operator():
    assert (Identity(agent=None).name, Identity(agent=None).agent_id) == ("operator", None)
    assert (Identity(agent=agent()).name, Identity(agent=agent()).agent_id) == ("a_1", "a_1")


@pytest.mark.parametrize(("transport", "onlooker"), [("page", True), ("rest", False), ("mcp", False)])
def test_only_a_person_on_the_page_looks_on(transport, onlooker):
    assert Caller(transport=transport).is_onlooker is onlooker
