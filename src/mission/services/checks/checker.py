"""Drives rounds of checks: takes the tree, runs what is due, records the outcomes, until the round is settled.

It reads the rows on every wake-up and every few seconds, so it finds the same work after a crash. Events only make it
faster.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain.checks.evidence import Evidence, EvidenceState, Outcome, Place, Role
from mission.domain.checks.round import CheckRound
from mission.domain.errors import MissionError, NotFound, TransientError
from mission.domain.tasks.changes import Changes
from mission.events.log import EventLog
from mission.services.checks import progress, reading
from mission.services.checks.check_place import CheckPlaces, StartTreeMissing
from mission.services.checks.check_runner import CheckRunner
from mission.services.checks.outcomes import outcome_of
from mission.services.checks.progress import Progress
from mission.services.repositories.working_trees import Trees
from mission.services.work import Work

log = logging.getLogger(__name__)

LOOK_SECONDS = 5.0
"""How often a round is read without a wake-up; its holder's lease is several times as long."""


class Checker:
    """The rounds that this process drives."""

    def __init__(
        self,
        work: Work,
        trees: Trees,
        runner: CheckRunner,
        places: CheckPlaces,
        events: EventLog,
        *,
        lease: timedelta,
        excuses: bool = True,
    ) -> None:
        """Create it; with `excuses`, a failure that also happens on the start tree does not stop a task."""
        self._excuses = excuses
        self._work = work
        self._trees = trees
        self._runner = runner
        self._places = places
        self._events = events
        self._lease = lease
        self._holder = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._driven: dict[str, asyncio.Task[bool]] = {}
        self._wake: dict[str, asyncio.Event] = {}
        self._follower: asyncio.Task[None] | None = None
        self._cleaning: set[asyncio.Task[None]] = set()
        self._stopping: set[str] = set()

    @property
    def terms(self) -> dict[str, Any]:
        """Return how this process drives a round."""
        return {"holder": self._holder, "excuses": self._excuses, "lease": self._lease}

    async def open(self) -> None:
        """Start to look for rounds on this host that no process drives. Only a daemon does this."""
        self.later(self._places.clear())
        self._start_following()

    async def close(self) -> None:
        """Stop driving; running checks keep running, and the next process continues with them."""
        tasks = [task for task in (self._follower, *self._driven.values(), *self._cleaning) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def settled(self, round_id: str, *, host_id: str, seconds: float) -> bool:
        """Drive the round if it is on this host; return whether it is settled within this many seconds."""
        deadline = asyncio.get_running_loop().time() + seconds
        if host_id == self._trees.host_id:
            task = self.drive(round_id)
            with suppress(TimeoutError):
                if await asyncio.wait_for(asyncio.shield(task), max(0.0, seconds)):
                    return True
        while True:
            seen = self._events.last
            if await self._work.read(progress.is_settled, round_id=round_id):
                return True
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            await self._events.wait(seen, seconds=min(left, 1.0))

    async def decided(self, candidate_id: str, *, seconds: float) -> bool:
        """Wait until a run has decided about a candidate; return whether it has within this many seconds."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            seen = self._events.last
            if await self._work.read(reading.is_decided, candidate_id=candidate_id):
                return True
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            await self._events.wait(seen, seconds=min(left, 1.0))

    async def stop(self, rows: Sequence[Evidence]) -> None:
        """End the commands of tries that are no longer needed."""
        await asyncio.gather(*(self._stop(row) for row in rows))

    async def _stop(self, row: Evidence) -> None:
        end = await self._runner.stop(row.id)
        outcome = Outcome(
            state=EvidenceState.LOST,
            seconds=round(end.seconds, 3),
            output=end.tail,
            output_bytes=end.output_bytes,
            reason="it was stopped because its outcome is no longer needed",
        )
        await self._work.write(progress.stopped, evidence_id=row.id, outcome=outcome)
        if row.role is not Role.RESULT:
            self.later(self._places.remove_start(row.id))

    def later(self, job: Coroutine[Any, Any, None]) -> None:
        """Do slow cleanup without making a caller wait for it."""
        task = asyncio.create_task(job)
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)

    def get_ready(self) -> None:
        """Prepare for a command while its place is prepared; it takes about as long."""
        self.later(self._runner.get_ready())

    def wake(self) -> None:
        """Look at every round now: a check ended, or a person decided."""
        for event in self._wake.values():
            event.set()

    async def _follow(self) -> None:
        while True:
            seen = self._events.last
            try:
                await self._adopt()
            except TransientError as error:  # the store is unavailable: the next round tries again
                log.warning("could not look for checks: %s", error.message)
            except Exception:
                log.exception("could not look for checks")
            self.wake()
            await self._events.wait(seen, seconds=LOOK_SECONDS)
            await asyncio.sleep(0.05)  # look at a busy log a few times a second, not at every event

    async def _adopt(self) -> None:
        """Drive rounds that no process drives, and end commands that outlived their round."""
        for round_id in await self._work.read(progress.abandoned, host_id=self._trees.host_id):
            self.drive(round_id)
        for row in await self._work.read(progress.unneeded_on_host, host_id=self._trees.host_id):
            if row.round_id not in self._driven and row.id not in self._stopping:
                self._stopping.add(row.id)
                self.later(self._stop_logged(row))

    async def _stop_logged(self, row: Evidence) -> None:
        try:
            await self._stop(row)
        except MissionError as error:  # the next look tries again
            log.warning("check %s could not be stopped: %s", row.id, error.message)
        finally:
            self._stopping.discard(row.id)

    def _start_following(self) -> None:
        if self._follower is None:
            self._follower = asyncio.create_task(self._follow())

    def drive(self, round_id: str, step: Progress | None = None) -> asyncio.Task[bool]:
        """Drive a round, unless this process already does; `step` is what opening it returned.

        The task returns whether the round is known to be settled.
        """
        self._start_following()  # a process that runs checks also takes turns with others
        task = self._driven.get(round_id)
        if task is None or task.done():
            self._wake[round_id] = asyncio.Event()
            task = self._driven[round_id] = asyncio.create_task(self._drive_logged(round_id, step))
            task.add_done_callback(lambda done: self._forget(round_id, done))
        return task

    def _forget(self, round_id: str, task: asyncio.Task[bool]) -> None:
        if self._driven.get(round_id) is task:
            del self._driven[round_id]
            self._wake.pop(round_id, None)
        self.wake()  # what it held is free for others

    async def _drive_logged(self, round_id: str, step: Progress | None) -> bool:
        """Drive a round; after a failure it stays open, and its lease ends soon."""
        driver = _Driver(self, round_id)
        try:
            return await driver.run(step)
        except asyncio.CancelledError:
            with suppress(MissionError):
                await asyncio.shield(self._work.write(progress.release, round_id=round_id, holder=self._holder))
            raise
        except MissionError as error:
            log.warning("retrying round %s of checks: %s", round_id, error.message)
        except Exception:
            log.exception("retrying round %s of checks", round_id)
        return False


class _Driver:
    """One round, from its first to its last check."""

    def __init__(self, checker: Checker, round_id: str) -> None:
        self._checker = checker
        self._round_id = round_id
        self._work = checker._work
        self._holder = checker._holder
        self._lease = checker._lease
        self._running: dict[str, asyncio.Task[Progress]] = {}
        self._rows: dict[str, Evidence] = {}
        self._starting: dict[str, asyncio.Task[None]] = {}
        self._may_idle: dict[str, bool] = {}

    async def run(self, step: Progress | None) -> bool:
        """Drive the round from its first step, or the one that opening it returned; return whether it is settled."""
        if step is None:
            step = await self._work.write(progress.begin, round_id=self._round_id, **self._checker.terms)
        if step is None:
            return False
        try:
            while not step.is_over:
                step = await self._next(step)
        except NotFound:  # its mission was deleted
            await self._stop(list(self._rows.values()))
            raise
        finally:
            for task in self._running.values():
                task.cancel()
        if step.round.is_open:
            return False
        await self._stop([*step.unneeded, *(self._rows[id] for id in self._running)])
        self._checker.later(self._checker._places.forget(step.round))
        return True

    async def _advance(self, **more: Any) -> Progress:
        return await self._work.write(
            progress.advance, round_id=self._round_id, holder=self._holder, lease=self._lease, **more
        )

    async def _next(self, step: Progress) -> Progress:
        """Do what the step asks for, and return the next one."""
        await self._stop(step.unneeded)
        if step.needs_tree:
            return await self._examine(step.round)
        for row in (*step.start, *step.running):
            if row.id not in self._running:
                self._rows[row.id] = row
                self._running[row.id] = asyncio.create_task(self._check(step.round, row))
        await self._idle_rules(step)
        wake = self._checker._wake[self._round_id]
        waking = asyncio.create_task(wake.wait())
        try:
            done, _ = await asyncio.wait(
                {waking, *self._running.values()}, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            waking.cancel()
        wake.clear()
        ended = [self._running.pop(row_id) for row_id, task in list(self._running.items()) if task in done]
        if not ended and not await self._is_due(step):
            return replace(step, start=(), running=(), unneeded=())
        steps = [await task for task in ended]
        if len(steps) == 1 or any(each.is_over for each in steps):
            return next((each for each in steps if each.is_over), steps[0])
        return await self._advance()  # which of several steps came last is not known

    async def _is_due(self, step: Progress) -> bool:
        return await self._work.read(progress.is_due, last=step, running=set(self._running), holder=self._holder)

    async def _stop(self, rows: Sequence[Evidence]) -> None:
        """End these checks, including one whose command is just being started."""
        by_id = {row.id: row for row in rows}
        for row_id in by_id:
            if (task := self._running.pop(row_id, None)) is not None:
                task.cancel()
        if starting := [self._starting[row_id] for row_id in by_id if row_id in self._starting]:
            await asyncio.wait(starting)
        await self._checker.stop(list(by_id.values()))

    async def _idle_rules(self, step: Progress) -> None:
        """Let a check be idle without a limit, unless it keeps others from running."""
        allowed = step.blocked == 0
        for row_id in self._starting.keys() & self._running.keys():
            if self._starting[row_id].done() and self._may_idle.get(row_id) is not allowed:
                self._may_idle[row_id] = allowed
                await self._checker._runner.allow_idle(row_id, allowed=allowed)

    async def _examine(self, round: CheckRound) -> Progress:
        """Take the tree: its id, and what changed in it since the start of the task."""
        try:
            taken = await self._checker._places.examine(round)
        except (MissionError, OSError) as error:
            reason = error.message if isinstance(error, MissionError) else error.strerror or str(error)
            return await self._work.write(
                progress.not_examined, round_id=round.id, holder=self._holder, reason=reason, lease=self._lease
            )
        return await self._work.write(
            progress.examined,
            round_id=round.id,
            holder=self._holder,
            tree=taken.tree,
            identity=taken.identity,
            changes=taken.changes,
            lease=self._lease,
        )

    async def _check(self, round: CheckRound, row: Evidence) -> Progress:
        """Run one check to its end, or wait for one that an earlier process started, and record the outcome."""
        places, runner = self._checker._places, self._checker._runner
        self._checker.get_ready()
        try:
            place = await places.prepare(round, row, was_started=runner.has_started(row.id))
        except StartTreeMissing as missing:
            return await self._work.write(
                progress.no_start_tree,
                round_id=round.id,
                evidence_id=row.id,
                holder=self._holder,
                reason=missing.reason,
                lease=self._lease,
            )
        starting = self._starting[row.id] = asyncio.create_task(runner.start(place.start))
        await asyncio.shield(starting)
        end = await runner.wait(row.id)
        drift, tests = await asyncio.gather(
            places.drift(round, row, place), places.tests(row, place, since=end.started_at)
        )
        outcome: Outcome = outcome_of(
            end,
            drift=drift,
            tests=tests,
            role=row.role,
            changed=_changed(round),
            is_ours=round.place is not Place.TASK,
        )
        if outcome.files and round.place is not Place.TASK:
            await places.restore(round)
        if row.role is not Role.RESULT:
            self._checker.later(places.leave(place))
        trees = {row.id: place.tree} if place.tree is not None else {}
        start_tree = await places.start_tree(round) if tests is not None and round.start_tree is None else None
        return await self._advance(outcomes={row.id: outcome}, trees=trees, start_tree=start_tree)


def _changed(round: CheckRound) -> frozenset[str]:
    """Return the paths that the round's task changed."""
    return frozenset(Changes.from_dict(round.changes).paths) if round.changes is not None else frozenset()
