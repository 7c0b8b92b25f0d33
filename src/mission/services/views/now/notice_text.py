"""The text of a notification about an event: the same on the desktop and in a webhook."""

from __future__ import annotations

from mission.domain.events import QueueItemCreated, RunFinished
from mission.domain.overview.since_left import as_text
from mission.domain.timestamps import parse_time
from mission.services.views.now import since_left
from mission.store.logs.events import StoredEvent
from mission.store.transaction import Tx


def notice_text(tx: Tx, *, event: StoredEvent) -> str | None:
    """Return what a person should read about an event; None if it is not worth a notification.

    The end of a run comes with what happened since the run was started, in at most five more lines.
    """
    if event.type == QueueItemCreated.topic:
        return f"{event.data['subject']}\nmission inbox {event.data['id']}"
    if event.type != RunFinished.topic:
        return None
    started = parse_time(event.data["created_at"], field="created_at")
    news = as_text(since_left.read(tx, since=started))
    return "\n".join(filter(None, (event.data["reason"], news, f"mission report {event.data['mission_id']}")))
