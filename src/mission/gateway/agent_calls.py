"""Calls of agents as signs of life: when each agent last called, and since when a call of it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

MAX_AGENTS = 1_000
"""Above this many agents, those that called longest ago are dropped."""


class AgentCalls:
    """Remembers the calls of agents to this process; a long poll is a sign of life, but no work under way."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._last: dict[str, datetime] = {}
        self._open: dict[str, list[datetime]] = {}

    @contextmanager
    def during(self, agent_id: str, *, is_long_poll: bool) -> Iterator[None]:
        """Note a call of an agent while it is answered."""
        began = self._note(agent_id)
        if not is_long_poll:
            self._open.setdefault(agent_id, []).append(began)
        try:
            yield
        finally:
            if not is_long_poll:
                self._close(agent_id, began)
            self._note(agent_id)

    def last_at(self, agent_id: str) -> datetime | None:
        """Return when an agent last began or ended a call; None if it made none."""
        return self._last.get(agent_id)

    def open_since(self, agent_id: str) -> datetime | None:
        """Return when the newest call of an agent began that is still being answered."""
        return max(self._open.get(agent_id, ()), default=None)

    def _note(self, agent_id: str) -> datetime:
        now = self._clock()
        self._last.pop(agent_id, None)
        if len(self._last) >= MAX_AGENTS:
            del self._last[next(iter(self._last))]
        self._last[agent_id] = now
        return now

    def _close(self, agent_id: str, began: datetime) -> None:
        calls = self._open[agent_id]
        calls.remove(began)
        if not calls:
            del self._open[agent_id]
