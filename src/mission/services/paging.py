"""Cursors of lists that are read newest first: where a page ended, as one word that the caller hands back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from mission.domain.errors import InvalidInput
from mission.domain.times import parsed, shown
from mission.store.paging import Position

Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the cursor with which the next ones are asked for; none at the end."""

    rows: Sequence[Row]
    next: str | None


def cursor_of(moment: datetime, id: str) -> str:
    """The cursor behind the row of that moment and id."""
    return f"{shown(moment)} {id}"


def position_of(cursor: str | None, *, field: str = "cursor") -> Position | None:
    """Where the page begins that the cursor asks for; nothing for the first one."""
    if cursor is None:
        return None
    moment, _, id = cursor.partition(" ")
    if not id:
        raise InvalidInput(
            f"{field}: not a place in this list",
            hint="Give it as the last page named it, or leave it out.",
            field=field,
        )
    return parsed(moment, field=field), id
