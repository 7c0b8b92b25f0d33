"""Threads for slow work on trees, only a few per repository: one that hangs blocks only itself."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from mission.domain.errors import TransientError
from mission.git.background_threads import in_background
from mission.git.repository_guard import repository_of

Result = TypeVar("Result")

THREADS = 64
WORKERS = 8
"""How many of the threads one repository may use, with all its folders and worktrees."""
FINDERS = 16
FIND_SECONDS = 1.0
"""Seconds within which a responsive file system shows which repository a path belongs to."""
MAX_KNOWN = 10_000
UNANSWERED = "trees whose file system does not respond"
END_SECONDS = 15.0
END_PAUSE = 0.05

log = logging.getLogger(__name__)


class TreeThreads:
    """Runs functions in threads, a few at once per repository. The process does not wait for them at exit."""

    def __init__(self, name: str, *, workers: int = WORKERS) -> None:
        self._name = name
        self._workers = workers
        self._free = asyncio.Semaphore(THREADS)
        self._lanes: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._repositories: dict[str, str] = {}
        self._searches: dict[str, Future[Path]] = {}
        self._waiting: set[asyncio.Task[Any]] = set()
        self._running: set[Future[Any]] = set()
        self._closed = False

    async def run(self, tree: str | Path, function: Callable[[], Result]) -> Result:
        """Return the function's result, once the tree's repository has a thread for it."""
        repository = await self._repository(str(tree))
        lane = self._lanes.get(repository)
        if lane is None:
            self._lanes[repository] = lane = asyncio.Semaphore(self._workers)
        await self._turn(lane)
        try:
            await self._turn(self._free)
        except BaseException:
            lane.release()
            raise
        return await asyncio.wrap_future(self._started(function, lane))

    def _started(self, function: Callable[[], Result], lane: asyncio.Semaphore) -> Future[Result]:
        loop = asyncio.get_running_loop()

        def release() -> None:
            lane.release()
            self._free.release()

        def ended(future: Future[Any]) -> None:
            # When the thread ends, not when its caller gives up: until then it is in use.
            self._running.discard(future)
            with suppress(RuntimeError):  # the loop may be gone
                loop.call_soon_threadsafe(release)

        try:
            future = in_background(function, name=self._name)
        except BaseException:  # the system has no more threads
            release()
            raise
        self._running.add(future)
        future.add_done_callback(ended)
        return future

    async def _turn(self, semaphore: asyncio.Semaphore) -> None:
        """Acquire the semaphore, unless we stop before it is free."""
        if not semaphore.locked() and not self._closed:
            await semaphore.acquire()
            return
        waiting = asyncio.ensure_future(semaphore.acquire())
        self._waiting.add(waiting)
        if self._closed:
            waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                if waiting.done() and not waiting.cancelled():
                    semaphore.release()
                waiting.cancel()
                raise  # the caller left
            raise _stopping() from None
        finally:
            self._waiting.discard(waiting)

    async def _repository(self, path: str) -> str:
        """Return a key for the path's repository. It is cached: it only decides who shares threads."""
        if path in self._repositories or not path.startswith("/"):
            return self._repositories.get(path, path)
        search = self._searches.get(path)
        if search is None:
            if len(self._searches) >= FINDERS:
                return UNANSWERED
            self._searches[path] = search = in_background(repository_of, Path(path), name=f"{self._name}-finder")
        answered = asyncio.wrap_future(search)
        await asyncio.wait({answered}, timeout=FIND_SECONDS)
        if not answered.done():
            answered.add_done_callback(lambda _: self._searches.pop(path, None))
            return UNANSWERED
        self._searches.pop(path, None)
        if len(self._repositories) >= MAX_KNOWN:
            self._repositories.clear()
        self._repositories[path] = str(answered.result())
        return self._repositories[path]

    async def close(self, end_all: Callable[[], None]) -> None:
        """End running and waiting work, repeatedly: ended work may have continued with something else."""
        self._closed = True  # first, so that nothing starts after this
        for waiting in list(self._waiting):
            waiting.cancel()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + END_SECONDS
        end_all()
        while self.is_busy:
            if loop.time() > deadline:
                log.warning("work on a tree did not end and was abandoned")
                return
            await asyncio.sleep(END_PAUSE)
            end_all()

    @property
    def is_busy(self) -> bool:
        return bool(self._running)


def _stopping() -> TransientError:
    return TransientError("Mission Control is stopping")
