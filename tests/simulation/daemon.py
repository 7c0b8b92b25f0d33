"""A daemon of the simulation: the real driver, checker and delivery on ports that can be killed at any call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mission.domain.checks.slot import TreeSlot
from mission.events.log import EventLog
from mission.runtime.message_delivery import MessageDelivery
from mission.services.agents.registration import LivenessSettings
from mission.services.checks.check_place import CheckPlaces
from mission.services.checks.checker import Checker
from mission.services.checks.gate import CheckGate
from mission.services.runs.context import RunContext
from mission.services.runs.driver import RunDriver
from mission.services.runs.merging.submission import RunGate
from mission.store.database import Database
from tests.simulation.ports.launching import Script, SimulatedLauncher
from tests.simulation.ports.machine import Machine, Program
from tests.simulation.ports.mortality import Heart, MortalChecks, MortalTrees, MortalWork

HOST = "simulated-host"
LIVENESS = LivenessSettings(heartbeat=timedelta(seconds=30), lease=timedelta(seconds=900))
WORKTREES = Path("/simulated/runs")


Started = Callable[[Program, str], None]
"""Is told about a program that is about to start, and which holder of runs launches it."""


class CheckMachine:
    """What a check needs of its host."""

    def environment(self, *, path: str | None, variables: Any, task_id: str | None, slot: TreeSlot) -> dict[str, str]:
        return {}

    def count_tests(self, folder: Path, *, glob: str | None, since: float) -> None:
        return None


class SimulatedDaemon:
    """One life of a daemon."""

    def __init__(
        self,
        database: Database,
        machine: Machine,
        *,
        clock: Callable[[], datetime],
        script: Script,
        started: Started,
        heart: Heart,
        home: str,
    ) -> None:
        self.heart = heart
        self.work = MortalWork(database, heart)
        self.trees = MortalTrees(machine.repository, host_id=HOST, clock=clock, heart=heart)
        self.events = EventLog(database)
        self.launcher = SimulatedLauncher(
            self.work,
            self.trees,
            heart=heart,
            machine=machine,
            liveness=LIVENESS,
            script=script,
            started=lambda program: started(program, self._driver.holder),
            clock=clock,
            home=home,
        )
        runner: Any = MortalChecks(machine, heart)
        places = CheckPlaces(self.work, self.trees, CheckMachine())
        self.checker = Checker(self.work, self.trees, runner, places, self.events, lease=LIVENESS.lease)
        self.context = RunContext(
            work=self.work,
            trees=self.trees,
            launcher=self.launcher,
            checker=self.checker,
            events=self.events,
            liveness=LIVENESS,
            worktrees=WORKTREES,
            agent_slots=4,
            min_free_gb=0.0,
            clock=clock,
        )
        self.gate = RunGate(CheckGate(self.checker, lease=LIVENESS.lease, wait_seconds=45.0), self.context)
        delivered: Any = self.launcher
        self._delivery = MessageDelivery(delivered, self.work, self.events, host_id=HOST)
        self._driver = RunDriver(self.context)

    async def run(self) -> None:
        """Live until death."""
        self.heart.start(self._open())
        await self.heart.died.wait()
        await self.heart.bury()

    async def _open(self) -> None:
        await self.events.open()
        await self.launcher.open()
        await self._delivery.open()
        await self.checker.open()
        await self._driver.open()

    async def call(self, job: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Do something as a call to this daemon; raise ConnectionError if it dies meanwhile."""
        if self.heart.dead:
            raise ConnectionError
        task = self.heart.start(job())
        await asyncio.wait([task])
        if task.cancelled() or self.heart.dead:
            raise ConnectionError
        return task.result()
