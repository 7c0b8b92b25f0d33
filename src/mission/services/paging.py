"""Pages of lists: cut to size, with an opaque cursor after the last row that the caller passes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from mission.domain.errors import InvalidInput, NotFound
from mission.domain.ids import PREFIXES
from mission.domain.tasks.task import Task
from mission.domain.timestamps import format_time, parse_time
from mission.store.sql.pages import PagePosition
from mission.store.transaction import Tx


class Dated(Protocol):
    """A row of a list that is read newest first."""

    @property
    def id(self) -> str: ...

    @property
    def created_at(self) -> datetime: ...


LARGEST_CHUNK = 500
"""How many rows are read at once where only a few of them match."""

Row = TypeVar("Row")
DatedRow = TypeVar("DatedRow", bound=Dated)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[Row]):
    """Some rows, and the cursor for the next ones; None at the end."""

    rows: Sequence[Row]
    next: str | None


def cut_page(rows: Sequence[Row], *, limit: int, cursor: Callable[[Row], str]) -> Page[Row]:
    """Return the first `limit` of the rows. Pass one row more than that: only then is there a next page."""
    chosen = rows[:limit]
    return Page(rows=chosen, next=cursor(chosen[-1]) if len(rows) > limit else None)


def fitting(
    read: Callable[[int, PagePosition | None], Sequence[DatedRow]],
    *,
    fits: Callable[[DatedRow], bool],
    limit: int,
    after: PagePosition | None,
) -> list[DatedRow]:
    """Return the first `limit` matching rows; `read` returns that many rows after a position, newest first."""
    found: list[DatedRow] = []
    chunk = limit
    while True:
        rows = read(chunk, after)
        found += filter(fits, rows)
        if len(found) >= limit or len(rows) < chunk:
            return found[:limit]
        after = (rows[-1].created_at, rows[-1].id)
        chunk = max(chunk, min(chunk * 4, LARGEST_CHUNK))


def cursor_of(moment: datetime, id: str) -> str:
    """Return the cursor after the row with that time and id."""
    return f"{format_time(moment)} {id}"


def row_cursor(row: Dated) -> str:
    """Return the cursor after a row of a list that is read newest first."""
    return cursor_of(row.created_at, row.id)


def position_of(cursor: str | None, *, kind: str | None = None, field: str = "cursor") -> PagePosition | None:
    """Return where the requested page begins: None for the first one.

    With `kind`, a cursor of a list of other things is rejected.
    """
    if cursor is None:
        return None
    moment, _, id = cursor.partition(" ")
    if not id or (kind is not None and not id.startswith(f"{PREFIXES[kind]}_")):
        raise bad_cursor(field)
    try:
        return parse_time(moment, field=field), id
    except InvalidInput:
        raise bad_cursor(field) from None


def number_of(cursor: str | None) -> int:
    """Return the number in the cursor of a numbered list: 0 for the first page."""
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise bad_cursor("cursor")
    return int(cursor)


def last_shown(tx: Tx, mission_id: str, cursor: str | None) -> Task | None:
    """Return the task that the cursor of a list in plan order names: the last one shown, None at the start."""
    if cursor is None:
        return None
    try:
        task = tx.tasks.get(cursor)
    except NotFound:
        raise bad_cursor("cursor") from None
    if task.mission_id != mission_id:
        raise bad_cursor("cursor")
    return task


def bad_cursor(field: str) -> InvalidInput:
    return InvalidInput(
        f"{field}: not a cursor from this list",
        hint="Pass next_cursor from the last page unchanged, or omit it to start from the beginning.",
        field=field,
    )
