"""Several processes on one database take tasks of one plan: each task exactly once, within the limit."""

from __future__ import annotations

import textwrap

from mission.app import App
from mission.gateway.caller import Caller
from tests import forked_processes as processes

PROCESSES = 4
TASKS = 60
PROGRAM = textwrap.dedent(
    """
    import asyncio
    from pathlib import Path
    from mission import tools
    from mission.app import App
    from mission.gateway.caller import Caller
    from mission.gateway.registry import Registry
    from mission.settings import Settings

    Registry(tools)  # imports them all, once for every process

    async def claim(home, url, agent):
        app = App(Settings(home=Path(home), database_url=url, host_id="test-host"), role="a claimer")
        async with app.running(periodic=False):
            while True:
                taken = await app.gateway("task_claim_next", {"agent_id": agent}, Caller(transport="test"))
                if not taken["success"]:
                    return
                say(taken["task"]["id"], taken["fence"])

    def main(*arguments):
        asyncio.run(claim(*arguments))
    """
)


async def test_processes_take_every_task_once_and_none_is_lost(settings):
    agents, id = await _prepare(settings, parallel=1000)

    taken = _run(settings, agents)

    assert len(taken) == len({task for task, _ in taken}) == TASKS
    assert {fence for _, fence in taken} == {"1"}
    assert await _count(settings, id) == TASKS


async def test_processes_keep_the_limit_together(settings):
    agents, id = await _prepare(settings, parallel=7)

    assert len(_run(settings, agents)) == 7
    assert await _count(settings, id) == 7


async def _prepare(settings, *, parallel):
    async with _opened(settings) as call:
        new = {"name": "W", "source_type": "prompt", "source_content": "x", "max_parallel_tasks": parallel}
        id = (await call("workflow_create", new))["id"]
        tasks = [{"name": f"t{number}", "description": "d", "sequence": 1} for number in range(TASKS)]
        await call("workflow_set_plan", {"id": id, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
        agents = [
            (await call("agent_register", {"name": f"agent{number}", "runtime": "custom"}))["id"]
            for number in range(PROCESSES)
        ]
    return agents, id


async def _count(settings, id):
    """How many tasks have an owner."""
    async with _opened(settings) as call:
        found = await call("workflow_get", {"id": id, "include_tasks": True, "include_task_summaries": False})
    return sum(task["assigned_agent_id"] is not None for task in found["tasks"])


def _run(settings, agents):
    lines = processes.run(PROGRAM, [[str(settings.home), settings.database_url, agent] for agent in agents])
    return [tuple(line.split()) for line in lines]


class _opened:  # noqa: N801 - used like a function
    def __init__(self, settings):
        self._app = App(settings, role="a test")
        self._running = self._app.running(periodic=False)

    async def __aenter__(self):
        await self._running.__aenter__()
        return lambda tool, arguments: self._app.gateway(tool, arguments, Caller(transport="test"))

    async def __aexit__(self, *problem):
        await self._running.__aexit__(*problem)
