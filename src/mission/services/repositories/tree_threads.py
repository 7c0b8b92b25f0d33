"""Threads for slow work on trees, of which no tree gets more than a few: one that hangs holds up only itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from mission.domain.errors import TransientError

Result = TypeVar("Result")

THREADS = 32
AT_ONCE = 4
"""How many of the threads one tree may have."""
END_SECONDS = 15.0
END_PAUSE = 0.05

log = logging.getLogger(__name__)


class TreeThreads:
    """Runs functions in threads, for each tree a few at once."""

    def __init__(self, name: str) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix=name)
        self._lanes: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._running: set[Future[Any]] = set()

    async def run(self, tree: str | Path, function: Callable[[], Result]) -> Result:
        """What the function answers, once the tree has a thread for it."""
        lane = self._lanes.get(str(tree))
        if lane is None:
            self._lanes[str(tree)] = lane = asyncio.Semaphore(AT_ONCE)
        await lane.acquire()
        loop = asyncio.get_running_loop()

        def ended(future: Future[Any]) -> None:
            # When the thread ends, not when its caller gives up: until then it is taken.
            self._running.discard(future)
            with suppress(RuntimeError):  # the loop may be gone
                loop.call_soon_threadsafe(lane.release)

        try:
            future = self._pool.submit(function)
        except RuntimeError:
            lane.release()
            raise _stopping() from None
        self._running.add(future)
        future.add_done_callback(ended)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # the caller left
            raise _stopping() from None

    async def close(self, end_all: Callable[[], None]) -> None:
        """End what runs and what waits, again and again: what was ended may have gone on with something else."""
        self._pool.shutdown(wait=False, cancel_futures=True)  # first, so that nothing begins after it is ended here
        loop = asyncio.get_running_loop()
        deadline = loop.time() + END_SECONDS
        end_all()
        while self.is_busy:
            if loop.time() > deadline:
                log.warning("work on a tree does not end and is left behind")
                return
            await asyncio.sleep(END_PAUSE)
            end_all()

    @property
    def is_busy(self) -> bool:
        return bool(self._running)


def _stopping() -> TransientError:
    return TransientError("Mission Control is stopping")
