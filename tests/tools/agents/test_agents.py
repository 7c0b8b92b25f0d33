"""Agents, through the gateway."""

from __future__ import annotations

import pytest

from mission.domain.errors import AgentNotFound, InvalidInput, InvalidState, NotFound


async def register(call, **more):
    return (await call("agent_register", {"name": "ada", "runtime": "claude_code", **more}))["id"]


async def status(call, agent):
    return (await call("agent_get", {"id": agent}))["status"]


async def test_a_registered_agent_is_online(call):
    agent = await call("agent_register", {"name": "ada", "runtime": "claude_code", "capabilities": ["python"]})

    assert agent == {"id": agent["id"], "name": "ada", "status": "online"}
    found = await call("agent_get", {"id": agent["id"]})
    assert (found["role"], found["type"], found["capabilities"]) == ("worker", "WORKER", ["python"])


async def test_presence_follows_the_last_sign_of_life(call, clock):
    agent = await register(call)

    clock.advance(seconds=59)
    assert await status(call, agent) == "online"
    clock.advance(seconds=2)
    assert await status(call, agent) == "offline"
    beat = await call("agent_heartbeat", {"agent_id": agent, "status": "busy"})
    assert beat == {"success": True, "next_heartbeat_ms": 30_000}
    assert await status(call, agent) == "busy"


async def test_a_heartbeat_renews_the_lease_of_what_the_agent_has_in_hand(call, clock):
    agent = await register(call)
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": agent})
    before = await call.app.database.read(lambda tx: tx.tasks.get(task["task_id"]).lease_until)
    clock.advance(minutes=5)

    await call("agent_heartbeat", {"agent_id": agent})

    after = await call.app.database.read(lambda tx: tx.tasks.get(task["task_id"]).lease_until)
    assert 299 < (after - before).total_seconds() < 301


async def test_leaving_frees_what_the_agent_had_in_hand(call, repository):
    agent = await register(call)
    call.directory = str(repository)
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g", "agent_id": agent})
    (repository / "one").write_text("x")

    assert await call("agent_unregister", {"id": agent}) == {"success": True}

    found = await call("get_context", {"mission_id": mission, "include": ["tasks", "phase_summary"]})
    assert (found["tasks"][0]["status"], found["tasks"][0]["agent_id"]) == ("PENDING", None)
    assert found["phase_summary"][0]["tasks"]["pending"] == 1
    assert await status(call, agent) == "offline"
    other = (await call("agent_register", {"name": "bob", "runtime": "codex"}))["id"]
    again = await call("start_task", {"task_id": task["task_id"], "agent_id": other})
    assert again["fence"] == 2
    done = await call(
        "complete_task",
        {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}, "agent_id": other},
    )
    assert done["files_changed"]["added"] == ["one"]


async def test_an_update_merges_and_null_clears_the_task(call):
    agent = await register(call, metadata={"a": 1, "b": 2})
    mission = (await call("start_mission", {"name": "x", "objective": "y"}))["mission_id"]
    task = (await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}))["task_id"]

    await call("agent_update", {"id": agent, "current_task_id": task, "metadata": {"b": 3}, "workspace_path": "/w"})
    found = await call("agent_get", {"id": agent})
    assert (found["current_task_id"], found["metadata"], found["status"]) == (task, {"a": 1, "b": 3}, "busy")
    await call("agent_update", {"id": agent, "status": "online"})
    assert (await call("agent_get", {"id": agent}))["current_task_id"] == task
    await call("agent_update", {"id": agent, "current_task_id": None})
    assert (await call("agent_get", {"id": agent}))["current_task_id"] is None


async def test_agents_are_listed_by_status_role_and_runtime(call, clock):
    old = await register(call)
    clock.advance(minutes=5)
    boss = (await call("agent_register", {"name": "boss", "runtime": "codex", "role": "coordinator"}))["id"]

    async def listed(**chosen):
        return [agent["id"] for agent in (await call("agent_list", chosen))["agents"]]

    assert await listed() == [boss, old]
    assert await listed(status=["online"]) == [boss]
    assert await listed(status=["offline"]) == [old]
    assert await listed(role="coordinator") == [boss]
    assert await listed(runtime="claude_code") == [old]


async def test_wrong_agents_runtimes_and_tasks_are_named(call):
    agent = await register(call)
    with pytest.raises(AgentNotFound):
        await call("agent_get", {"id": "a_0000000000"})
    with pytest.raises(InvalidInput, match="runtime: 'claude' is not one of"):
        await call("agent_register", {"name": "x", "runtime": "claude"})
    for wrong in ("work/tree", "~/tree"):
        with pytest.raises(InvalidInput, match=f"workspace_path: '{wrong}' is not an absolute path"):
            await call("agent_update", {"id": agent, "workspace_path": wrong})
    with pytest.raises(NotFound, match="t_0000000000"):
        await call("agent_heartbeat", {"agent_id": agent, "current_task_id": "t_0000000000"})


@pytest.mark.parametrize(
    "name", ["human", "Human", " operator ", "SYSTEM", "unknown", "mission", "Mission_Control", "a_x", "t_0123456789"]
)
async def test_nobody_registers_under_a_name_that_stands_for_somebody_else_or_for_an_id(call, name):
    with pytest.raises(InvalidInput, match="is not a valid agent name") as refused:
        await register(call, name=name)
    with pytest.raises(InvalidInput, match="is not a valid agent name"):
        await call("mcp__agent__create", {"type": "WORKER", "name": name})

    assert refused.value.details == {"field": "name"}
    assert (await call("agent_list", {}))["agents"] == []


async def test_an_agent_cannot_take_the_name_of_another_that_lives(call, clock):
    worker, ada = await register(call, name="bob"), await register(call, name="ada")

    with pytest.raises(InvalidState, match=f"agent {ada} is live and has the name 'ada'") as refused:
        await call("agent_register", {"name": "ada", "runtime": "custom"}, agent=worker)
    assert "Choose another name" in refused.value.hint
    chief = (await call("mcp__agent__create", {"type": "SUPERVISOR", "name": "chief"}))["id"]
    with pytest.raises(InvalidState, match="has the name 'ada'"):
        await call("mcp__agent__create", {"type": "WORKER", "name": "ada"}, agent=chief)
    for look_alike in ("Ada", "\u0430da", "ada\ufe0f"):
        with pytest.raises(InvalidState, match=f"agent {ada} is live and has the name 'ada'"):
            await call("agent_register", {"name": look_alike, "runtime": "custom"}, agent=worker)
    assert (await call("agent_get", {"id": "ada"}))["id"] == ada

    clock.advance(minutes=5)  # one that fell silent leaves its name to its successor
    successor = await call("agent_register", {"name": "ada", "runtime": "custom"}, agent=worker)
    assert (await call("agent_get", {"id": "ada"}))["id"] == successor["id"] != ada


async def test_whoever_registers_again_as_who_it_is_stays_that_agent(call):
    worker = await register(call, name="bob", capabilities=["python"])
    again = await call(
        "agent_register", {"name": "bob", "runtime": "custom", "workspace_path": "/tmp/there"}, agent=worker
    )
    session = {"role": "coordinator", "name": "codex-1", "metadata": {"session_id": "s1"}}
    first, same = await register(call, **session), await register(call, **session)
    other = await register(call, **{**session, "metadata": {"session_id": "s2"}})

    found = await call("agent_get", {"id": worker})
    assert again == {"id": worker, "name": "bob", "status": "online"}
    assert (found["capabilities"], found["workspace_path"]) == (["python"], "/tmp/there")
    assert first == same != other
    assert len((await call("agent_list", {}))["agents"]) == 3


async def test_an_agent_has_the_word_that_the_page_shows(call, make_agent, make_workflow, clock):
    ids = {name: await make_agent(name) for name in ("idle", "works", "asks", "left")}
    _, tasks = await make_workflow(*({"name": n, "description": "d", "sequence": 1} for n in ("one", "two")))
    for name, task in (("works", "one"), ("asks", "two")):
        await call("task_update_status", {"id": tasks[task], "status": "in_progress", "agent_id": ids[name]})
    held = {"status": "paused", "error": "Which?", "agent_id": ids["asks"]}
    await call("task_update_status", {"id": tasks["two"], **held})
    await call("agent_unregister", {"id": ids["left"]})
    fleet = {each["name"]: each["state"] for each in (await call("overview", {}))["fleet"]}

    listed = {each["name"]: each["state"] for each in (await call("agent_list", {}, agent=ids["idle"]))["agents"]}

    assert fleet == {name: state for name, state in listed.items() if name != "left"}
    assert {name: listed[name] for name in ("idle", "works", "left")} == {
        "idle": "idle",
        "works": "at_work",
        "left": "offline",
    }
    assert (await call("agent_get", {"id": ids["works"]}))["state"] == "at_work"
