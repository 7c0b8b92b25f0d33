"""Draws the screen of `mission top`: pure functions from what is known to lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from mission.domain.plural import counted
from mission.transports.cli.output import plain
from mission.transports.cli.runs.run_words import counts_words, spent_words
from mission.transports.cli.tables import fit_table, pad, shorten, text_width
from mission.transports.cli.times import age_of
from mission.transports.cli.top.details import choice_words
from mission.transports.cli.top.rows import EMPTY, TITLES, Row, TopContents
from mission.transports.cli.top.terminal import Line, Size
from mission.transports.cli.top.view import View

KEYS = {
    "list": ("↑↓ select", "Enter open", "1–6 choose", "a answer", "t terminal", "p pause", "q quit"),
    "detail": ("↑↓ scroll", "1–6 choose", "a answer", "t terminal", "Esc back"),
    "write": ("Enter sends", "Ctrl-U clears", "Esc cancels"),
    "confirm": ("Enter sends", "Esc cancels"),
}
FOOTER = 2
MIN_PREVIEW_ROWS = 16
"""A lower screen shows rows instead of a preview of the selected one."""
MAX_PREVIEW = 6


def draw(
    view: View, contents: TopContents, *, size: Size, connected: bool, details: Sequence[str] | None
) -> list[Line]:
    """Return the lines of the screen, at most as many as it has rows."""
    head = [_header(contents, size.columns, connected=connected)]
    foot = _footer(view, contents, size.columns)
    room = max(0, size.rows - len(head) - len(foot))
    body = _details(view, details, size.columns, room) if view.shows_details else _lists(view, contents, size, room)
    body = [*body[:room], *[Line("")] * (room - len(body))]
    return [*head, *body, *foot][: size.rows]


def _header(contents: TopContents, columns: int, *, connected: bool) -> Line:
    if not connected:
        return Line(_ends("Mission Control", "not connected, retrying", columns), "attention")
    counts = [
        f"{len(contents.items)} waiting for you",
        counted(len(contents.runs), "run"),
        counted(len(contents.agents), "agent"),
    ]
    return Line(_ends("Mission Control", " · ".join(counts), columns), "title")


def _ends(left: str, right: str, columns: int) -> str:
    """Return two texts at the ends of a line; the left one gives way."""
    gap = columns - text_width(left) - text_width(right)
    return f"{left}{' ' * gap}{right}" if gap > 1 else shorten(right, columns)


def _footer(view: View, contents: TopContents, columns: int) -> list[Line]:
    row = view.opened_row(contents)
    keys = Line(_keys(view, columns), "dim")
    if view.mode == "write":
        return [Line(_draft(view, row, columns), "attention"), keys]
    if view.mode == "confirm" and row is not None and view.choice is not None:
        label = row.record["choices"][view.choice - 1]["label"]
        return [Line(f"Answer '{plain(label)}'? Enter sends it, Esc cancels.", "attention"), keys]
    return [Line(plain(view.message), "attention"), keys]


def _draft(view: View, row: Row | None, columns: int) -> str:
    """Return the end of what is being written, so that the cursor stays visible."""
    label = "Answer"
    if row is not None and view.choice is not None:
        label = plain(row.record["choices"][view.choice - 1]["label"])
    start = f"{shorten(label, columns // 2)}: "
    written = f"{view.draft}▏"
    while text_width(written) > max(1, columns - text_width(start)):
        written = written[1:]
    return start + written if not view.message else shorten(view.message, columns)


def _keys(view: View, columns: int) -> str:
    """Return the keys that fit; the last one, which leads out, is always there."""
    *others, last = KEYS[view.mode]
    while others and text_width(" · ".join([*others, last])) > columns:
        others.pop()
    return " · ".join([*others, last])


def _lists(view: View, contents: TopContents, size: Size, room: int) -> list[Line]:
    row = view.row(contents)
    preview = _preview(row, size.columns) if row is not None and size.rows >= MIN_PREVIEW_ROWS else []
    shares = _shares(contents, room - len(preview) - len(TITLES))
    lines: list[Line] = []
    for section, rows in contents.sections.items():
        lines.append(Line(f"{TITLES[section]} ({len(rows)})" if rows else TITLES[section], "title"))
        lines += _section(section, rows, row, size.columns, shares[section])
    spare = room - len(lines) - len(preview)
    return [*lines, *[Line("")] * max(0, spare), *preview]


def _shares(contents: TopContents, room: int) -> dict[str, int]:
    """Return how many lines each section gets: in turn, what needs the person first, until nothing is left."""
    wanted = {section: max(1, len(rows)) for section, rows in contents.sections.items()}
    shares = dict.fromkeys(wanted, 0)
    while room > 0 and shares != wanted:
        for section in wanted:
            if shares[section] < wanted[section] and room > 0:
                shares[section] += 1
                room -= 1
    return shares


def _section(section: str, rows: Sequence[Row], selected: Row | None, columns: int, share: int) -> list[Line]:
    if not rows:
        return [Line(f"  {EMPTY[section]}", "dim")][:share]
    texts = _texts(section, rows, columns - 2)
    here = next((number for number, row in enumerate(rows) if row is selected), 0)
    first = max(0, min(here - share // 2, len(rows) - share))
    lines = []
    for number in range(first, min(first + share, len(rows))):
        is_selected = rows[number] is selected
        mark = "› " if is_selected else "  "
        lines.append(Line(mark + texts[number], "selected" if is_selected else _style(rows[number])))
    below = len(rows) - first - len(lines)
    if below and lines and lines[-1].style != "selected":
        lines[-1] = Line(f"  … {below + 1} more", "dim")
    return lines


def _style(row: Row) -> str:
    if row.section == "agents" and row.record["state"] in ("Waits for you", "Blocked"):
        return "attention"
    return "bad" if row.section == "inbox" and row.record["kind"] in ("failure", "escalation") else ""


def _texts(section: str, rows: Sequence[Row], width: int) -> list[str]:
    """Return one line for each row, in columns that fit."""
    cells = [[" ".join(plain(cell).split()) for cell in _cells(section, row.record)] for row in rows]
    names = [str(number) for number in range(len(cells[0]))]
    drop = {"inbox": ["2", "3", "0"], "runs": ["3", "2"], "agents": ["4", "3", "2"]}[section]
    lines = fit_table(names, cells, width=width, drop=drop)
    if lines is None:
        return [shorten(" ".join(filter(None, row)), width) for row in cells]
    return lines[1:]


def _cells(section: str, record: Mapping[str, object]) -> list[str]:
    text = {name: str(value) if value is not None else "" for name, value in record.items()}
    if section == "inbox":
        return [text["kind"], text["subject"], text["agent_name"], age_of(text["created_at"])]
    if section == "runs":
        return [text["state"], text["mission_name"], counts_words(dict(record)), spent_words(dict(record))]
    return [text["state"], text["name"], text["task"], text["note"], age_of(text["since"])]


def _preview(row: Row, columns: int) -> list[Line]:
    """Return what is worth knowing about the selected row without opening it."""
    record = row.record
    if row.section == "inbox":
        where = " · ".join(filter(None, (record["mission_name"], record["task_name"], record["agent_name"])))
        choices = [choice_words(number, choice) for number, choice in enumerate(record["choices"], start=1)]
        lines = [*_wrapped(str(record["subject"]), columns)[:2], where, *choices]
    elif row.section == "runs":
        lines = [str(record["reason"] or record["mission_name"]), counts_words(dict(record)), spent_words(dict(record))]
    else:
        lines = [f"{record['name']}: {record['task'] or 'no task'}", *_wrapped(str(record["note"]), columns)[:2]]
    shown = [Line(plain(line)) for line in lines if line]
    if len(shown) > MAX_PREVIEW:
        shown = [*shown[: MAX_PREVIEW - 1], Line("… Enter shows everything", "dim")]
    return [Line("─" * columns, "dim"), *shown]


def _details(view: View, details: Sequence[str] | None, columns: int, room: int) -> list[Line]:
    if details is None:
        return [Line("Loading …", "dim")]
    lines = [part for line in details for part in _wrapped(plain(line), columns)]
    first = max(0, min(view.scroll, len(lines) - room))
    shown = [Line(line, "title" if number == 0 else "") for number, line in enumerate(lines)][first : first + room]
    if first + room < len(lines) and shown:
        shown[-1] = Line(pad("… more below", columns), "dim")
    return shown


def _wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(text, max(10, columns), break_on_hyphens=False, subsequent_indent="  ") or [""]
