"""What fails is tried again, and what still fails reaches whoever can do something about it, once."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3

import psycopg
import pytest

from mission.app import App
from mission.domain.errors import InternalError, NotFound, TransientError
from mission.domain.inbox import failure_report
from mission.gateway.caller import Caller
from mission.gateway.retry import Retry, is_passing
from mission.git.errors import GitFailed
from mission.services.agents import registration as agents
from mission.services.missions import context
from mission.services.missions import creation as missions
from mission.services.upkeep import escalation
from mission.store import writer
from mission.store.backends import sqlite

MISSION = {"name": "x", "objective": "y"}


def failing(error):
    def fail(tx, **_):
        raise error

    return fail


async def fail(call, tool="start_mission", arguments=MISSION, *, error=InternalError, **caller):
    with pytest.raises(error) as caught:
        await call(tool, arguments, **caller)
    await call.app.gateway.escalations.flush()
    return caught.value


async def queue(call):
    return (await call("queue_list"))["items"]


async def test_a_fault_reaches_the_person_with_its_trace_and_the_caller_with_a_number(call, monkeypatch):
    monkeypatch.setattr(missions, "create", failing(ZeroDivisionError("secret detail")))

    shown = (await fail(call)).as_dict()

    number = shown["details"]["incident"]
    assert number in shown["message"]
    assert shown["hint"] == f"'mission audit {number}' shows the operator what happened."
    assert "secret detail" not in str(shown)
    (item,) = await queue(call)
    assert (item["kind"], item["agent_id"]) == ("escalation", None)
    whole = (await call("queue_get", {"id": item["id"]}))["body"]
    assert item["subject"] == f"start_mission failed for the operator: {shown['message']}"
    assert f"mission audit {number}" in whole
    assert not any(word in item["subject"] + whole for word in ("ZeroDivisionError", "secret detail", "Traceback"))
    (mail,) = (await call("message_list", {"agent_id": "human"}))["messages"]
    assert (mail["id"], mail["sender_id"], mail["priority"]) == (item["message_id"], "system", "high")
    assert "ZeroDivisionError: secret detail" in (await call("message_get", {"id": mail["id"]}))["body"]


async def test_a_failure_of_git_names_its_incident_in_its_text(call, monkeypatch):
    monkeypatch.setattr(missions, "create", failing(GitFailed(command="status", code=128, log="/server/path")))

    shown = (await fail(call)).as_dict()

    assert shown["message"] == f"'git status' failed with exit code 128 (incident {shown['details']['incident']})"
    assert (shown["details"]["command"], shown["code"]) == ("status", "INTERNAL_ERROR")


async def test_an_agents_supervisor_hears_of_it_without_the_trace(call, monkeypatch):
    boss = await call("mcp__agent__create", {"type": "ORCHESTRATOR", "name": "boss"})
    worker = await call("mcp__agent__create", {"type": "WORKER", "name": "bee", "supervisorId": boss["id"]})
    monkeypatch.setattr(agents, "get", failing(ZeroDivisionError("secret detail")))

    number = (await fail(call, "agent_get", {"id": boss["id"]}, agent=worker["id"])).details["incident"]

    assert await queue(call) == []
    (mail,) = (await call("message_list", {"agent_id": boss["id"]}))["messages"]
    assert mail["subject"].startswith("agent_get failed for bee: ")
    assert number in mail["body"]
    assert "Traceback" not in mail["body"]

    await call("agent_unregister", {"id": boss["id"]})
    await fail(call, "agent_get", {"id": boss["id"]}, agent=worker["id"])
    assert [item["agent_id"] for item in await queue(call)] == [worker["id"]]  # nobody else is left to answer


async def test_a_failure_of_an_agent_whose_task_was_deleted_reaches_the_person(call, monkeypatch):
    bee = (await call("agent_register", {"name": "bee", "runtime": "custom"}))["id"]
    mission = (await call("start_mission", MISSION))["mission_id"]
    await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, agent=bee)
    await call("agent_heartbeat", {"agent_id": bee, "current_task_id": await current_task(call, mission)})
    await call("workflow_update_status", {"id": mission, "status": "abandoned"})
    await call("mission_delete", {"mission_id": mission})
    monkeypatch.setattr(agents, "get", failing(ZeroDivisionError()))

    await fail(call, "agent_get", {"id": bee}, agent=bee)

    assert [item["agent_id"] for item in await queue(call)] == [bee]


async def current_task(call, mission):
    [task] = (await call("workflow_get", {"id": mission, "include_tasks": True}))["tasks"]
    return task["id"]


async def test_a_critical_tool_always_reaches_the_person(call, monkeypatch):
    boss = await call("mcp__agent__create", {"type": "ORCHESTRATOR", "name": "boss"})
    worker = await call("mcp__agent__create", {"type": "WORKER", "name": "bee", "supervisorId": boss["id"]})
    monkeypatch.setattr(agents, "get", failing(ZeroDivisionError()))
    monkeypatch.setattr(failure_report, "CRITICAL_TOOLS", frozenset({"agent_get"}))

    await fail(call, "agent_get", {"id": boss["id"]}, agent=worker["id"])

    (item,) = await queue(call)
    assert item["subject"].startswith("⚠️ CRITICAL agent_get failed for bee: ")
    assert item["agent_id"] == worker["id"]
    assert (await call("message_list", {"agent_id": boss["id"]}))["messages"] == []


async def test_the_same_failure_is_counted_for_five_minutes_and_then_told_again(call, clock, monkeypatch):
    monkeypatch.setattr(missions, "create", failing(ZeroDivisionError()))
    for _ in range(3):
        await fail(call)
    (item,) = await queue(call)
    assert item["count"] == 3
    await call("queue_dismiss", {"id": item["id"]})
    await fail(call)
    assert await queue(call) == []
    monkeypatch.setattr(missions, "create", failing(KeyError()))
    await fail(call)
    assert len(await queue(call)) == 1

    clock.advance(minutes=5)
    monkeypatch.setattr(missions, "create", failing(ZeroDivisionError()))
    await fail(call)

    (again,) = [other for other in await queue(call) if "more times" in other["body"]]
    assert "happened 3 more times" in again["body"]


async def test_an_escalation_that_fails_loses_neither_the_error_nor_the_next_one(call, monkeypatch):
    tell = escalation.report
    monkeypatch.setattr(missions, "create", failing(ZeroDivisionError()))
    monkeypatch.setattr(escalation, "report", failing(RuntimeError("broken too")))

    number = (await fail(call)).details["incident"]
    monkeypatch.setattr(escalation, "report", tell)
    await fail(call)

    await call.app.gateway.audit.flush()
    rows = (await call("audit_list", {"tool": "start_mission"}))["entries"]
    assert number in [row["id"] for row in rows]
    assert all("ZeroDivisionError" in row["trace"] for row in rows)
    assert [item["count"] for item in await queue(call)] == [1]


async def test_a_callers_mistake_mails_nobody(call):
    await fail(call, "get_context", {"mission_id": "m_0000000000", "include": ["tasks"]}, error=NotFound)

    assert await queue(call) == []


async def test_what_names_a_mission_that_does_not_exist_is_told_all_the_same(call, monkeypatch):
    monkeypatch.setattr(context, "read", failing(ZeroDivisionError()))

    await fail(call, "get_context", {"mission_id": "m_0000000000", "include": ["tasks"]})

    assert [item["mission_id"] for item in await queue(call)] == [None]


async def test_failures_of_the_network_pass_and_are_tried_three_times(call, monkeypatch):
    tries = []

    def unreachable(tx, **_):
        tries.append(1)
        raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))

    monkeypatch.setattr(missions, "create", unreachable)
    call.app.gateway._retry = Retry(pause=0)

    shown = await fail(call, error=TransientError)

    assert len(tries) == 3
    assert shown.details["incident"]
    assert len(await queue(call)) == 1
    assert [is_passing(error) for error in (TimeoutError(), ConnectionResetError(), ValueError("no"))] == [
        True,
        True,
        False,
    ]


async def test_a_call_that_took_effect_is_not_tried_again_unless_that_is_harmless():
    tries = []

    async def attempt():
        tries.append(1)
        raise TransientError

    for harmless, expected in ((True, 3), (False, 1)):
        tries.clear()
        with pytest.raises(TransientError):
            await Retry(pause=0).run(attempt, harmless=lambda harmless=harmless: harmless)
        assert len(tries) == expected


async def test_a_locked_database_is_told_of_as_soon_as_it_is_free(sqlite_settings, monkeypatch):
    monkeypatch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "PRAGMA busy_timeout=50"))
    monkeypatch.setattr(writer, "GIVE_UP_SECONDS", 0)
    app = App(sqlite_settings, role="a test")
    app.gateway._retry = Retry(pause=0)
    async with app.running(periodic=False):
        other = sqlite3.connect(sqlite_settings.sqlite_path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        calls = [app.gateway("start_mission", MISSION, Caller(transport="test")) for _ in range(3)]
        failed = await asyncio.gather(*calls, return_exceptions=True)
        other.execute("ROLLBACK")
        other.close()
        await app.gateway.escalations.flush()
        await app.gateway.audit.flush()
        (item,) = (await app.gateway("queue_list", {}, Caller(transport="test")))["items"]
        audited = (await app.gateway("audit_list", {"status": "error"}, Caller(transport="test")))["entries"]

    assert {type(error) for error in failed} == {TransientError}
    incidents = {error.details["incident"] for error in failed}
    assert len(incidents) == item["count"] == 3
    assert {row["id"] for row in audited} == incidents
    assert "the database is busy" in item["subject"]
    assert any(incident in item["body"] for incident in incidents)


async def test_a_killed_connection_is_made_again_and_a_lasting_loss_is_told(postgres_settings):
    app = App(postgres_settings, role="a test")
    app.gateway._retry = Retry(pause=0)
    name = psycopg.conninfo.conninfo_to_dict(postgres_settings.database_url)["dbname"]
    server = postgres_settings.database_url.replace(f"/{name}?", "/postgres?")
    caller = Caller(transport="test")
    with psycopg.connect(server, autocommit=True) as connection:
        async with app.running(periodic=False):
            await app.gateway("start_mission", MISSION, caller)
            kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            connection.execute(kill.encode())
            await app.gateway("start_mission", MISSION, caller)
            assert (await app.gateway("queue_list", {}, caller))["items"] == []

            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
            connection.execute(kill.encode())
            with pytest.raises(TransientError) as caught:
                await app.gateway("workflow_list", {}, caller)
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
            await app.gateway.escalations.flush()
            (item,) = (await app.gateway("queue_list", {}, caller))["items"]

    assert caught.value.details["incident"] in item["body"]
