"""Executions as an operator sees them."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput, InvalidState, NotFound
from mission.domain.executions.execution import OperatorMessageState
from mission.services.executions import commands
from tests.fake_executions import FakeExecutions


@pytest.fixture
def fake_executions(app, call):
    return FakeExecutions(app, call)


async def test_executions_are_listed_newest_first_page_by_page(fake_executions, call):
    ids = [(await fake_executions.launch()).execution.id for _ in range(3)]
    await fake_executions.end(ids[0], "failed", exit_code=2, reason="it crashed")

    first = await call("execution_list", {"limit": 2})
    rest = await call("execution_list", {"limit": 2, "cursor": first["next_cursor"]})
    failed = await call("execution_list", {"status": ["failed"]})

    assert [row["id"] for row in (*first["executions"], *rest["executions"])] == ids[::-1]
    assert rest["next_cursor"] is None
    assert [(row["id"], row["exit_code"], row["reason"]) for row in failed["executions"]] == [(ids[0], 2, "it crashed")]


async def test_an_execution_shows_its_protocol_and_no_secret(fake_executions, call):
    created = await fake_executions.launch()

    found = await call("execution_get", {"id": created.execution.id})

    assert found["transport"] == {"selected": "mcp-tool", "degraded": False}
    assert found["protocol"]["mcp"]["serverName"] == "open-mission-mcp"
    assert (found["task_name"], found["agent_name"]) == ("Write the parser", "command")
    assert created.token not in str(found)
    assert created.agent_token not in str(found)
    with pytest.raises(NotFound):
        await call("execution_get", {"id": "x_0000000000"})


async def test_a_message_to_a_running_agent_is_kept_with_what_became_of_it(fake_executions, call, app):
    created = await fake_executions.launch()
    id = created.execution.id

    nudge = await call("execution_message", {"execution_id": id, "kind": "nudge"})
    words = await call("execution_message", {"execution_id": id, "text": "Use port 8080"})
    await app.database.write(commands.mark_delivered, message_id=nudge["id"], state=OperatorMessageState.DELIVERED)
    await app.database.write(
        commands.mark_delivered, message_id=words["id"], state=OperatorMessageState.FAILED, reason="no terminal"
    )

    kept = (await call("execution_get", {"id": id}))["messages"]
    assert [(each["kind"], each["state"], each["reason"], each["author"]) for each in kept] == [
        ("text", "failed", "no terminal", "operator"),
        ("nudge", "delivered", None, "operator"),
    ]
    with pytest.raises(InvalidInput, match="must not be empty"):
        await call("execution_message", {"execution_id": id})
    await fake_executions.end(id)
    with pytest.raises(InvalidState, match="cannot receive messages"):
        await call("execution_message", {"execution_id": id, "kind": "resume"})


async def test_a_mission_is_deleted_only_when_none_of_its_agents_runs_and_with_what_they_showed(
    fake_executions, call, app
):
    execution = (await fake_executions.launch()).execution
    mission = {"mission_id": execution.mission_id}
    folder = app.launcher.folder(execution.id)
    folder.mkdir(parents=True)
    await call("complete_mission", {**mission, "status": "failed", "summary": "no more"})

    with pytest.raises(InvalidState, match=f"still has running agents: {execution.id}"):
        await call("mission_delete", mission)
    await fake_executions.end(execution.id)
    await call("mission_delete", mission)

    assert not folder.exists()


async def test_observations_are_read_back_with_their_payloads(fake_executions, call):
    created = await fake_executions.launch()
    await fake_executions.signal(created.execution.id, "e1", "progress", summary="Reading", artifacts=["src/app.py"])
    await fake_executions.signal(created.execution.id, "e2", "message", channel="agent", text="Hello")

    found = await call("execution_observations", {"execution_id": created.execution.id, "type": "progress"})

    [row] = found["observations"]
    assert (row["event_id"], row["origin"], row["policy"], row["status"]) == ("e1", "mcp-tool", "progress", "promoted")
    assert row["payload"] == {"summary": "Reading", "artifacts": [{"path": "src/app.py"}]}
