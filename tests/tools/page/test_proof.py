"""The evidence of a task, and commands that wait for approval, read through the tools of the page."""

from __future__ import annotations

import pytest

from tests.transports.served_calls import served


@pytest.fixture
async def call(app):
    async with served(app) as front:
        yield front


async def test_the_page_reads_each_check_with_its_command_outcome_and_output(call, repository):
    mission = await call("start_mission", {"name": "m", "objective": "o", "repository_path": str(repository)})
    checks = [{"name": "tests", "run": "echo fine"}, {"name": "docs", "changed": ["docs/**"], "required": False}]
    await call("checks_set", {"scope": "mission", "id": mission["mission_id"], "checks": checks})
    task = (await call("start_task", {"mission_id": mission["mission_id"], "name": "t", "goal": "g"}))["task_id"]
    (repository / "new.txt").write_text("new\n")
    await call("complete_task", {"task_id": task, "status": "success", "outcome": {"summary": "s"}})

    seen = await call("overview_proof", {"task_id": task})

    tests, docs = seen["checks"]
    assert (seen["state"], seen["running"], seen["advice"], seen["can_accept"]) == ("proved", False, False, False)
    assert (tests["asks"], tests["state"], tests["origin"], tests["exit_code"]) == ("echo fine", "passed", "mission", 0)
    assert (docs["asks"], docs["state"], docs["required"], docs["output_id"]) == (
        "changed docs/**",
        "failed",
        False,
        None,
    )
    output = await call("evidence_output", {"id": tests["output_id"]})
    assert (output["text"], output["ended"]) == ("fine\n", True)
    [row] = (await call("overview_mission", {"mission_id": mission["mission_id"]}))["tasks"]
    assert (row["state"], row["checks"]) == ("proved", {"passed": 1, "failed": 0, "total": 1})


async def test_the_page_reads_the_exact_commands_that_an_item_asks_about(call, make_workflow, make_agent):
    _, tasks = await make_workflow({"name": "a", "description": "d", "sequence": 1, "depends_on": []})
    agent = await make_agent("ada")
    await call("task_claim", {"task_id": tasks["a"], "agent_id": agent})
    check = {"name": "test", "run": "make test", "seconds": 30}
    await call("checks_set", {"scope": "task", "id": tasks["a"], "checks": [check], "agent_id": agent})
    [item] = (await call("queue_list", {"kind": ["checks"]}))["items"]

    seen = await call("overview_proposed_checks", {"item_id": item["id"]})

    [command] = seen["commands"]
    assert (command["run"], command["env"], command["seconds"], command["tasks"]) == ("make test", {}, 30, ["a"])
    assert command["approval"] == "pending"
