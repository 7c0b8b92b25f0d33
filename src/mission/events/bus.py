"""Hands committed events to whoever listens now; a listener that cannot keep up is let go, never waited for."""

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

LONGEST_QUEUE = 2_000
GATHER_SECONDS = 0.025
"""Live events wait this long, so that the answer to whoever made them goes first."""
MAIL = frozenset({MessageCreated.topic, MailSent.topic})
_ID = re.compile(r"[a-z0-9_]{1,40}")


def is_mail_of_others(event: StoredEvent, *, reader: str) -> bool:
    """Whether an event tells of a message that the agent neither wrote nor got."""
    told = event.type in MAIL or (event.type.startswith("queue:") and event.data.get("kind") == ItemKind.MAIL)
    return told and reader not in event.agent_ids


class Published:
    """An event on its way to listeners; its frame is written once for all of them."""

    def __init__(self, event: StoredEvent) -> None:
        self.event = event
        self.seq = event.seq

    @cached_property
    def text(self) -> str:
        return dumps(self.event.frame())


class Topic:
    """What a listener asked for: everything, one mission, or one agent. An agent that reads sees no mail of others."""

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
    """One reader of live events: its topics, and what waits for it."""

    def __init__(self) -> None:
        self.overflowed = asyncio.Event()
        self.wake = asyncio.Event()
        self._waiting: deque[Published] = deque()
        self._topics: dict[str, tuple[Topic, int, int]] = {}

    def follow(self, topic: Topic, *, covered_from: int, live_from: int) -> None:
        """Get the topic's events above `live_from`; those above `covered_from` reached the reader otherwise."""
        self._topics[topic.name] = (topic, covered_from, live_from)

    def unfollow(self, name: str) -> None:
        """Get no more of the topic, not even what waits already."""
        self._topics.pop(name, None)
        self._waiting = deque(published for published in self._waiting if self._wants(published))

    def covers(self, event: StoredEvent, *, besides: str) -> bool:
        """Whether another topic of this reader brought it the event already."""
        return any(
            event.seq > covered_from and topic.matches(event)
            for name, (topic, covered_from, _) in self._topics.items()
            if name != besides
        )

    def offer(self, published: Published) -> bool:
        """Whether there is something to take, so that the listener wants to be woken."""
        if self.overflowed.is_set() or not self._wants(published):
            return False
        if len(self._waiting) >= LONGEST_QUEUE:
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
        """Everything that waits."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken


class WakeUp(Listener):
    """A listener that keeps nothing: it only rings when something it waits for has happened."""

    def __init__(self, wants: Callable[[StoredEvent], bool]) -> None:
        super().__init__()
        self._rings_for = wants

    def offer(self, published: Published) -> bool:
        if self._rings_for(published.event):
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
    def ringing(self, bell: WakeUp) -> Iterator[WakeUp]:
        """Let the bell ring for as long as somebody waits for it."""
        self.join(bell)
        try:
            yield bell
        finally:
            self.leave(bell)

    def wake(self) -> None:
        """Let every listener look up, though nothing came."""
        for listener in self._listeners:
            listener.wake.set()

    def publish(self, events: Iterable[StoredEvent]) -> None:
        if not self._listeners:
            return
        waking = bool(self._to_wake)
        for event in events:
            published = Published(event)
            self._to_wake.update([listener for listener in self._listeners if listener.offer(published)])
        if self._to_wake and not waking:  # one clock for all: a thousand of their own took longer than the sending
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._wake_gathered)

    def _wake_gathered(self) -> None:
        for listener in self._to_wake:
            listener.wake.set()
        self._to_wake.clear()
