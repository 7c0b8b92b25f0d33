"""An event loop whose time jumps to the next timer as soon as nothing else is left to do."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any


class Standstill(Exception):
    """Nothing is left that could ever happen."""


class BusyLoop(AssertionError):
    """Something asks again and again instead of waiting."""


SPAN = 10.0
MAX_TURNS = 2_000
"""A loop that is busy takes a few hundred turns within that time."""


class _TimeSelector(selectors.BaseSelector):
    """Waits for no file; instead of waiting it moves the clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self._turns = 0
        self._counted_since = 0.0
        self._keys: dict[Any, selectors.SelectorKey] = {}

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj)

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Standstill
        self.now += max(0.0, timeout)
        self._turns += 1
        if self.now >= self._counted_since + SPAN:
            self._turns, self._counted_since = 0, self.now
        if self._turns > MAX_TURNS:
            raise BusyLoop(f"nothing_waits_by_asking_again_and_again: {MAX_TURNS} turns within {SPAN:.0f} seconds")
        return []

    def get_map(self) -> dict[Any, selectors.SelectorKey]:
        return self._keys


class VirtualLoop(asyncio.SelectorEventLoop):
    """Runs everything in one thread: what asks for another thread is done at once."""

    def __init__(self) -> None:
        self._time = _TimeSelector()
        super().__init__(self._time)

    def time(self) -> float:
        return self._time.now

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:
        return self.call_soon(callback, *args, context=context)

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        done = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - it belongs to who awaits it
            done.set_exception(error)
        return done


class VirtualClock:
    """The wall clock of a virtual loop; two looks never show the same time."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self._begun = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
        self._looks = 0

    def __call__(self) -> datetime:
        self._looks += 1
        return self._begun + timedelta(seconds=self._loop.time(), microseconds=self._looks)
