"""Deliver events to an external receiver: in order, at least once, across restarts, and without delaying callers.

The event log is the queue. Only the receiver's position is stored, so nothing is copied and nothing can be lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from mission.domain.inbox.item import ItemKind
from mission.domain.timestamps import utc_now
from mission.domain.webhook import MAX_REFUSALS, DeliveryProgress, Webhook, is_delivered, is_refused, pause_after
from mission.events.log import EventLog
from mission.services.inbox import items as inbox
from mission.services.views.now.notice_text import notice_text
from mission.services.work import Work
from mission.store.logs.events import StoredEvent
from mission.store.sql.compact_json import dumps
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

BATCH = 20
"""How many events are offered before the accepted ones are recorded."""
READ_BATCH = 200
SERVED_WITHIN = timedelta(minutes=5)
"""How long one daemon has exclusive use of a receiver; after that it is assumed dead."""
GATHER_SECONDS = 0.2
REST_SECONDS = 1.0
LOOK_SECONDS = 5.0


class Post(Protocol):
    """Sends a request to the receiver and returns the status of its response; None if there was none."""

    async def __call__(self, url: str, *, body: bytes, headers: Mapping[str, str]) -> int | None: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class DeliveryAttempt:
    """The result of offering some events: the last one that is settled, and how the next one failed."""

    seq: int
    failed: bool = False
    given_up: StoredEvent | None = None


async def follow(work: Work, events: EventLog, post: Post, *, hook: Webhook) -> None:
    """Serve the receiver forever, starting with the events after it was first configured."""
    position = (await work.write(start, key=hook.key)).seq
    while True:
        await events.wait(position, seconds=LOOK_SECONDS)
        await asyncio.sleep(GATHER_SECONDS)  # a busy log is read a few times a second, not at every event
        before, position = position, await serve(work, post, hook=hook, position=position)
        if position == before:
            await asyncio.sleep(REST_SECONDS)


async def serve(work: Work, post: Post, *, hook: Webhook, position: int) -> int:
    """Offer the events after a position that the receiver subscribes to, if it is due. Return the next position."""
    found, due = await work.read(_behind, seq=position, key=hook.key)
    wanted = [event for event in found if hook.wants(event.type)]
    if not wanted:
        return found[-1].seq if found else position
    if not due:
        return position
    progress = await work.write(take, key=hook.key)
    if progress is None:
        return position
    fresh = [event for event in wanted if event.seq > progress.seq]
    texts = await work.read(_texts, events=fresh[:BATCH])
    offered = await _offer(post, fresh[:BATCH], texts, hook=hook, progress=progress)
    await work.write(settle, progress=progress, offered=offered)
    return max(position, offered.seq)


def start(tx: Tx, *, key: str) -> DeliveryProgress:
    """Return the receiver's position; a new one starts with the next event."""
    known = tx.webhooks.get(key)
    if known is not None:
        return known
    progress = DeliveryProgress(key=key, seq=tx.events.newest(), failures=0, due_at=tx.now)
    tx.webhooks.add(progress)
    return progress


def take(tx: Tx, *, key: str) -> DeliveryProgress | None:
    """Reserve the receiver for this daemon. Return None if it is not due or another daemon serves it."""
    if not tx.webhooks.take(key, now=tx.now, until=tx.now + SERVED_WITHIN):
        return None
    return tx.webhooks.get(key)


def settle(tx: Tx, *, progress: DeliveryProgress, offered: DeliveryAttempt) -> DeliveryProgress:
    """Record the receiver's position and when it is due again."""
    failures = 0
    if offered.failed:
        failures = progress.failures + 1 if offered.seq == progress.seq else 1
    due_at = tx.now + pause_after(failures) if failures else tx.now
    settled = replace(progress, seq=offered.seq, failures=failures, due_at=due_at)
    tx.webhooks.save(settled)
    if offered.given_up is not None:
        _report_dropped(tx, progress.key, offered.given_up)
    return settled


def _behind(tx: Tx, *, seq: int, key: str) -> tuple[list[StoredEvent], bool]:
    progress = tx.webhooks.get(key)
    return tx.events.since(seq, limit=READ_BATCH), progress is not None and progress.due_at <= tx.now


def _texts(tx: Tx, *, events: Sequence[StoredEvent]) -> list[str | None]:
    return [notice_text(tx, event=event) for event in events]


async def _offer(
    post: Post,
    events: Sequence[StoredEvent],
    texts: Sequence[str | None],
    *,
    hook: Webhook,
    progress: DeliveryProgress,
) -> DeliveryAttempt:
    settled = progress.seq
    for event, text in zip(events, texts, strict=True):
        body = dumps(event.frame() | ({"text": text} if text is not None else {})).encode()
        headers = hook.headers(id=f"event-{event.seq}", at=utc_now(), body=body)
        status = await post(hook.url, body=body, headers=headers)
        if not is_delivered(status):
            tries = progress.failures + 1 if settled == progress.seq else 1
            log.warning("the webhook did not accept event %s (try %d, status %s)", event.seq, tries, status)
            if is_refused(status) and tries >= MAX_REFUSALS:
                return DeliveryAttempt(seq=event.seq, given_up=event)
            return DeliveryAttempt(seq=settled, failed=True)
        settled = event.seq
    return DeliveryAttempt(seq=settled)


def _report_dropped(tx: Tx, key: str, event: StoredEvent) -> None:
    """Notify the person once that the receiver rejects events; not again while that item is open."""
    dedupe_key = f"webhook {key}"
    if tx.inbox.open_with_key(dedupe_key) is None:
        inbox.open_item(
            tx,
            kind=ItemKind.ESCALATION,
            subject="The webhook rejects events",
            body=f"Event {event.seq} ({event.type}) was rejected {MAX_REFUSALS} times and dropped. "
            "Check the receiver and the settings webhook_url, webhook_secret and webhook_events.",
            dedupe_key=dedupe_key,
        )
