"""Deliver committed events to live listeners; a listener that cannot keep up is dropped, never waited for."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

from mission.domain.errors import InvalidInput
from mission.domain.events import MailSent, MessageCreated
from mission.domain.inbox.item import ItemKind
from mission.store.logs.events import StoredEvent
from mission.store.sql.compact_json import dumps

MAX_QUEUE_LENGTH = 2_000
GATHER_SECONDS = 0.025
"""Live events are delayed this long, so that the answer to the call that caused them goes first."""
MAIL = frozenset({MessageCreated.topic, MailSent.topic})
_ID = re.compile(r"[a-z0-9_]{1,40}")


def is_mail_of_others(event: StoredEvent, *, reader: str) -> bool:
    """Return whether an event is about a message that the agent neither sent nor received."""
    about_message = event.type in MAIL or (event.type.startswith("queue:") and event.data.get("kind") == ItemKind.MAIL)
    return about_message and reader not in event.agent_ids


class Published:
    """An event on its way to listeners; its frame is serialized once for all of them."""

    def __init__(self, event: StoredEvent) -> None:
        self.event = event
        self.seq = event.seq

    @cached_property
    def text(self) -> str:
        return dumps(self.event.frame())


class Topic:
    """A listener's subscription: everything, one mission, or one agent. Agents do not see other agents' messages."""

    def __init__(self, name: str, *, reader: str | None = None) -> None:
        kind, _, id = name.partition(":")
        if name != "global" and (kind not in {"mission", "agent"} or not _ID.fullmatch(id)):
            raise InvalidInput(
                f"topic: '{name[:100]}' is unknown", hint="Use 'global', 'mission:<id>' or 'agent:<id>'.", field="topic"
            )
        self.name = name
        self.reader = reader
        self.mission_id = id if kind == "mission" else None
        self.agent_id = id if kind == "agent" else None

    def matches(self, event: StoredEvent) -> bool:
        if self.reader is not None and is_mail_of_others(event, reader=self.reader):
            return False
        if self.mission_id is not None:
            return event.mission_id == self.mission_id
        return self.agent_id is None or self.agent_id in event.agent_ids


class Listener:
    """One reader of live events: its topics, and its pending events."""

    def __init__(self) -> None:
        self.overflowed = asyncio.Event()
        self.wake = asyncio.Event()
        self._waiting: deque[Published] = deque()
        self._topics: dict[str, tuple[Topic, int, int]] = {}

    def follow(self, topic: Topic, *, covered_from: int, live_from: int) -> None:
        """Subscribe to the topic's events above `live_from`; those from `covered_from` up to there come by replay."""
        self._topics[topic.name] = (topic, covered_from, live_from)

    def unfollow(self, name: str) -> None:
        """Unsubscribe from the topic, and drop its pending events."""
        self._topics.pop(name, None)
        self._waiting = deque(published for published in self._waiting if self._wants(published))

    def covers(self, event: StoredEvent, *, except_topic: str) -> bool:
        """Return whether another topic of this reader already delivered the event."""
        return any(
            event.seq > covered_from and topic.matches(event)
            for name, (topic, covered_from, _) in self._topics.items()
            if name != except_topic
        )

    def offer(self, published: Published) -> bool:
        """Queue the event if a topic matches it; return whether the listener must be woken."""
        if self.overflowed.is_set() or not self._wants(published):
            return False
        if len(self._waiting) >= MAX_QUEUE_LENGTH:
            self._waiting.clear()
            self.overflowed.set()
        else:
            self._waiting.append(published)
        return True

    def _wants(self, published: Published) -> bool:
        return any(
            published.seq > live_from and topic.matches(published.event)
            for topic, _, live_from in self._topics.values()
        )

    def take(self) -> list[Published]:
        """Return all pending events."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken


class WakeUp(Listener):
    """A listener that stores nothing: it only wakes up when an event it waits for has happened."""

    def __init__(self, wants: Callable[[StoredEvent], bool]) -> None:
        super().__init__()
        self._wakes_for = wants

    def offer(self, published: Published) -> bool:
        if self._wakes_for(published.event):
            self.wake.set()
        return False


class Bus:
    """All listeners of this process."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()
        self._to_wake: set[Listener] = set()

    def join(self, listener: Listener) -> None:
        self._listeners.add(listener)

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)
        self._to_wake.discard(listener)

    @contextmanager
    def listening(self, wake_up: WakeUp) -> Iterator[WakeUp]:
        """Register the wake-up listener while a caller waits for it."""
        self.join(wake_up)
        try:
            yield wake_up
        finally:
            self.leave(wake_up)

    def wake(self) -> None:
        """Wake every listener, even without a new event."""
        for listener in self._listeners:
            listener.wake.set()

    def publish(self, events: Iterable[StoredEvent]) -> None:
        if not self._listeners:
            return
        waking = bool(self._to_wake)
        for event in events:
            published = Published(event)
            self._to_wake.update([listener for listener in self._listeners if listener.offer(published)])
        if self._to_wake and not waking:  # one timer for all: a thousand separate ones took longer than the sending
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._wake_gathered)

    def _wake_gathered(self) -> None:
        for listener in self._to_wake:
            listener.wake.set()
        self._to_wake.clear()
