"""The event log for its readers: committed events reach them in order, from any process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mission.events.bus import Bus, Topic
from mission.store.database import Database
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

PAGE = 500
AGAIN_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class EventPage:
    """A page of the log, and the numbers of the oldest and newest event at the moment of reading."""

    events: Sequence[StoredEvent]
    complete: bool
    oldest: int
    newest: int

    def reaches(self, since: int) -> bool:
        """Return whether a reader that stopped at `since` misses nothing by continuing here."""
        return self.oldest - 1 <= since <= self.newest


class EventLog:
    """Publishes commits on the bus and reads events that a late reader missed."""

    def __init__(self, database: Database) -> None:
        self.bus = Bus()
        self.last = 0
        self.closing = False
        self._database = database
        self._missed = asyncio.Event()
        self._waiters: dict[asyncio.Future[None], None] = {}
        """In their order: who waited first continues first."""
        self._tasks: list[asyncio.Task[None]] = []
        self._end_watch: Callable[[], None] = lambda: None

    async def open(self) -> None:
        self.last = await self._database.read(_newest)
        self._database.on_commit = self._committed
        loop = asyncio.get_running_loop()

        def changed() -> None:
            loop.call_soon_threadsafe(self._missed.set)

        self._end_watch = self._database.backend.watch(changed)
        self._tasks = [asyncio.create_task(self._catch_up())]

    async def close(self) -> None:
        await asyncio.to_thread(self._end_watch)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def read(self, topic: Topic, *, since: int, limit: int = PAGE) -> EventPage:
        """Return the topic's events after a number."""
        return await self._database.read(_read_page, topic=topic, since=since, limit=limit)

    async def wait(self, since: int, *, seconds: float) -> bool:
        """Return True once something newer than the number is published, False at the timeout or when closed."""
        if self.last > since:
            return True
        waiter = asyncio.get_running_loop().create_future()
        self._waiters[waiter] = None
        try:
            await asyncio.wait([waiter], timeout=seconds)
        finally:
            self._waiters.pop(waiter, None)
        return self.last > since

    def wake_waiters(self) -> None:
        """Release every waiting reader before the shutdown."""
        self.closing = True
        self._wake()
        self.bus.wake()

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _committed(self, events: Sequence[StoredEvent]) -> None:
        """Publish our own commit immediately, unless another process's events come first."""
        if events[0].seq == self.last + 1:
            self._publish(events)
        else:
            self._missed.set()

    def _publish(self, events: Sequence[StoredEvent]) -> None:
        self.last = events[-1].seq
        self.bus.publish(events)
        self._wake()

    async def _catch_up(self) -> None:
        while True:
            await self._missed.wait()
            self._missed.clear()
            try:
                events = await self._database.read(_since, since=self.last, limit=PAGE)
            except Exception:  # listeners must get events again once the store can be read
                log.warning("the event log cannot be read right now; retrying", exc_info=True)
                await asyncio.sleep(AGAIN_SECONDS)
                self._missed.set()
                continue
            fresh = [event for event in events if event.seq > self.last]
            if fresh:
                self._publish(fresh)
            if len(events) == PAGE:
                self._missed.set()


def _newest(tx: Tx) -> int:
    return tx.events.newest()


def _since(tx: Tx, *, since: int, limit: int) -> list[StoredEvent]:
    return tx.events.since(since, limit=limit)


def _read_page(tx: Tx, *, topic: Topic, since: int, limit: int) -> EventPage:
    """Return the events that a reader can continue with; for one that cannot, only the numbers to restart from."""
    empty = EventPage(events=[], complete=True, oldest=tx.events.oldest(), newest=tx.events.newest())
    if not empty.reaches(since):
        return empty
    events = tx.events.since(since, limit=limit, mission_id=topic.mission_id)
    return replace(
        empty,
        events=[event for event in events if topic.matches(event)],
        complete=len(events) < limit,
        newest=events[-1].seq if len(events) == limit else empty.newest,
    )
