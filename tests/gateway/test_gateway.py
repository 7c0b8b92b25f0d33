"""The road of a call: identity, permission, arguments, audit, repeats, retry, incidents."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import text

from mission.domain.errors import (
    AgentNotFound,
    InternalError,
    InvalidInput,
    MissionError,
    NotFound,
    PermissionDenied,
    TooLarge,
    ToolNotFound,
    TransientError,
)
from mission.gateway.caller import Caller
from mission.gateway.retry import Retry
from mission.services.missions import creation as missions

MISSION = {"name": "x", "objective": "y"}


async def audit(call):
    await call.app.gateway.audit.flush()
    rows = await call.app.database.read(
        lambda tx: tx.audit.page(agent_id=None, tool=None, status=None, since=None, limit=100, after=None)
    )
    return rows[::-1]


async def register(call, name="ada", role="worker"):
    return (await call("agent_register", {"name": name, "runtime": "codex", "role": role}))["id"]


async def test_every_call_leaves_one_row_with_its_arguments_and_its_result(call):
    started = await call("start_mission", MISSION)
    await call("get_context", {"mission_id": started["mission_id"], "include": ["tasks"]})
    with pytest.raises(NotFound):
        await call("complete_mission", {"mission_id": "m_0000000000", "status": "failed", "summary": "s"})
    with pytest.raises(InvalidInput):
        await call("start_mission", {"name": "x"})
    with pytest.raises(ToolNotFound):
        await call("no_such_tool", {"a": 1})

    rows = sorted(await audit(call), key=lambda row: row["at"])

    assert [(row["tool"], row["status"]) for row in rows] == [
        ("start_mission", "ok"),
        ("get_context", "ok"),
        ("complete_mission", "error"),
        ("start_mission", "error"),
        ("no_such_tool", "error"),
    ]
    assert rows[0]["arguments"] == MISSION
    assert rows[0]["result"] == started
    assert rows[0]["mission_id"] == started["mission_id"]
    assert (rows[0]["caller"], rows[0]["transport"]) == ("operator", "test")
    assert rows[2]["error"]["code"] == "RESOURCE_NOT_FOUND"
    assert rows[3]["error"]["code"] == "INVALID_INPUT"
    assert all(row["at"] <= row["finished_at"] for row in rows)


async def test_secrets_and_long_texts_do_not_reach_the_audit_trail(call):
    await call(
        "agent_register",
        {
            "name": "a",
            "runtime": "codex",
            "metadata": {
                "api_key": "abc",
                "token": "t",
                "tokens_input": 5,
                "note": "Bearer abcdefghijklmnopqrstuvwxyz",
                "long": "x" * 5000,
            },
        },
    )

    (row,) = await audit(call)

    metadata = row["arguments"]["metadata"]
    assert (metadata["api_key"], metadata["token"], metadata["tokens_input"]) == ("***", "***", 5)
    assert metadata["note"] == "***"
    assert "5,000 characters in all" in metadata["long"]
    assert len(metadata["long"]) < 2100


async def test_a_worker_may_do_its_work_and_learns_nothing_of_what_it_may_not(call):
    worker = await register(call)

    for tool in ("start_mission", "mission_delete", "audit_list", "no_such_tool"):
        with pytest.raises(PermissionDenied, match="is not allowed for agent type 'WORKER'") as caught:
            await call(tool, {"nonsense": True}, agent=worker)
        assert "nonsense" not in str(caught.value.as_dict())
    mission = (await call("start_mission", MISSION))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, agent=worker)

    assert task["fence"] == 1
    assert [row["status"] for row in await audit(call) if row["agent_id"] == worker] == ["denied"] * 4 + ["ok"]


async def test_only_the_operator_or_a_supervisor_makes_a_coordinator(call):
    coordinator = await register(call, "boss", role="coordinator")

    with pytest.raises(PermissionDenied, match="coordinator"):
        await call("agent_register", {"name": "x", "runtime": "pi", "role": "coordinator"}, agent=coordinator)
    assert await call("agent_register", {"name": "x", "runtime": "pi"}, agent=coordinator)


async def test_a_call_of_an_agent_is_known_while_it_is_answered(call, monkeypatch):
    ada, calls = await register(call), call.app.gateway._agent_calls
    assert calls.last_at(ada) is None
    seen = []
    run = type(call.app.gateway)._run

    async def watched(*arguments):
        seen.append((calls.last_at(ada) is not None, calls.open_since(ada) is not None))
        return await run(*arguments)

    monkeypatch.setattr(type(call.app.gateway), "_run", watched)
    await call("agent_get", {"id": ada}, agent=ada)
    await call("wait_for_events", {"timeout_seconds": 0}, agent=ada)

    assert seen == [(True, True), (True, False)]
    assert calls.open_since(ada) is None


async def test_an_agent_cannot_act_as_another(call):
    ada, bob = await register(call, "ada"), await register(call, "bob")

    with pytest.raises(PermissionDenied, match=f"{ada} cannot act as {bob}"):
        await call("agent_heartbeat", {"agent_id": bob}, agent=ada)
    assert (await call("agent_heartbeat", {"agent_id": ada}, agent=ada))["success"]
    assert (await call("agent_heartbeat", {}, agent=ada))["success"]
    with pytest.raises(InvalidInput, match="agent_id is required"):
        await call("agent_heartbeat", {})


async def test_an_agent_may_be_named_by_its_name_if_only_one_bears_it(call):
    ada = await register(call, "ada")
    assert (await call("agent_heartbeat", {"agent_id": "ada"}))["success"]
    await register(call, "ada")

    with pytest.raises(InvalidInput, match="several live agents"):
        await call("agent_heartbeat", {"agent_id": "ada"})
    with pytest.raises(AgentNotFound):
        await call("agent_heartbeat", {"agent_id": "nobody"})
    await call("agent_unregister", {"id": ada})
    assert (await call("agent_heartbeat", {"agent_id": "ada"}))["success"]


async def test_an_agent_that_fell_silent_leaves_its_name_to_its_successor(call, clock):
    async def bearer():
        return (await call("agent_get", {"id": "ada"}))["id"]

    crashed = await register(call, "ada")
    clock.advance(minutes=5)
    assert await bearer() == crashed
    successor = await register(call, "ada")

    assert await bearer() == successor
    await call("agent_heartbeat", {"agent_id": crashed})
    with pytest.raises(InvalidInput, match="several live agents") as refused:
        await bearer()
    assert refused.value.hint == f"Give the id: {crashed} or {successor}."


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("objctive", "objective"), ("totalphases", "total_phases"), ("repositry_path", "repository_path")],
)
async def test_a_misspelled_argument_is_not_ignored(call, name, suggestion):
    with pytest.raises(InvalidInput, match=f"did you mean '{suggestion}'"):
        await call("start_mission", {"name": "x", **({} if name == "objctive" else {"objective": "y"}), name: "z"})


async def test_an_argument_of_somebody_else_is_ignored(call):
    assert await call("start_mission", {**MISSION, "wait_for_previous": True, "_meta": {}})


async def test_null_means_absent(call):
    started = await call("start_mission", {**MISSION, "profile": None, "total_phases": None, "scope": None})

    assert started["total_phases"] == 3


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"name": "a\x00b", "objective": "y"}, InvalidInput, "name: contains a NUL"),
        ({"name": "a\ud800", "objective": "y"}, InvalidInput, "name: contains an unpaired surrogate"),
        ({"name": "x", "objective": "y" * 1_000_001}, TooLarge, "objective: too long: 1,000,001 characters"),
        ({**MISSION, "x\x00": 1}, InvalidInput, "NUL"),
        ([], InvalidInput, "must be an object"),
        ("text", InvalidInput, "must be an object"),
    ],
)
async def test_text_that_no_database_takes_is_refused_before_anything_happens(call, arguments, error, words):
    with pytest.raises(error, match=words):
        await call("start_mission", arguments)
    assert (await call("workflow_list"))["total"] == 0


async def test_what_is_nested_too_deeply_is_refused(call):
    deep: dict = {}
    for _ in range(100):
        deep = {"a": deep}
    with pytest.raises(InvalidInput, match="levels deep"):
        await call("agent_register", {"name": "a", "runtime": "pi", "metadata": deep})


async def test_a_repeat_under_the_same_key_gets_the_first_answer_and_does_nothing(call):
    first = await call("start_mission", MISSION, key="k1")

    assert await call("start_mission", MISSION, key="k1") == first
    assert (await call("workflow_list"))["total"] == 1
    with pytest.raises(InvalidInput, match="already used with different arguments"):
        await call("start_mission", {**MISSION, "name": "other"}, key="k1")
    assert await call("start_mission", MISSION, key="k2") != first


async def test_a_repeat_while_the_first_is_under_way_joins_it(call):
    answers = await asyncio.gather(*(call("start_mission", MISSION, key="k") for _ in range(8)))

    assert len({answer["mission_id"] for answer in answers}) == 1
    assert (await call("workflow_list"))["total"] == 1


async def test_a_failed_call_may_be_repeated_under_its_key(call):
    ending = {"mission_id": "m_0000000000", "status": "failed", "summary": "s"}
    for _ in range(2):
        with pytest.raises(NotFound):
            await call("complete_mission", ending, key="k")


async def test_the_keys_of_two_callers_are_apart(call):
    ada, bob = await register(call, "ada", "coordinator"), await register(call, "bob", "coordinator")

    first = await call("start_mission", MISSION, agent=ada, key="k")
    second = await call("start_mission", MISSION, agent=bob, key="k")

    assert first["mission_id"] != second["mission_id"]


async def test_a_key_that_is_no_key_is_refused(call):
    for key in ("x" * 201, "a\nb"):
        with pytest.raises(InvalidInput, match="idempotency key"):
            await call("start_mission", MISSION, key=key)


async def test_what_nobody_foresaw_becomes_an_incident_without_details(call, monkeypatch):
    def explode(tx, **_):
        raise ZeroDivisionError("secret /path/of/the/server SELECT")

    monkeypatch.setattr(missions, "create", explode)
    with pytest.raises(InternalError) as caught:
        await call("start_mission", MISSION)

    shown = str(caught.value.as_dict())
    assert "secret" not in shown
    incident = caught.value.details["incident"]
    (row,) = await audit(call)
    assert row["id"] == incident
    assert "ZeroDivisionError" in row["trace"]


async def test_a_passing_failure_is_tried_three_times_in_all(call, monkeypatch):
    tries = []

    def busy_twice(tx, **arguments):
        tries.append(1)
        if len(tries) < 3:
            raise TransientError("busy")
        return create(tx, **arguments)

    create = missions.create
    monkeypatch.setattr(missions, "create", busy_twice)
    call.app.gateway._retry = Retry(pause=0)

    assert await call("start_mission", MISSION)
    assert len(tries) == 3


async def test_a_lasting_failure_ends_after_the_third_try(call, monkeypatch):
    tries = []

    def always_busy(tx, **_):
        tries.append(1)
        raise TransientError("busy")

    monkeypatch.setattr(missions, "create", always_busy)
    call.app.gateway._retry = Retry(pause=0)

    with pytest.raises(TransientError):
        await call("start_mission", MISSION)
    assert len(tries) == 3
    assert [row["status"] for row in await audit(call)] == ["error"]


async def test_a_mistake_of_the_caller_is_not_tried_again(call, monkeypatch):
    tries = []

    def refuse(tx, **_):
        tries.append(1)
        raise NotFound("gone")

    monkeypatch.setattr(missions, "create", refuse)
    with pytest.raises(NotFound):
        await call("start_mission", MISSION)
    assert len(tries) == 1


async def test_the_audit_of_sixteen_callers_at_once_is_what_was_called(call):
    async def work(number):
        outcomes = []
        for step in range(6):
            arguments = {"name": f"{number}-{step}", "objective": "y"} if step % 3 else {"name": f"{number}-{step}"}
            try:
                await call("start_mission", arguments)
                outcomes.append((f"{number}-{step}", "ok"))
            except MissionError:
                outcomes.append((f"{number}-{step}", "error"))
        return outcomes

    done = await asyncio.gather(*(work(number) for number in range(16)))

    outcomes = sorted(outcome for each in done for outcome in each)
    rows = await audit(call)
    assert sorted((row["arguments"]["name"], row["status"]) for row in rows) == outcomes
    assert await call.app.database.read(_count_missions) == sum(status == "ok" for _, status in outcomes)


def _count_missions(tx):
    return tx.connection.execute(text("SELECT count(*) FROM missions")).scalar_one()


async def test_any_call_of_an_agent_is_a_sign_of_life(call, clock):
    agent = await register(call)
    mission = (await call("start_mission", MISSION))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, agent=agent)
    clock.advance(minutes=14)
    assert (await call("agent_get", {"id": agent}))["status"] == "offline"

    await call.app.gateway("message_list", {"agent_id": agent}, Caller(transport="page"))
    await call.app.gateway.close()
    assert (await call("agent_get", {"id": agent}))["status"] == "offline", "a person who looks keeps no agent alive"

    await call("get_context", {"mission_id": mission, "include": ["tasks"]}, agent=agent)
    await call.app.gateway.close()

    assert (await call("agent_get", {"id": agent}))["status"] == "online"
    lease = await call.app.database.read(lambda tx: tx.tasks.get(task["task_id"]).lease_until)
    assert (lease - clock.now).total_seconds() > 890


async def test_an_agent_that_leaves_is_not_called_back_by_its_own_goodbye(call):
    agent = await register(call)

    await call("agent_unregister", {"id": agent}, agent=agent)
    await call.app.gateway.close()

    assert (await call("agent_get", {"id": agent}))["status"] == "offline"


@pytest.mark.parametrize(
    ("tool", "arguments", "suggestion"),
    [
        ("get_context", {"mission_id": "m_0000000000", "include": ["tasks"], "filter": {"phas": 9}}, "filter.phase"),
        (
            "complete_task",
            {"task_id": "t_0000000000", "status": "success", "outcome": {"summary": "s", "achievments": []}},
            "outcome.achievements",
        ),
    ],
)
async def test_a_misspelled_argument_inside_another_is_not_ignored(call, tool, arguments, suggestion):
    with pytest.raises(InvalidInput, match=f"did you mean '{suggestion}'"):
        await call(tool, arguments)


async def test_a_row_that_cannot_be_written_does_not_end_the_audit_trail(call, caplog):
    await call("start_mission", MISSION)
    (row,) = await audit(call)
    call.app.gateway.audit.add(row)  # the same id once more
    await call.app.gateway.audit.flush()
    assert "could not be written" in caplog.text

    await call("workflow_list")

    assert [each["tool"] for each in await audit(call)] == ["start_mission", "workflow_list"]


async def test_a_call_whose_caller_left_is_on_record(call, monkeypatch):
    waiting = asyncio.Event()

    async def wait_for_ever(*_, **__):
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(call.app.trees, "around", wait_for_ever)
    leaving = asyncio.create_task(call("start_mission", MISSION))
    await asyncio.wait_for(waiting.wait(), 60)
    leaving.cancel()
    await asyncio.wait([leaving])

    assert [(row["tool"], row["status"]) for row in await audit(call)] == [("start_mission", "error")]


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        ("start_mission", {"profile": "SIMPLE"}),
        ("start_mission", {"total_phases": "4"}),
        ("agent_register", {"name": "a", "runtime": "Codex", "capabilities": "python", "metadata": '{"a": 1}'}),
    ],
)
async def test_what_is_plainly_meant_is_understood(call, tool, change):
    assert await call(tool, {**(MISSION if tool == "start_mission" else {}), **change})


async def test_true_and_false_are_no_numbers(call):
    mission = (await call("start_mission", MISSION))["mission_id"]
    context = {"mission_id": mission, "include": ["tasks"]}
    for tool, arguments, words in (
        ("start_mission", {**MISSION, "total_phases": True}, "total_phases: must be a whole number, not 'true'"),
        ("log_milestone", {"task_id": "t_0123456789", "message": "m", "progress": False}, "progress: must be a number"),
        ("get_context", {**context, "filter": {"since": True}}, "filter.since: 'true' is not a time"),
    ):
        with pytest.raises(InvalidInput, match=words):
            await call(tool, arguments)


async def test_json_sent_as_text_is_read_as_what_it_says(call):
    mission = (await call("start_mission", MISSION))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "areas": '["src", "docs"]'})

    done = await call(
        "complete_task",
        {"task_id": task["task_id"], "status": "SUCCESS", "outcome": '{"summary": "s", "next_steps": "one"}'},
    )

    assert done["status"] == "success"
    found = await call("get_context", {"mission_id": mission, "include": "tasks"})
    assert found["tasks"][0]["areas"] == ["src", "docs"]
    assert found["tasks"][0]["outcome"]["next_steps"] == ["one"]


async def test_a_look_at_the_audit_keeps_only_an_outline_of_what_it_saw(call):
    for _ in range(3):
        await call("start_mission", MISSION)
        await audit(call)
        await call("audit_list")

    looks = [row for row in await audit(call) if row["tool"] == "audit_list"]

    assert [row["result"]["entries"] for row in looks] == ["1 items", "3 items", "5 items"]
