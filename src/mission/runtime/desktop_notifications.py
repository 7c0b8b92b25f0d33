"""Desktop notifications for new inbox items and finished runs, shown by the system's own program."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Sequence

from mission.domain.events import QueueItemCreated, RunFinished
from mission.events.log import EventLog
from mission.services.views.now.notice_text import notice_text
from mission.services.work import Work
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx

log = logging.getLogger(__name__)

SECONDS = 10.0
LOOK_SECONDS = 60.0
AT_ONCE = 5
"""More items than this at the same time become one notification."""
_APPLE_SCRIPT = "on run {title, words}\ndisplay notification words with title title\nend run"


def command(title: str, words: str) -> list[str] | None:
    """Return the command that shows a notification on this system, or None."""
    if notify := shutil.which("notify-send"):
        return [notify, "--app-name=Mission Control", "--", title, words]
    if script := shutil.which("osascript"):
        return [script, "-e", _APPLE_SCRIPT, title, words]
    return None


async def follow(work: Work, events: EventLog) -> None:
    """Show new inbox items and finished runs from now on; failures are only logged."""
    position = events.last
    while True:
        await events.wait(position, seconds=LOOK_SECONDS)
        found = await work.read(_behind, seq=position)
        if found:
            position = found[-1].seq
            for title, words in await work.read(notices, events=found):
                await show(title, words)


def notices(tx: Tx, *, events: Sequence[StoredEvent]) -> list[tuple[str, str]]:
    """Return a title and text for each new item and finished run; many items are one notification."""
    asked = [event for event in events if event.type == QueueItemCreated.topic]
    ended = [event for event in events if event.type == RunFinished.topic]
    ends = [("Mission Control: a run has finished", notice_text(tx, event=event) or "") for event in ended]
    if len(asked) > AT_ONCE:
        return [("Mission Control", f"{len(asked)} new inbox items: mission inbox"), *ends]
    items = [(f"Mission Control: {event.data['kind']}", notice_text(tx, event=event) or "") for event in asked]
    return [*items, *ends]


async def show(title: str, words: str) -> None:
    """Show one notification if the system supports it."""
    program = command(title, words)
    if program is None:
        return
    try:
        process = await asyncio.create_subprocess_exec(
            *program, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            await asyncio.wait_for(process.wait(), SECONDS)
        finally:
            if process.returncode is None:
                process.kill()
    except (OSError, TimeoutError) as error:
        log.info("could not show a desktop notification: %s", type(error).__name__)


def _behind(tx: Tx, *, seq: int) -> list[StoredEvent]:
    return tx.events.since(seq, limit=1_000)
