"""The daemons of a simulated mission: one or two homes on one database, in each of which a new one follows a death."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from datetime import datetime

from tests.simulation.daemon import SimulatedDaemon, Started
from tests.simulation.ports.inline_store import InlineDatabase
from tests.simulation.ports.launching import Script
from tests.simulation.ports.machine import Machine
from tests.simulation.ports.mortality import Heart

SOON = 500
"""A daemon that is to die or to freeze does so within so many beats."""
RESTS = (0.1, 2.0, 20.0)
"""How many seconds pass until the next daemon starts."""


class Fleet:
    """Starts daemons, lets them die, and starts others."""

    def __init__(
        self,
        databases: list[InlineDatabase],
        machine: Machine,
        *,
        rng: random.Random,
        clock: Callable[[], datetime],
        script: Script,
        started: Started,
        deaths: int,
        freezes: int,
    ) -> None:
        self._databases = databases
        self.machine = machine
        self._rng = rng
        self._clock = clock
        self._script = script
        self._started = started
        self._left = deaths
        self._freezes = freezes
        self.deaths = 0
        self._alive: dict[int, SimulatedDaemon] = {}

    @property
    def daemon(self) -> SimulatedDaemon | None:
        """A daemon that takes calls; None while all are dead."""
        return next(iter(self._alive.values()), None)

    def lives(self) -> list[asyncio.Task[None]]:
        """Start the life of each home."""
        return [asyncio.create_task(self._live(number)) for number in range(len(self._databases))]

    async def bury(self) -> None:
        for daemon in list(self._alive.values()):
            await daemon.heart.bury()

    async def _live(self, number: int) -> None:
        while True:
            daemon = self._alive[number] = SimulatedDaemon(
                self._databases[number],
                self.machine,
                clock=self._clock,
                script=self._script,
                started=self._started,
                heart=self._heart(),
                home=f"/simulated/homes/{number}",
            )
            await daemon.run()
            del self._alive[number]
            self.deaths += 1
            await asyncio.sleep(self._rng.choice(RESTS))

    def _heart(self) -> Heart:
        dies, freezes = self._left > 0, self._freezes > 0
        self._left -= int(dies)
        self._freezes -= int(freezes)
        return Heart(
            dies_at=self._rng.randrange(1, SOON) if dies else None,
            freezes_at=self._rng.randrange(1, SOON) if freezes else None,
            rng=self._rng,
        )
