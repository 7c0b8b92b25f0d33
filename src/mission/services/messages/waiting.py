"""Wait for news: new messages and events for an agent or the person, as soon as there are any."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mission.domain import events
from mission.domain.message import HUMAN, Message, MessageState
from mission.events.bus import MAIL, WakeUp, is_mail_of_others
from mission.events.log import EventLog
from mission.services.work import Work
from mission.store.agents.messages import MessageFilter
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx

PAGE = 500
FIRST_MESSAGES = 20

HasLeft = Callable[[], Awaitable[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class EventWatcher:
    """The reader of the news: an agent or the person; with a mission, also the events of that mission."""

    party: str
    mission_id: str | None = None

    def wants(self, event: StoredEvent) -> bool:
        """Return whether the event is for this reader: mail only for its recipient, and no events of its own."""
        if event.type in MAIL:
            return event.type == events.MessageCreated.topic and event.data["recipient_id"] == self.party
        if event.type == events.AgentUpdated.topic and event.data["id"] == self.party:
            return False
        if self.party != HUMAN and is_mail_of_others(event, reader=self.party):
            return False
        if self.mission_id is not None and event.mission_id == self.mission_id:
            return True
        return self.party in event.agent_ids or (self.party == HUMAN and event.type.startswith("queue:"))


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEvents:
    """The events after a number of the event log, and the number to continue from."""

    messages: Sequence[Message]
    events: Sequence[StoredEvent]
    cursor: int
    reset: bool = False
    complete: bool = True

    def __bool__(self) -> bool:
        return self.reset or bool(self.messages or self.events)


async def new_events(
    work: Work,
    log: EventLog,
    *,
    watcher: EventWatcher,
    since: int | None,
    limit: int,
    seconds: float,
    left: HasLeft | None,
) -> NewEvents:
    """Return what is new after `since`, or wait for it; return nothing after the timeout or if the caller has left.

    Without `since` it begins with the unread messages. The store is read only after a wake-up. A mission that does
    not exist raises NotFound at once.
    """
    with log.bus.listening(WakeUp(watcher.wants)) as bell:
        departed = asyncio.ensure_future(left()) if left is not None else None
        deadline = asyncio.get_running_loop().time() + seconds
        try:
            found = await work.read(_begin, watcher=watcher, since=since, limit=limit)
            while not found:
                if found.complete and not await _rings(bell, log, deadline=deadline, departed=departed):
                    break
                found = await work.read(_after, watcher=watcher, since=found.cursor, limit=limit)
            return found
        finally:
            if departed is not None:
                departed.cancel()


async def _rings(bell: WakeUp, log: EventLog, *, deadline: float, departed: asyncio.Future[None] | None) -> bool:
    """Return True once something may be new; False when the wait is over."""
    rung = asyncio.ensure_future(bell.wake.wait())
    waiting: list[asyncio.Future[Any]] = [rung] if departed is None else [rung, departed]
    try:
        seconds = max(0.0, deadline - asyncio.get_running_loop().time())
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        bell.wake.clear()
        return rung.done() and not log.closing
    finally:
        rung.cancel()


def _begin(tx: Tx, *, watcher: EventWatcher, since: int | None, limit: int) -> NewEvents:
    """Return the first answer of a call. Raise NotFound if its mission does not exist."""
    if watcher.mission_id is not None:
        tx.missions.get(watcher.mission_id)
    if since is None:
        return _first(tx, watcher=watcher, limit=limit)
    return _after(tx, watcher=watcher, since=since, limit=limit)


def _first(tx: Tx, *, watcher: EventWatcher, limit: int) -> NewEvents:
    """Return the unread messages; news begin now."""
    unread = MessageFilter(states=[MessageState.UNREAD])
    waiting = tx.messages.inbox(watcher.party, unread, limit=min(limit, FIRST_MESSAGES), after=None)
    return NewEvents(messages=waiting[::-1], events=(), cursor=tx.events.newest())


def _after(tx: Tx, *, watcher: EventWatcher, since: int, limit: int) -> NewEvents:
    """Return the first news after a number; a number outside the stored range starts over."""
    if not tx.events.oldest() - 1 <= since <= tx.events.newest():
        first = _first(tx, watcher=watcher, limit=limit)
        return NewEvents(messages=first.messages, events=(), cursor=first.cursor, reset=True)
    stretch = tx.events.since(since, limit=PAGE)
    wanted = [event for event in stretch if watcher.wants(event)]
    shown = wanted[:limit]
    ids = [event.data["id"] for event in shown if event.type in MAIL]
    messages = tx.messages.of_ids(ids)
    cut = len(wanted) > limit
    return NewEvents(
        messages=[messages[id] for id in ids if id in messages],
        events=[event for event in shown if event.type not in MAIL],
        cursor=shown[-1].seq if cut else (stretch[-1].seq if stretch else since),
        complete=not cut and len(stretch) < PAGE,
    )
