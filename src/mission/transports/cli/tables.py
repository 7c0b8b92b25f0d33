"""Tables that fit their terminal: long texts are shortened, then columns are left out; on a pipe nothing is cut."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click

from mission.transports.cli.output import plain

GAP = 2
MIN_TEXT = 18
"""A column is not shortened below this. Ids and times are shorter; the first column, which people copy, stays whole."""
MAX_PADDING = 36
"""On a pipe, one long text does not push the other lines apart."""

Cells = Sequence[Sequence[str]]


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    empty: str,
    drop: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> None:
    """Print rows as a table, or `empty` if there are none.

    On a narrow terminal, columns of `drop` are left out first; those of `whole` are never shortened.
    """
    cells = [[_cell(cell) for cell in row] for row in rows]
    if not cells:
        click.echo(empty)
    elif is_piped():
        _print(columns, piped_lines([list(columns), *cells]))
    else:
        width = shutil.get_terminal_size().columns
        lines = fit_table(columns, cells, width=width, drop=drop, whole=whole)
        _print(columns, lines) if lines is not None else _show_blocks(columns, cells)


def is_piped() -> bool:
    return not sys.stdout.isatty() and "COLUMNS" not in os.environ


def fit_table(
    columns: Sequence[str], rows: Cells, *, width: int, drop: Sequence[str] = (), whole: Sequence[str] = ()
) -> list[str] | None:
    """Return the lines of a table, header first, that are at most `width` wide; None if that is too narrow.

    Empty columns are left out.
    """
    kept = [number for number in range(len(columns)) if number == 0 or any(row[number] for row in rows)]
    for name in [None, *drop]:
        kept = [number for number in kept if columns[number] != name]
        table = [[row[number] for number in kept] for row in [columns, *rows]]
        fixed = {place for place, number in enumerate(kept) if place == 0 or columns[number] in whole}
        widths = _fitting_widths(table, width, fixed=fixed)
        if widths is not None:
            return [_line(row, widths) for row in table]
    return None


def piped_lines(rows: Cells) -> list[str]:
    """Return whole rows as lines; only short columns are aligned."""
    widths = [min(MAX_PADDING, max(map(text_width, column))) for column in zip(*rows, strict=True)]
    return [_line(row, widths, whole=True) for row in rows]


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    from rich.cells import cell_len  # deferred: --json does not need it

    return cell_len(text)


def shorten(text: str, width: int) -> str:
    """Return the text in at most `width` columns, with an ellipsis where something is missing; a path keeps its end."""
    if text_width(text) <= width:
        return text
    is_path = "/" in text and " " not in text
    kept = text[::-1] if is_path else text
    while kept and text_width(kept) > width - 1:
        kept = kept[: max(width - 1, 0)] if len(kept) > width else kept[:-1]
    return f"…{kept[::-1]}" if is_path else f"{kept.rstrip()}…"


def pad(text: str, width: int) -> str:
    return text + " " * (width - text_width(text))


def _cell(value: Any) -> str:
    return "" if value is None else " ".join(plain(str(value)).split())


def _fitting_widths(table: Cells, width: int, *, fixed: set[int]) -> list[int] | None:
    widths = [max(map(text_width, column)) for column in zip(*table, strict=True)]
    flexible = [place for place in range(len(widths)) if place not in fixed]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        longest = max(flexible, key=widths.__getitem__, default=None)
        if longest is None or widths[longest] <= MIN_TEXT:
            return None
        widths[longest] -= 1
    return widths


def _line(row: Sequence[str], widths: Sequence[int], *, whole: bool = False) -> str:
    cells = [pad(cell if whole else shorten(cell, width), width) for cell, width in zip(row, widths, strict=True)]
    return (" " * GAP).join(cells).rstrip()


def _print(columns: Sequence[str], lines: Sequence[str]) -> None:
    head, *rest = lines
    if any(columns):
        click.secho(head, bold=True)
    for line in rest:
        click.echo(line)


def _show_blocks(columns: Sequence[str], rows: Cells) -> None:
    """Print each row as lines of its own: its first cell, then the others with their names."""
    longest = max(map(len, columns[1:]), default=0)
    for row in rows:
        click.secho(row[0], bold=True)
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if cell:
                click.echo(f"  {column:<{longest}}  {cell}")
