"""What the tests of plans share: missions with a plan, and agents."""

from __future__ import annotations

import pytest


def planned(name, *, sequence=1, after=(), **more):
    """One task of a plan."""
    return {"name": name, "description": f"do {name}", "sequence": sequence, "depends_on": list(after), **more}


@pytest.fixture
def make_workflow(call):
    """A workflow; with tasks it is planned. Answers its id and the ids of its tasks by name."""

    async def make(*tasks, parallel=100, **more):
        arguments = {"name": "W", "source_type": "prompt", "source_content": "Build it", "max_parallel_tasks": parallel}
        id = (await call("workflow_create", arguments | more))["id"]
        if tasks:
            await call("workflow_set_plan", {"id": id, "plan": {"summary": "s", "approach": "a", "tasks": list(tasks)}})
        found = await call("workflow_get", {"id": id, "include_tasks": True})
        return id, {task["name"]: task["id"] for task in found["tasks"]}

    return make


@pytest.fixture
def make_agent(call):
    """A registered agent's id."""

    async def make(name="ada", **more):
        return (await call("agent_register", {"name": name, "runtime": "custom", **more}))["id"]

    return make
