"""What the command palette finds, on both databases."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput


@pytest.fixture
async def plan(call):
    """A mission with three tasks; an agent works on the second one and the third one is blocked."""
    made = await call("workflow_create", {"name": "Ledger", "source_type": "prompt", "source_content": "Books"})
    tasks = [
        {"name": "Ledger tables", "description": "x", "sequence": 1, "depends_on": []},
        {"name": "Import the ledger", "description": "x", "sequence": 1, "depends_on": []},
        {"name": "Ledger report", "description": "x", "sequence": 1, "depends_on": []},
    ]
    plan = {"summary": "s", "approach": "a", "tasks": tasks}
    await call("workflow_set_plan", {"id": made["id"], "plan": plan})
    rows = (await call("workflow_get", {"id": made["id"], "include_tasks": True}))["tasks"]
    ids = {task["name"]: task["id"] for task in rows}
    agent = (await call("agent_register", {"name": "zoe", "runtime": "codex", "role": "worker"}))["id"]
    for name in ("Import the ledger", "Ledger report"):
        await call("task_claim", {"task_id": ids[name], "agent_id": agent})
        await call("task_update_status", {"task_id": ids[name], "status": "in_progress", "agent_id": agent})
    blocked = {"id": ids["Ledger report"], "status": "blocked", "error": "No printer", "agent_id": agent}
    await call("task_update_status", blocked)
    return {"mission": made["id"], "agent": agent, **ids}


async def find(call, query, **more):
    return (await call("overview_find", {"query": query, **more}))["targets"]


async def test_the_best_name_comes_first_and_what_needs_a_person_before_its_equals(call, plan):
    found = await find(call, "ledger")

    assert [(target["kind"], target["name"], target["needs_you"]) for target in found] == [
        ("mission", "Ledger", True),
        ("task", "Ledger report", True),
        ("task", "Ledger tables", False),
        ("task", "Import the ledger", False),
    ]


async def test_a_row_says_what_it_belongs_to_and_how_it_is(call, plan):
    assert await find(call, "import") == [
        {
            "kind": "task",
            "id": plan["Import the ledger"],
            "name": "Import the ledger",
            "detail": "Ledger",
            "state": "working",
            "needs_you": False,
        }
    ]


async def test_agents_are_found_by_name(call, plan):
    found = await find(call, "ZO")

    assert [(target["kind"], target["id"], target["needs_you"]) for target in found] == [("agent", plan["agent"], True)]


async def test_the_beginning_of_an_id_finds_its_owner(call, plan):
    for kind, id in (("mission", plan["mission"]), ("task", plan["Ledger tables"]), ("agent", plan["agent"])):
        assert (kind, id) in [(target["kind"], target["id"]) for target in await find(call, id[:-2])]
        assert (await find(call, id))[0]["id"] == id


async def test_the_limit_holds_and_signs_alone_find_nothing(call, plan):
    assert len(await find(call, "ledger", limit=2)) == 2
    assert await find(call, "%") == []
    assert await find(call, "m_") == []
    with pytest.raises(InvalidInput):
        await find(call, " ")
