"""Reading the audit trail, page by page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mission.domain.errors import InvalidInput
from mission.domain.times import parsed, shown
from mission.store.transaction import Tx


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    rows: Sequence[dict[str, Any]]
    next: str | None


def page(
    tx: Tx,
    *,
    agent_id: str | None,
    tool: str | None,
    status: str | None,
    since: datetime | None,
    limit: int,
    cursor: str | None,
) -> Page:
    """Audit entries, newest first, and where the next page begins."""
    rows = tx.audit.page(agent_id=agent_id, tool=tool, status=status, since=since, limit=limit, after=_position(cursor))
    last = rows[-1] if len(rows) == limit else None
    return Page(rows=rows, next=f"{shown(last['at'])} {last['id']}" if last else None)


def moment(tx: Tx) -> datetime:
    """When an entry was written that consists of nothing but its call: the call's own row is the record."""
    return tx.now


def _position(cursor: str | None) -> tuple[datetime, str] | None:
    if cursor is None:
        return None
    moment, _, id = cursor.partition(" ")
    if not id:
        raise InvalidInput("cursor: not a cursor of the audit trail", hint="Give next_cursor as it is.", field="cursor")
    return parsed(moment, field="cursor"), id
