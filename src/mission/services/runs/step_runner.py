"""Carries out the steps of one run: short ones in order, slow ones next to each other, failed ones again later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

from mission.domain.errors import MissionError
from mission.domain.runs.decisions import choices
from mission.domain.runs.run import Run
from mission.domain.runs.steps import (
    Advance,
    Ask,
    Build,
    CheckFinal,
    CheckMerged,
    CheckTip,
    Freeze,
    Land,
    Launch,
    LookBefore,
    MarkChecked,
    SendBack,
    Step,
    StopExecution,
    Withdraw,
)
from mission.services.runs.context import RunContext, StepHandler

log = logging.getLogger(__name__)

MERGING = (Build, CheckMerged, CheckTip, MarkChecked, Advance, SendBack)
"""Steps that are carried out one after the other: they share the integration branch and the merge worktree."""
WHOLE_RUN = (LookBefore, CheckFinal, Land)
FIRST_DELAY = 0.5
MAX_DELAY = 60.0
VAIN_SECONDS = 5.0
"""How long steps that changed nothing are not repeated, unless something happens: they would be asked for at once."""
TOLD = 6
"""After how many failures in a row, within about half a minute, a person is told."""
LASTING = ("merge", "run")
"""Lanes whose trouble an earlier daemon may have told."""


class StepRunner:
    """The steps of one run that are under way in this process."""

    def __init__(
        self, context: RunContext, handlers: Mapping[type[Step], StepHandler], *, wake: Callable[[], None]
    ) -> None:
        self._context = context
        self._handlers = handlers
        self._wake = wake
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._launching: dict[str, Launch] = {}
        self._stopping: set[str] = set()
        self._worked: set[str] = set()
        self._failed: dict[str, tuple[int, float]] = {}
        """For each lane how often in a row it failed, and when it is tried again."""
        self._vain: dict[str, tuple[Sequence[Step], int, float]] = {}
        """For each lane the steps that changed nothing, the newest event then, and when."""
        self.has_ended = False
        """Whether slow steps have ended since the last look: what had to wait for them can begin."""

    @property
    def is_busy(self) -> bool:
        return bool(self._tasks)

    @property
    def has_retries(self) -> bool:
        """Return whether a failed step is to be tried again now."""
        now = asyncio.get_running_loop().time()
        return any(at <= now for _, at in self._failed.values())

    def launching(self, run: Run) -> dict[str, str]:
        """Return the launches under way: for each task the client."""
        agents = run.wanted.agents
        return {
            task_id: agents[step.agent].client if step.agent < len(agents) else ""
            for task_id, step in self._launching.items()
        }

    def stopping(self) -> frozenset[str]:
        """Return the executions that are being ended."""
        return frozenset(self._stopping)

    async def carry_out(self, run: Run, steps: Sequence[Step]) -> None:
        """Carry out the short steps now, and start the slow ones."""
        self.has_ended = False
        lanes: dict[str, list[Step]] = {}
        short: dict[str, Step] = {}
        for step in steps:
            lane = _lane(step)
            if lane is None:
                short[f"{type(step).__name__} {step}"] = step
            else:
                lanes.setdefault(lane, []).append(step)
        self._forget_failures({*short, *lanes})
        for name, step in short.items():
            await self._run_lane(run, name, [step])
        for lane, chosen in lanes.items():
            if lane not in self._tasks:
                self._start(run, lane, chosen)

    async def close(self) -> None:
        """Stop what is under way; the next process finds the same work in the rows."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _start(self, run: Run, lane: str, steps: Sequence[Step]) -> None:
        if not self._may_try(lane) or self._is_vain(lane, steps):
            return
        for step in steps:
            if isinstance(step, Launch):
                self._launching[step.task_id] = step
            elif isinstance(step, StopExecution):
                self._stopping.add(step.execution_id)
        task = self._tasks[lane] = asyncio.create_task(self._run_lane(run, lane, steps))
        task.add_done_callback(partial(self._done, lane, steps, self._context.events.last))

    def _is_vain(self, lane: str, steps: Sequence[Step]) -> bool:
        """Return whether the same steps changed nothing just now, and nothing has happened since: something is busy."""
        before, last, at = self._vain.get(lane, ((), -1, 0.0))
        is_same = list(before) == list(steps) and last == self._context.events.last
        return is_same and asyncio.get_running_loop().time() < at + VAIN_SECONDS

    def _done(self, lane: str, steps: Sequence[Step], seen: int, _: asyncio.Task[None]) -> None:
        self._tasks.pop(lane, None)
        self._vain.pop(lane, None)
        if lane not in self._failed and self._context.events.last == seen:
            self._vain[lane] = (steps, seen, asyncio.get_running_loop().time())
        for step in steps:
            if isinstance(step, Launch):
                self._launching.pop(step.task_id, None)
            elif isinstance(step, StopExecution):
                self._stopping.discard(step.execution_id)
        self.has_ended = True
        self._wake()

    async def _run_lane(self, run: Run, lane: str, steps: Sequence[Step]) -> None:
        """Carry out steps in order. A step that fails ends the lane, which is tried again after a growing delay."""
        if not self._may_try(lane):
            return
        try:
            for step in steps:
                await self._run_step(run, step)
        except MissionError as error:
            log.warning("run %s: %s is tried again: %s", run.id, lane.split(" ")[0], error.message)
            await self._note_failure(run, lane, error.message)
        except Exception as error:
            log.exception("run %s: %s is tried again", run.id, lane.split(" ")[0])
            await self._note_failure(run, lane, str(error) or type(error).__name__)
        else:
            times, _ = self._failed.pop(lane, (0, 0.0))
            if times >= TOLD or (lane in LASTING and lane not in self._worked):
                self._worked.add(lane)
                await self._tell(run, Withdraw(key=_trouble(lane), reason="it works again"))

    async def _run_step(self, run: Run, step: Step) -> None:
        handler = self._handlers.get(type(step))
        if handler is None:
            log.error("run %s: nothing carries out %s", run.id, type(step).__name__)
            return
        await handler(self._context, run, step)

    def _forget_failures(self, wanted: Collection[str]) -> None:
        """Forget failed steps that nobody wants any more: their retry would never come."""
        now = asyncio.get_running_loop().time()
        self._failed = {lane: each for lane, each in self._failed.items() if lane in wanted or each[1] > now}

    def _may_try(self, lane: str) -> bool:
        return self._failed.get(lane, (0, 0.0))[1] <= asyncio.get_running_loop().time()

    async def _note_failure(self, run: Run, lane: str, reason: str) -> None:
        """Try the lane again later; a person hears of what keeps failing."""
        loop = asyncio.get_running_loop()
        times = self._failed.get(lane, (0, 0.0))[0] + 1
        delay = min(MAX_DELAY, FIRST_DELAY * 2 ** (times - 1))
        self._failed[lane] = (times, loop.time() + delay)
        loop.call_later(delay, self._wake)
        if times % TOLD == 0:
            await self._tell(
                run,
                choices.about_run(
                    _trouble(lane),
                    subject=f"A step of the run keeps failing: {reason}",
                    body="It is retried automatically. See the log of Mission Control for details.",
                    choices=(choices.LOOK_AGAIN, choices.STOP),
                ),
            )

    async def _tell(self, run: Run, step: Ask | Withdraw) -> None:
        with suppress(MissionError):  # the store may be what fails
            await self._run_step(run, step)


def _trouble(lane: str) -> str:
    """Return the key of the question about steps that keep failing."""
    return f"trouble:{lane.replace(' ', ':')[:100]}"


def _lane(step: Step) -> str | None:
    """Return the group in which a slow step is carried out; None for a short one."""
    if isinstance(step, Launch):
        return f"launch {step.task_id}"
    if isinstance(step, StopExecution):
        return f"stop {step.execution_id}"
    if isinstance(step, Freeze):
        return f"freeze {step.candidate_id}"  # at once: it must not wait until a merge worktree is set up
    if isinstance(step, MERGING):
        return "merge"
    return "run" if isinstance(step, WHOLE_RUN) else None
