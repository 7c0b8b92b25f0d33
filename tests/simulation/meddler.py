"""What people do to a running mission without being asked: they pause it, skip and add tasks, commit, delete."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

from mission.domain.errors import MissionError
from mission.domain.runs.run import Run
from mission.domain.tasks.states import DONE, TaskStatus
from mission.services.missions import planning
from mission.services.missions.planning import NewTask
from mission.services.runs.lifecycle import controls, run_view
from mission.services.tasks import status_changes
from mission.services.tasks.starting import Owner
from mission.services.tasks.status_changes import StatusChange
from mission.services.work import BackgroundWork
from mission.store.database import Database
from mission.store.transaction import Tx
from tests.simulation.exams import ADDED
from tests.simulation.fleet import Fleet
from tests.simulation.ports.launching import KnownClients
from tests.simulation.ports.memory_git import MemoryRepository

TOGETHER = 4
"""So many things a person does in one mission."""


class Meddler:
    """A person with ideas. What is refused was not allowed, and that is all."""

    def __init__(
        self, database: Database, repository: MemoryRepository, fleet: Fleet, *, run_id: str, rng: random.Random
    ) -> None:
        self._work = BackgroundWork(database)
        self._repository = repository
        self._fleet = fleet
        self._run_id = run_id
        self._rng = rng
        self.main = repository.branches["main"]
        """Where the person put the own branch."""
        self._deeds: Sequence[Callable[[], Awaitable[None]]] = (
            self._pause,
            self._skip,
            self._add,
            self._stop_an_agent,
            self._commit_on_branch,
            self._commit_on_main,
            self._delete_a_worktree,
            self._delete_the_branch,
        )

    async def live(self) -> None:
        for _ in range(TOGETHER):
            await asyncio.sleep(self._rng.choice((1.0, 5.0, 20.0, 60.0)))
            with suppress(MissionError):
                await self._rng.choice(self._deeds)()
        await asyncio.Event().wait()

    async def _pause(self) -> None:
        launcher: Any = KnownClients()
        await self._work.write(controls.pause, run_id=self._run_id, mission_id=None, reason=None)
        await asyncio.sleep(self._rng.choice((1.0, 30.0, 100.0)))
        await controls.resume(self._work, launcher, run_id=self._run_id, mission_id=None)

    async def _skip(self) -> None:
        await self._work.write(_skip_one, run_id=self._run_id, rng=self._rng)

    async def _add(self) -> None:
        await self._work.write(_add_task, run_id=self._run_id)

    async def _stop_an_agent(self) -> None:
        daemon, live = self._fleet.daemon, self._fleet.machine.running
        if daemon is not None and live:
            chosen = self._rng.choice(live)
            with suppress(ConnectionError):
                await daemon.call(lambda: daemon.launcher.stop(chosen.execution_id))

    async def _commit_on_branch(self) -> None:
        run = await self._work.read(_run, run_id=self._run_id)
        if run.branch in self._repository.branches:
            note = f"notes/person-{self._rng.randrange(1_000)}.txt"
            self._repository.commit_on(run.branch, {note: "by hand\n"}, subject="A note")

    async def _commit_on_main(self) -> None:
        note = f"notes/main-{self._rng.randrange(1_000)}.txt"
        self.main = self._repository.commit_on("main", {note: "by hand\n"}, subject="A note")

    async def _delete_a_worktree(self) -> None:
        """Delete a worktree in which nobody works."""
        busy = {each.directory for each in await self._work.read(_live, run_id=self._run_id)}
        free = [path for path in self._repository.worktrees if path != self._repository.top and str(path) not in busy]
        if free:
            del self._repository.worktrees[self._rng.choice(free)]

    async def _delete_the_branch(self) -> None:
        run = await self._work.read(_run, run_id=self._run_id)
        if run.is_live:
            self._repository.branches.pop(run.branch, None)
            self._repository.deleted.add(run.branch)


def _run(tx: Tx, *, run_id: str) -> Run:
    return tx.runs.get(run_id)


def _live(tx: Tx, *, run_id: str) -> list[Any]:
    return tx.executions.live(host_id=tx.runs.get(run_id).host_id)


def _skip_one(tx: Tx, *, run_id: str, rng: random.Random) -> None:
    tasks = [each for each in run_view.tasks_of(tx, tx.runs.get(run_id).mission_id) if each.status not in DONE]
    if tasks:
        wanted = StatusChange(status=TaskStatus.SKIPPED)
        owner = Owner(agent_id=None, lease=timedelta())
        status_changes.shift(tx, task_id=rng.choice(tasks).id, wanted=wanted, owner=owner)


def _add_task(tx: Tx, *, run_id: str) -> None:
    run = tx.runs.get(run_id)
    planning.extend(tx, mission_id=run.mission_id, new=[NewTask(name=ADDED, description="do it", sequence=1)])
