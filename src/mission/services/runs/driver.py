"""Drives runs: reads the view of each, decides, carries out the steps, and looks again.

It reads the rows on every wake-up and every few seconds, so it finds the same work after a crash. Events only make it
faster.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial

from mission.domain.checks.round import RoundState
from mission.domain.errors import MissionError, TransientError
from mission.domain.runs.controller import next_steps
from mission.domain.runs.run import HOLDER_LEASE, Run
from mission.domain.runs.steps import Decision, Step
from mission.domain.runs.view import RunView
from mission.services.runs import holding
from mission.services.runs.agents.agent_steps import AGENT_STEPS
from mission.services.runs.context import RunContext, StepHandler
from mission.services.runs.host_facts import HostFacts
from mission.services.runs.lifecycle.lifecycle_steps import LIFECYCLE_STEPS
from mission.services.runs.merging.merge_steps import MERGE_STEPS
from mission.services.runs.step_runner import StepRunner
from mission.services.runs.view_reader import ProcessFacts, read_view
from mission.services.runs.worktrees.discarding import discard_unused

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""How often a run is looked at without a wake-up; its holder's lease is several times as long."""
RENEW_SECONDS = HOLDER_LEASE.total_seconds() / 4
"""How old the lease on a run may become before it is renewed."""
QUIET_SECONDS = 30.0
"""How often a run is read in which nothing is under way and nothing was written."""
GATHER_SECONDS = 0.05

HANDLERS: Mapping[type[Step], StepHandler] = {**AGENT_STEPS, **MERGE_STEPS, **LIFECYCLE_STEPS}


class RunDriver:
    """The runs that this process drives. Only a daemon does this."""

    def __init__(self, context: RunContext, *, handlers: Mapping[type[Step], StepHandler] = HANDLERS) -> None:
        self._context = context
        self._handlers = handlers
        self.holder = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.facts = HostFacts(context)
        self._driven: dict[str, asyncio.Task[None]] = {}
        self._wake: dict[str, asyncio.Event] = {}
        self._follower: asyncio.Task[None] | None = None
        self._tidying: asyncio.Task[None] | None = None
        self._tidied_at = float("-inf")

    async def open(self) -> None:
        """Start to drive the runs of this host that no daemon drives."""
        self._follower = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Stop driving; agents and checks keep running, and the next daemon continues with them."""
        tasks = [task for task in (self._follower, self._tidying, *self._driven.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def wake(self) -> None:
        """Look at every run now."""
        for event in self._wake.values():
            event.set()

    async def _follow(self) -> None:
        events = self._context.events
        seen = events.last
        while True:
            try:
                await self._adopt()
                self._tidy()
            except TransientError as error:  # the store is unavailable: the next look tries again
                log.warning("could not look for runs: %s", error.message)
            except Exception:
                log.exception("could not look for runs")
            is_new = await events.wait(seen, seconds=LOOK_SECONDS)
            seen = events.last  # before the pause: what is written during it is waited for no longer
            if is_new:
                self.wake()
            await asyncio.sleep(GATHER_SECONDS)  # look at a busy log a few times a second, not at every event

    async def _adopt(self) -> None:
        work, host_id = self._context.work, self._context.host_id
        for run_id in await work.read(holding.to_drive, host_id=host_id, holder=self.holder):
            if run_id not in self._driven:
                self._wake[run_id] = asyncio.Event()
                task = self._driven[run_id] = asyncio.create_task(self._drive_logged(run_id))
                task.add_done_callback(partial(self._forget, run_id))

    def _tidy(self) -> None:
        """Remove, now and then, the worktrees that ended runs have left."""
        now = asyncio.get_running_loop().time()
        if now - self._tidied_at > LOOK_SECONDS and (self._tidying is None or self._tidying.done()):
            self._tidied_at = now
            self._tidying = asyncio.create_task(self._tidy_logged())

    async def _tidy_logged(self) -> None:
        try:
            await discard_unused(self._context)
        except MissionError as error:
            log.warning("worktrees of ended runs are removed later: %s", error.message)
        except Exception:
            log.exception("worktrees of ended runs are removed later")

    def _forget(self, run_id: str, _: asyncio.Task[None]) -> None:
        self._driven.pop(run_id, None)
        self._wake.pop(run_id, None)
        self.facts.forget(run_id)

    async def _drive_logged(self, run_id: str) -> None:
        """Drive a run until it is over or another daemon drives it. An error never ends that for good."""
        wake = self._wake[run_id]
        runner = StepRunner(self._context, self._handlers, wake=wake.set)
        try:
            await _RunLoop(self, self._context, run_id, runner, wake).run()
        except asyncio.CancelledError:
            await runner.close()
            with suppress(MissionError):
                release = self._context.work.write(holding.release, run_id=run_id, holder=self.holder)
                await asyncio.shield(release)
            raise
        except MissionError as error:
            log.warning("run %s is looked at again: %s", run_id, error.message)
        except Exception:
            log.exception("run %s is looked at again", run_id)
        await runner.close()


class _RunLoop:
    """One run, from the moment this process drives it."""

    def __init__(
        self, driver: RunDriver, context: RunContext, run_id: str, runner: StepRunner, wake: asyncio.Event
    ) -> None:
        self._driver = driver
        self._context = context
        self._run_id = run_id
        self._runner = runner
        self._wake = wake
        self._held: Run | None = None
        self._held_at = float("-inf")
        self._live: list[str] = []
        self._is_checking = False
        self._read_at = float("-inf")
        self._seen = -1
        self._due: datetime | None = None

    async def run(self) -> None:
        while True:
            held = await self._hold()
            if held is None or not await self._look(held):
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), self._pause())
            self._wake.clear()

    async def _hold(self) -> Run | None:
        """Return the run if this process drives it. The lease is not renewed at every event; each view checks it."""
        now = asyncio.get_running_loop().time()
        if self._held is None or now - self._held_at > RENEW_SECONDS:
            self._held_at = now
            self._held = await self._context.work.write(holding.hold, run_id=self._run_id, holder=self._driver.holder)
        return self._held

    async def _look(self, run: Run) -> bool:
        """Read the view and carry out what follows. Return whether there is more to come."""
        loop = asyncio.get_running_loop()
        last = self._context.events.last
        if last == self._seen and not self._is_due() and loop.time() - self._read_at < self._rest():
            return True
        self._seen, self._read_at = last, loop.time()
        facts = await self._facts(run)
        view = await self._context.work.read(read_view, run_id=self._run_id, facts=facts)
        if view is None or view.run.holder != self._driver.holder or view.run.fence != run.fence:
            return False
        self._held = view.run
        self._live = [task.live.id for task in view.tasks if task.live is not None]
        self._is_checking = any(each.state is RoundState.OPEN for each in view.rounds.values())
        if not view.run.is_live and not self._live:
            self._context.launcher.forget_variables(self._run_id)
            return False
        decision = next_steps(view)
        self._due = decision.look_again_at
        await self._carry_out(view, decision)
        return True

    async def _facts(self, run: Run) -> ProcessFacts:
        return await self._driver.facts.of(
            run, live=self._live, launching=self._runner.launching(run), stopping=self._runner.stopping()
        )

    async def _carry_out(self, view: RunView, decision: Decision) -> None:
        if decision.steps:
            names = ", ".join(type(step).__name__ for step in decision.steps)
            log.debug("run %s: %s", view.run.id, names)
        await self._runner.carry_out(view.run, decision.steps)

    def _is_due(self) -> bool:
        again = self._runner.has_retries or self._runner.has_ended
        return again or (self._due is not None and self._due <= self._context.now())

    def _rest(self) -> float:
        """Return how long a run is not read if nothing was written."""
        is_under_way = self._live or self._is_checking or self._runner.is_busy
        return LOOK_SECONDS if is_under_way else QUIET_SECONDS

    def _pause(self) -> float:
        if self._due is None:
            return LOOK_SECONDS
        return min(LOOK_SECONDS, max(0.02, (self._due - self._context.now()).total_seconds()))
