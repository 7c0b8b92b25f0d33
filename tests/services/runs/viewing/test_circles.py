"""Agents that go in circles: the same call with the same arguments ten times, long polls excepted."""

from __future__ import annotations

import pytest

from mission.domain.ids import new_id
from mission.services.runs.viewing.circles import SAME_CALLS, going_in_circles
from tests.services.conftest import fake_executions as fake_executions
from tests.started_runs import runs as runs


class Agent:
    """A launched agent of a run that calls tools."""

    def __init__(self, runs, fake_executions, clock):
        self.runs = runs
        self.clock = clock
        self.executions = fake_executions
        self.execution = None

    async def launch(self):
        task_id = (await self.runs.tasks())["one"].id
        self.execution = (await self.executions.launch(task_id)).execution
        await self.executions.start(self.execution.id)

    async def calls(self, tool="task_get", times=1, **arguments):
        """Write what the audit trail keeps of each call."""
        rows = [self._row(tool, arguments) for _ in range(times)]
        await self.runs.write(lambda tx: tx.audit.add(rows))

    def _row(self, tool, arguments):
        now = self.clock()
        facts = {"mission_id": None, "task_id": None, "result": None, "error": None, "trace": None, "status": "ok"}
        caller = {"transport": "http", "caller": "agent", "agent_id": self.execution.agent_id}
        return {"id": new_id("audit entry"), "at": now, "finished_at": now, "tool": tool, "arguments": arguments} | (
            facts | caller
        )

    async def seen(self):
        return await self.runs.read(lambda tx: going_in_circles(tx, run_id=self.runs.id))


@pytest.fixture
async def agent(runs, fake_executions, clock):
    await runs.running()
    found = Agent(runs, fake_executions, clock)
    await found.launch()
    return found


async def test_the_tenth_call_with_the_same_arguments_is_a_circle_and_says_what_was_repeated(agent):
    await agent.calls(times=SAME_CALLS - 1, id="t_1", more={"b": 1, "a": 2})
    await agent.calls(times=SAME_CALLS - 1, id="t_2")
    assert await agent.seen() == {}

    await agent.calls(more={"a": 2, "b": 1}, id="t_1")

    what = 'It called task_get 10 times with the same arguments: {"id": "t_1", "more": {"a": 2, "b": 1}}'
    assert await agent.seen() == {agent.execution.id: what}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("wait_for_events", {"since": 4}),
        ("agent_heartbeat", {"agent_id": "a_1"}),
        ("task_checks", {"task_id": "t_1"}),
        ("task_get", {"wait_seconds": 5}),
    ],
)
async def test_calls_that_are_meant_to_be_repeated_are_no_circle(agent, tool, arguments):
    await agent.calls(tool, times=SAME_CALLS * 2, **arguments)

    assert await agent.seen() == {}


async def test_words_about_waiting_do_not_hide_a_circle(agent):
    await agent.calls("add_note", times=SAME_CALLS, text="I wait and poll")

    assert list(await agent.seen()) == [agent.execution.id]


async def test_calls_of_long_ago_and_of_an_agent_that_has_ended_are_forgotten(agent):
    await agent.calls(times=SAME_CALLS - 1)
    agent.clock.advance(minutes=31)
    await agent.calls()
    assert await agent.seen() == {}
    await agent.calls(times=SAME_CALLS)
    assert list(await agent.seen()) == [agent.execution.id]

    await agent.executions.end(agent.execution.id, "completed")

    assert await agent.seen() == {}
