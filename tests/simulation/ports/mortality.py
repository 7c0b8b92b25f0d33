"""A daemon that can die at any await: what it was doing is dropped, and nothing of it happens afterward."""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

from mission.services.checks.check_runner import CheckExit, CheckStart
from mission.services.work import BackgroundWork
from mission.store.database import Database
from tests.simulation.ports.machine import Machine
from tests.simulation.ports.memory_git import MemoryRepository
from tests.simulation.ports.memory_trees import MemoryTrees

OWNER: contextvars.ContextVar[Heart | None] = contextvars.ContextVar("owner", default=None)
"""The daemon that a task belongs to."""


FREEZES = (10.0, 40.0, 120.0)
"""So many seconds a process may stand still, as when its machine sleeps: others may take its runs over."""


class Killed(asyncio.CancelledError):
    """The daemon is dead."""


class Heart:
    """Counts the moments at which a daemon may die, and knows all of its tasks."""

    def __init__(self, *, dies_at: int | None, rng: random.Random, freezes_at: int | None = None) -> None:
        self.dead = False
        self.beats = 0
        self._freezes_at = freezes_at
        self._frozen_until = 0.0
        self.died = asyncio.Event()
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self._dies_at = dies_at
        self._rng = rng

    async def beat(self) -> None:
        """Let time pass, or others go first; or die."""
        if self.dead:
            raise Killed
        self.beats += 1
        if self.beats == self._dies_at:
            self.kill()
            raise Killed
        if self.beats == self._freezes_at:
            self._frozen_until = asyncio.get_running_loop().time() + self._rng.choice(FREEZES)
        while (rest := self._frozen_until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(rest)
            if self.dead:
                raise Killed
        chance = self._rng.random()
        if chance < 0.2:
            await asyncio.sleep(0 if chance < 0.17 else chance)
            if self.dead:
                raise Killed

    def kill(self) -> None:
        self.dead = True
        self.died.set()

    async def bury(self) -> None:
        """Drop everything that was in memory."""
        self.dead = True
        while left := [task for task in self.tasks if not task.done()]:
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=1)

    def start(self, job: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start a task of this daemon."""
        context = contextvars.Context()
        context.run(OWNER.set, self)
        return asyncio.get_running_loop().create_task(job, context=context)


def track_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Let every task be known to the daemon that it belongs to."""

    def made(loop: Any, job: Any, *, context: contextvars.Context | None = None) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(job, loop=loop, context=context)
        owner = context.run(OWNER.get) if context is not None else OWNER.get()
        if owner is not None:
            owner.tasks[task] = None
            task.add_done_callback(lambda done: owner.tasks.pop(done, None))
        return task

    loop.set_task_factory(made)


class MortalWork(BackgroundWork):
    """The store of a daemon: it may die before a transaction, or after it, without ever seeing its result."""

    def __init__(self, database: Database, heart: Heart) -> None:
        super().__init__(database)
        self._heart = heart

    async def read(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        await self._heart.beat()
        return await super().read(function, **arguments)

    async def write(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        await self._heart.beat()
        done = await super().write(function, **arguments)
        await self._heart.beat()
        return done

    finish = write


class MortalTrees(MemoryTrees):
    """Git as a daemon sees it."""

    def __init__(
        self, repository: MemoryRepository, *, host_id: str, clock: Callable[[], datetime], heart: Heart
    ) -> None:
        super().__init__(repository, host_id=host_id, clock=clock)
        self._heart = heart

    async def pause(self) -> None:
        await self._heart.beat()


class MortalChecks:
    """The runner of checks as a daemon sees it."""

    def __init__(self, machine: Machine, heart: Heart) -> None:
        self._machine = machine
        self._heart = heart

    async def start(self, start: CheckStart) -> None:
        await self._heart.beat()
        self._machine.start_command(start)
        await self._heart.beat()

    async def wait(self, evidence_id: str) -> CheckExit:
        await self._heart.beat()
        if evidence_id not in self._machine.commands:
            return CheckExit(lost=True)
        return await asyncio.shield(self._machine.commands[evidence_id].end)

    async def stop(self, evidence_id: str) -> CheckExit:
        await self._heart.beat()
        self._machine.stop_command(evidence_id)
        return await self.wait(evidence_id)

    async def get_ready(self) -> None:
        pass

    async def allow_idle(self, evidence_id: str, *, allowed: bool) -> None:
        pass

    def has_started(self, evidence_id: str) -> bool:
        return evidence_id in self._machine.commands

    def output(self, evidence_id: str) -> Path:
        return Path("/simulated/output") / evidence_id

    async def forget(self, evidence_id: str) -> None:
        pass
