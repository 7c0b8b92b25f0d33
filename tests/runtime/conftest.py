"""A daemon's inside, with which stand-in agents are launched."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mission.app import App
from mission.domain.executions.execution import Execution
from mission.runtime.runner import process_group
from mission.services.executions import commands
from mission.settings import Settings
from mission.store.transaction import Tx
from tests.conftest import Front

STANDIN = str(Path(__file__).parent / "fake_agent.py")
PATIENCE = 60.0


class Control:
    """Mission Control as a daemon runs it, and what a test asks of it."""

    def __init__(self, app: App, repository: Path) -> None:
        self.app = app
        self.call = Front(app)
        self.repository = repository

    async def task(self, **fields: Any) -> str:
        """A new task that nobody has, in a mission of the repository."""
        made = await self.call(
            "workflow_create",
            {
                "name": "Shop",
                "source_type": "prompt",
                "source_content": "x",
                "repository_path": str(self.repository),
                "max_parallel_tasks": 100,
            },
        )
        wanted = {"name": "Sort the shelves", "description": "Largest first", "sequence": 1, **fields}
        await self.call(
            "workflow_set_plan", {"id": made["id"], "plan": {"summary": "s", "approach": "a", "tasks": [wanted]}}
        )
        found = await self.call("workflow_get", {"id": made["id"], "include_tasks": True})
        return str(found["tasks"][0]["id"])

    async def launch(self, *arguments: str, task: str | None = None, **options: Any) -> dict[str, Any]:
        """A stand-in agent that runs."""
        program = options.pop("program", [sys.executable, "-u", STANDIN])
        return await self.call(
            "execution_launch",
            {
                "task_id": task or await self.task(),
                "adapter": "command",
                "arguments": [*program, *arguments],
                **options,
            },
        )

    async def execution(self, id: str) -> Execution:
        return await self.app.database.read(_execution, id=id)

    async def until(self, id: str, condition: Callable[[Execution], bool]) -> Execution:
        """The execution as soon as it is so."""
        async with asyncio.timeout(PATIENCE):
            while True:
                seen = self.app.events.last
                execution = await self.execution(id)
                if condition(execution):
                    return execution
                await self.app.events.wait(seen, seconds=1)

    async def ended(self, id: str) -> Execution:
        """The execution once it has ended and everything of it is cleared up."""
        execution = await self.until(id, lambda each: not each.is_live)
        async with asyncio.timeout(PATIENCE):
            while self.app.launcher.follower(id) is not None:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)
        return execution

    async def until_task(self, task: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The task as soon as it is so."""
        async with asyncio.timeout(PATIENCE):
            while True:
                seen = self.app.events.last
                found = await self.call("task_get", {"id": task})
                if condition(found):
                    return found
                await self.app.events.wait(seen, seconds=1)

    async def waiting(self) -> list[dict[str, Any]]:
        """What waits for a person."""
        return list((await self.call("queue_list"))["items"])

    async def until_waiting(self) -> list[dict[str, Any]]:
        """What waits for a person, once something does."""
        async with asyncio.timeout(PATIENCE):
            while not (found := await self.waiting()):
                await self.app.events.wait(self.app.events.last, seconds=1)
        return found

    async def words(self, task: str) -> tuple[str, str, str]:
        """What the task, its agent and its execution show, as every page reads them."""
        newest = await self.newest(task)
        overview = await self.call("overview_mission", {"mission_id": newest.mission_id})
        runs = await self.call("overview_executions", {})
        fleet = (await self.call("overview"))["fleet"]
        shown = next(each["state"] for each in overview["tasks"] if each["id"] == task)
        run = next(each for each in runs["executions"] if each["id"] == newest.id)
        agent = next(each["state"] for each in fleet if each["id"] == newest.agent_id)
        assert run["task_state"] == shown
        return shown, agent, run["status"]

    async def newest(self, task: str) -> Execution:
        """The execution of a task that was launched last."""
        found = await self.app.database.read(_newest, task=task)
        assert found is not None
        return found

    async def the_next(self, task: str, *, after: str) -> Execution:
        """The execution of a task that comes after this one."""
        async with asyncio.timeout(PATIENCE):
            while (newest := await self.newest(task)).id == after:
                await self.app.events.wait(self.app.events.last, seconds=1)
        return newest

    async def all_carried_out(self) -> None:
        """Return once nothing is due for any execution of this host."""
        async with asyncio.timeout(PATIENCE):
            while await self.app.database.read(commands.due, host_id=self.app.settings.host_id):  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    def pretend(self, program: Path, script: str) -> Path:
        """A program under a client's name; what the launch is given so that it is found first."""
        program.write_text(f"#!/bin/sh\n{script}")
        program.chmod(0o755)
        handover = self.app.settings.home / "handover" / "h"
        handover.parent.mkdir()
        handover.write_text(json.dumps({"PATH": f"{program.parent}:{os.environ['PATH']}"}))
        return handover

    async def observations(self, id: str) -> list[tuple[str, str]]:
        """What was recorded of an execution: kinds and event ids."""
        return await self.app.database.read(_observations, id=id)

    async def leaves_nothing(self, id: str) -> bool:
        """Whether nothing is left, once what is still going has gone."""
        async with asyncio.timeout(PATIENCE):
            while self.app.launcher.folder(id).exists() and self.left(id):  # noqa: ASYNC110 - a process tells nobody
                await asyncio.sleep(0.05)
        return True

    def left(self, id: str) -> list[str]:
        """What is left of an execution beside its transcript: files and processes."""
        folder = self.app.launcher.folder(id)
        files = [path.name for path in folder.iterdir() if not path.name.startswith("transcript.")]
        return [*files, *map(str, process_group.members(id, group=None))]


@pytest.fixture
async def control(sqlite_settings: Settings, repository: Path) -> AsyncIterator[Control]:
    """A daemon without its doors, on SQLite; nothing it launched outlives the test."""
    async with _running(sqlite_settings, repository) as made:
        yield made


@pytest.fixture
async def either_control(settings: Settings, repository: Path) -> AsyncIterator[Control]:
    """The same on each of the two databases."""
    async with _running(settings, repository) as made:
        yield made


@asynccontextmanager
async def _running(settings: Settings, repository: Path) -> AsyncIterator[Control]:
    app = App(settings, role="a test")
    async with app.running(periodic=True):
        made = Control(app, repository)
        yield made
        for id in list(app.launcher._followers):
            await app.launcher.stop(id)


def _execution(tx: Tx, *, id: str) -> Execution:
    return tx.executions.get(id)


def _newest(tx: Tx, *, task: str) -> Execution | None:
    return tx.executions.newest_of_task(task)


def _observations(tx: Tx, *, id: str) -> list[tuple[str, str]]:
    return [
        (each.type, each.event_id) for each in reversed(tx.observations.page(id, type=None, limit=1000, after=None))
    ]
