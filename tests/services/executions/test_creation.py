"""Launching an agent on a task: one at a time, with secrets of which only digests are kept."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState
from mission.domain.executions.signals import Delivery
from mission.services.agents import access_tokens


async def test_only_an_agent_that_reports_by_mcp_gets_a_token_for_it(fake_executions):
    with_mcp = await fake_executions.launch()
    without = await fake_executions.launch(delivery=Delivery.STDOUT_MARKER)

    assert with_mcp.execution.token_hash == access_tokens.hash_of(with_mcp.token)
    assert (without.token, without.execution.token_hash) == (None, None)
    for created in (with_mcp, without):
        assert created.agent_token not in repr(created)
        bearer = await fake_executions.app.database.read(access_tokens.bearer_of, token=created.agent_token)
        assert (bearer.agent.id, bearer.toolsets) == (created.agent.id, "worker")


async def test_an_agent_is_named_as_wished_else_after_its_client(fake_executions):
    plain = await fake_executions.launch()
    named = await fake_executions.launch(agent_name="ada")

    assert (plain.agent.name, named.agent.name) == ("command", "ada")
    assert named.agent.metadata["launched"] is True
    assert named.execution.host_id == "test-host"


async def test_a_task_is_launched_again_once_its_execution_has_ended_with_another_agent(fake_executions):
    first = await fake_executions.launch()
    await fake_executions.end(first.execution.id, "stopped")

    second = await fake_executions.launch(first.task.id)

    assert second.agent.id != first.agent.id
    assert second.task.fence == first.task.fence + 1


async def test_only_an_ended_execution_of_the_same_task_is_resumed(fake_executions):
    live, other = await fake_executions.launch(), await fake_executions.launch()
    await fake_executions.end(other.execution.id, "stopped")

    with pytest.raises(InvalidState, match="cannot be resumed"):
        await fake_executions.launch(await fake_executions.task(), resumes=live.execution.id)
    with pytest.raises(InvalidState, match="cannot be resumed"):
        await fake_executions.launch(await fake_executions.task(), resumes=other.execution.id)

    resumed = await fake_executions.launch(other.task.id, resumes=other.execution.id)
    assert (resumed.agent.id, resumed.execution.resumes) == (other.agent.id, other.execution.id)


async def test_a_refused_launch_leaves_no_agent_and_no_execution_behind(fake_executions, call):
    created = await fake_executions.launch()

    with pytest.raises(InvalidState, match="working on task"):
        await fake_executions.launch(created.task.id, agent_name="second")

    assert len((await call("agent_list"))["agents"]) == 1
    assert len((await call("execution_list"))["executions"]) == 1
