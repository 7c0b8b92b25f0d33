"""Signs of life of running programs: their output, their calls of tools, the CPU time of everything they started."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mission.gateway.agent_calls import AgentCalls
from mission.runtime.runner.cpu_time import cpu_seconds
from mission.runtime.runner.process_group import members
from mission.runtime.running.follower import Follower

QUIET = timedelta(seconds=30)
"""A program without output for this long is asked for its CPU time."""
USED_SECONDS = 0.1
"""Less CPU time than this between two looks is not work: an event loop that waits uses a little."""


@dataclass(frozen=True, slots=True)
class _Sample:
    cpu: float
    active_at: datetime


class LifeSigns:
    """Remembers when each program last used CPU time."""

    def __init__(self, clock: Callable[[], datetime], calls: AgentCalls) -> None:
        self._clock = clock
        self._calls = calls
        self._samples: dict[str, _Sample] = {}

    def sample(self, followers: Sequence[Follower]) -> None:
        """Look at the CPU time of programs that have been quiet for a while. Slow: it reads the process table."""
        now = self._clock()
        quiet = [each for each in followers if (shown := each.screen.shown_at) is None or now - shown > QUIET]
        kept = {each.execution.id: self._sampled(each, now) for each in quiet}
        self._samples = {id: sample for id, sample in kept.items() if sample is not None}

    def _sampled(self, follower: Follower, now: datetime) -> _Sample | None:
        program = follower.process.program
        if program is None:
            return self._samples.get(follower.execution.id)
        cpu = cpu_seconds(members(follower.execution.id, group=program))
        before = self._samples.get(follower.execution.id)
        is_active = before is None or abs(cpu - before.cpu) >= USED_SECONDS
        return _Sample(cpu, now if is_active or before is None else before.active_at)

    def active_at(self, follower: Follower) -> datetime | None:
        """Return when a program last showed life; None if nothing is known yet."""
        sample = self._samples.get(follower.execution.id)
        called = self._calls.last_at(follower.execution.agent_id)
        return _latest(follower.screen.shown_at, sample.active_at if sample else None, called)

    def in_tool_since(self, follower: Follower) -> datetime | None:
        """Return when the newest tool call began that is open: one of ours, or one that its client tells of."""
        return _latest(follower.tool_calls.since, self._calls.open_since(follower.execution.agent_id))


def _latest(*moments: datetime | None) -> datetime | None:
    return max((each for each in moments if each is not None), default=None)
