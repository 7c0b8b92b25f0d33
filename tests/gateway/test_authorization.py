"""Who acts, and whether they may: by token, by name, and by the tasks they own."""

from __future__ import annotations

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput, NotOwner, PermissionDenied
from mission.gateway.authorization import MAX_NAME_LENGTH, Authorizer, bound_to, with_actor
from mission.gateway.caller import Caller, Identity
from mission.services.agents.access_tokens import Bearer
from tests.domain.samples import agent

MISSION = {"name": "x", "objective": "y"}


async def register(call, name, role="worker"):
    return (await call("agent_register", {"name": name, "runtime": "codex", "role": role}))["id"]


@pytest.fixture
def authorizer(app):
    return Authorizer(app.database, app.gateway._ports.policy)


async def find(app, id):
    return await app.database.read(lambda tx: tx.agents.get(id))


async def test_a_token_alone_says_who_calls(app, call, authorizer):
    ada = await find(app, await register(call, "ada"))

    assert bound_to(Caller(transport="test")).agent is None
    assert bound_to(Caller(transport="test", bearer=Bearer(agent=ada))).agent == ada
    assert (await authorizer.identify(Caller(transport="test", bearer=Bearer(agent=ada)))).agent_id == ada.id


async def test_a_connection_may_name_the_agent_of_its_token_and_no_other(app, call, authorizer):
    ada, bob = [await find(app, await register(call, name)) for name in ("ada", "bob")]
    bearer = Bearer(agent=ada)

    for spelling in (ada.id, "ada"):
        assert (await authorizer.identify(Caller(transport="test", bearer=bearer, agent=spelling))).agent_id == ada.id
    with pytest.raises(PermissionDenied, match=bob.id):
        await authorizer.identify(Caller(transport="test", bearer=bearer, agent="bob"))


@pytest.mark.parametrize(("name", "error"), [("nobody", AgentNotFound), ("a\x00b", InvalidInput)])
async def test_an_agent_that_does_not_exist_is_named_by_the_callers_field(authorizer, name, error):
    with pytest.raises(error) as refused:
        await authorizer.identify(Caller(transport="test", agent=name, agent_field="X-Agent"))

    assert refused.value.details["field"] == "X-Agent"


async def test_an_agent_cannot_pass_for_the_person(call):
    ada = await register(call, "ada", role="coordinator")

    letter = {"sender_id": "human", "recipient_id": ada, "message_type": "query", "body": "hi"}

    with pytest.raises(PermissionDenied, match="human"):
        await call("message_send", letter, agent=ada)
    assert await call("message_send", letter)


async def test_a_false_name_is_recorded_under_the_one_who_gave_it(call, app):
    ada, bob = await register(call, "ada"), await register(call, "bob")

    with pytest.raises(PermissionDenied):
        await call("agent_heartbeat", {"agent_id": bob}, agent=ada)

    await app.gateway.audit.flush()
    [entry] = (await call("audit_list", {"tool": "agent_heartbeat"}))["entries"]
    assert (entry["agent_id"], entry["status"]) == (ada, "denied")


@pytest.mark.parametrize("name", ["mission_delete", "no such tool", "x" * 5_000])
async def test_a_denial_names_the_rule_and_never_a_long_name(app, call, authorizer, name):
    worker = Identity(agent=await find(app, await register(call, "ada")))

    assert not authorizer.permits(worker, name)
    assert authorizer.permits(Identity(agent=None), name)
    authorizer.check_permitted(Identity(agent=None), name)
    with pytest.raises(PermissionDenied) as refused:
        authorizer.check_permitted(worker, name)
    assert refused.value.details["rule"].startswith("WORKER ")
    assert len(refused.value.message) < MAX_NAME_LENGTH + 100


async def test_a_worker_writes_only_to_its_own_task_and_others_are_not_asked(call):
    ada, bob, lead = await register(call, "ada"), await register(call, "bob"), await register(call, "c", "coordinator")
    mission = (await call("start_mission", MISSION))["mission_id"]
    task = (await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, agent=ada))["task_id"]
    note = {"task_id": task, "message": "half way"}

    with pytest.raises(NotOwner) as refused:
        await call("log_milestone", note, agent=bob)
    assert refused.value.details["owner_id"] == ada
    for agent_id in (ada, None):
        assert await call("log_milestone", note, agent=agent_id)
    with pytest.raises(NotOwner):
        await call("log_milestone", note, agent=lead)


async def test_an_agent_known_by_its_token_need_not_say_again_who_it_is(app):
    heartbeat, start = (app.gateway.registry.get(name) for name in ("agent_heartbeat", "start_mission"))
    known = Identity(agent=agent())

    assert with_actor(heartbeat, {}, known) == {"agent_id": "a_1"}
    assert with_actor(heartbeat, {"agent_id": ""}, known) == {"agent_id": "a_1"}
    assert with_actor(heartbeat, {"agent_id": "a_2"}, known) == {"agent_id": "a_2"}
    assert with_actor(heartbeat, {}, Identity(agent=None)) == {}
    assert with_actor(start, {}, known) == {}
    assert with_actor(heartbeat, "nonsense", known) == "nonsense"
