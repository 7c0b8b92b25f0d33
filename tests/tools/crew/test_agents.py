"""Agents with tokens of their own: who may make whom, what a token is worth, and where it is not kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from mission.app import App
from mission.domain.errors import AgentNotFound, Conflict, InvalidInput, PermissionDenied, Unauthenticated
from mission.services.agents import access_tokens as identity
from mission.services.agents.access_tokens import Bearer
from mission.settings import load
from tests.conftest import Front


async def create(call, kind="WORKER", name="wilma", **more):
    by = more.pop("by", None)
    return await call("mcp__agent__create", {"type": kind, "name": name, **more}, agent=by)


async def shown_by(call, token):
    return await call.app.database.read(identity.bearer_of, token=token)


async def test_a_token_stands_for_its_agent_until_it_expires_or_is_revoked(call, clock):
    made = await create(call, expiresAt=(clock.now + timedelta(hours=1)).isoformat())
    other = await create(call, name="fred")

    assert made.keys() == {"id", "type", "name", "token"}
    assert (await shown_by(call, made["token"])).agent.id == made["id"]
    with pytest.raises(Unauthenticated, match="not valid"):
        await shown_by(call, made["token"] + "x")
    clock.advance(hours=1)
    with pytest.raises(Unauthenticated, match=r"expired at .*Z"):
        await shown_by(call, made["token"])
    renewed = await call("token_rotate", {"agent_id": "wilma"})
    assert (await shown_by(call, renewed["token"])).agent.id == made["id"]
    assert await call("token_revoke", {"agent_id": made["id"]}) == {"id": made["id"], "revoked": 1}
    with pytest.raises(Unauthenticated, match="was revoked"):
        await shown_by(call, renewed["token"])
    assert (await shown_by(call, other["token"])).agent.name == "fred"
    known = (await call("token_list", {"agent_id": made["id"]}))["tokens"]
    assert [row["revoked_at"] is None for row in known] == [False, False]
    with pytest.raises(InvalidInput, match="is in the past"):
        await create(call, expiresAt=0)
    with pytest.raises(AgentNotFound):
        await call("token_rotate", {"agent_id": "nobody"})


async def test_nobody_makes_an_agent_of_its_own_type_or_above(call):
    boss = (await create(call, "SUPERVISOR", "boss"))["id"]
    lead = (await create(call, "ORCHESTRATOR", "lead", by=boss))["id"]
    hand = (await create(call, "WORKER", "hand", by=lead))["id"]

    for by, kind in ((boss, "SUPERVISOR"), (lead, "SUPERVISOR"), (lead, "ORCHESTRATOR"), (hand, "WORKER")):
        with pytest.raises(PermissionDenied):
            await create(call, kind, "x", by=by)
    with pytest.raises(InvalidInput, match="cannot supervise"):
        await create(call, "ORCHESTRATOR", "x", supervisorId=hand)
    assert [(await call("agent_get", {"id": id}))["supervisor_id"] for id in (boss, lead, hand)] == [None, boss, lead]
    adopted = await create(call, "WORKER", "adopted", supervisorId=boss, by=lead)
    assert (await call("agent_get", {"id": adopted["id"]}))["supervisor_id"] == boss
    assert len((await call("agent_list"))["agents"]) == 4


async def test_a_token_is_kept_neither_in_the_store_nor_under_a_call_key_nor_in_the_audit(call):
    made = await call("mcp__agent__create", {"type": "WORKER", "name": "wilma"}, key="k")
    await call.app.gateway.audit.flush()

    with pytest.raises(Conflict, match="shown only once") as caught:
        await call("mcp__agent__create", {"type": "WORKER", "name": "wilma"}, key="k")
    assert made["id"] in caught.value.message
    assert f"mission agent token {made['id']}" in caught.value.hint
    assert len((await call("agent_list"))["agents"]) == 1

    def everything(tx):
        return [
            str(row)
            for table in ("agents", "agent_tokens", "audit", "call_keys", "events")
            for row in tx.connection.exec_driver_sql(f"SELECT * FROM {table}")
        ]

    rows = await call.app.database.read(everything)
    assert rows
    assert not [row for row in rows if made["token"] in row]


async def test_rules_in_the_settings_file_are_in_force_and_shown(settings, clock):
    settings.file_path.write_text('[permissions.WORKER]\nallow = ["workflow_list"]\ndeny = ["message_*"]\n')
    rules = load({"MISSION_HOME": str(settings.home)}).permissions
    app = App(replace(settings, permissions=rules), role="a test", clock=clock)
    async with app.running(periodic=False):
        call = Front(app)
        worker = (await create(call))["id"]

        assert (await call("workflow_list", agent=worker))["total"] == 0
        with pytest.raises(PermissionDenied) as caught:
            await call("message_list", {"agent_id": worker}, agent=worker)
        shown = await call("permission_show", {"agent_id": "wilma"})

    assert caught.value.details["rule"] == "WORKER deny message_*"
    ours = {rule["pattern"]: rule["effect"] for rule in shown["rules"] if rule["source"] == "settings"}
    assert ours == {"workflow_list": "allow", "message_*": "deny"}


async def test_a_token_binds_the_connection_whatever_name_is_given(call):
    ada, bob = await create(call, name="ada"), await create(call, name="bob")
    bearer: Bearer = await shown_by(call, ada["token"])

    assert (await call("agent_heartbeat", {"agent_id": ada["id"]}, bearer=bearer, agent="ada"))["success"]
    with pytest.raises(PermissionDenied, match=f"{ada['id']} cannot act as {bob['id']}"):
        await call("agent_heartbeat", {"agent_id": bob["id"]}, bearer=bearer)
    with pytest.raises(PermissionDenied, match=f"{ada['id']} cannot act as {bob['id']}"):
        await call("agent_get", {"id": bob["id"]}, bearer=bearer, agent="bob")
    with pytest.raises(AgentNotFound):
        await call("agent_heartbeat", {"agent_id": "a_0000000000"}, bearer=bearer)
    await call.app.gateway.audit.flush()
    denied = (await call("audit_list", {"agent_id": ada["id"]}))["entries"]
    assert [(row["tool"], row["status"]) for row in denied][:3] == [
        ("agent_heartbeat", "error"),
        ("agent_get", "denied"),
        ("agent_heartbeat", "denied"),
    ]
