"""What the page shows of launched agents, and what agents used."""

from __future__ import annotations

import pytest

from mission.services.executions import state as executions
from tests.fake_executions import FakeExecutions


@pytest.fixture
def fake_executions(app, call):
    return FakeExecutions(app, call)


async def test_launched_agents_come_with_names_counts_and_what_they_used(fake_executions, call, app):
    ids = [(await fake_executions.launch()).execution.id for _ in range(3)]
    await fake_executions.end(ids[0], "failed", exit_code=2, reason="it crashed")
    for tokens, cost in ((100, 0.5), (900, 1.25)):  # a client tells its sums again and again
        usage = {"input_tokens": tokens, "output_tokens": 10, "cost_usd": cost}
        await app.database.write(executions.record_usage, execution_id=ids[1], usage=usage)
    by_hand = (await call("agent_register", {"name": "ada", "runtime": "custom", "role": "worker"}))["id"]
    mission = (await call("start_mission", {"name": "m", "objective": "o"}))["mission_id"]
    task = await call("start_task", {"mission_id": mission, "name": "t", "goal": "g"}, agent=by_hand)
    told = {"tokens_input": 4_000, "tokens_output": 200, "tests_status": "not_run"}
    ended = {"task_id": task["task_id"], "status": "success", "outcome": {"summary": "s"}, "metadata": told}
    await call("complete_task", ended, agent=by_hand)

    first = await call("overview_executions", {"limit": 2})
    rest = await call("overview_executions", {"limit": 2, "cursor": first["next_cursor"]})
    agents = [row["agent_id"] for row in first["executions"]]
    spending = await call("overview_spending", {"agent_ids": [*agents, by_hand]})

    assert [row["id"] for row in (*first["executions"], *rest["executions"])] == ids[::-1]
    of_task = await call("overview_executions", {"task_id": first["executions"][0]["task_id"]})
    assert {row["task_id"] for row in of_task["executions"]} == {first["executions"][0]["task_id"]}
    assert (await call("overview_executions", {"task_id": task["task_id"]}))["executions"] == []
    assert first["counts"] == {"starting": 2, "failed": 1}
    newest = first["executions"][0]
    assert (newest["agent_name"], newest["task_name"], newest["task_state"]) == (
        "command",
        "Write the parser",
        "working",
    )
    assert newest["lease_until"] is not None
    assert rest["executions"][0]["lease_until"] is None
    assert newest["shown_at"] is None
    assert spending["agents"] == [
        {"agent_id": agents[1], "tokens": 910, "cost_usd": 1.25},
        {"agent_id": by_hand, "tokens": 4_200, "cost_usd": 0.0},
    ]


async def test_the_audit_leaves_out_what_came_over_one_way(call):
    await call("start_mission", {"name": "m", "objective": "o"})

    assert (await call("audit_list", {"except_transport": "page"}))["entries"] != []
    assert (await call("audit_list", {"except_transport": "test"}))["entries"] == []
