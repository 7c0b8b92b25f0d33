"""The state of the screen, and what each key does to it. No I/O: an action says what else has to happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mission.transports.cli.top.rows import Row, TopContents

MAX_ANSWER = 20_000
NAMED = frozenset({"up", "down", "left", "right", "home", "end", "page up", "page down", "tab", "shift tab"})
"""Keys that write nothing."""
PAGE = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyAction:
    """Something to do outside the screen."""

    kind: str  # quit, attach, answer, pause, resume
    row: Row | None = None
    text: str = ""
    choice: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """The state of the screen: what is selected, open and being written."""

    selected: str | None = None
    position: int = 0
    mode: str = "list"  # list, detail, write, confirm
    back: str = "list"
    draft: str = ""
    choice: int | None = None
    scroll: int = 0
    message: str = ""

    @property
    def shows_details(self) -> bool:
        return "detail" in (self.mode, self.back if self.mode in ("write", "confirm") else "")

    def row(self, contents: TopContents) -> Row | None:
        """Return the selected row; if it is gone, the one that took its place."""
        rows = contents.rows
        there = rows[min(self.position, len(rows) - 1)] if rows else None
        return self.opened_row(contents) or there

    def opened_row(self, contents: TopContents) -> Row | None:
        """Return the row that is open or being answered; None if it is gone, because no other may get the answer."""
        return next((row for row in contents.rows if row.id == self.selected), None)


def press(view: View, key: str, contents: TopContents) -> tuple[View, KeyAction | None]:
    """Return the view after a key, and what else has to happen."""
    if view.mode in ("write", "confirm"):
        asked = view.opened_row(contents)
        if asked is None:
            return replace(_cancelled(view), message="Not sent: it was closed in the meantime."), None
        return _write(view, key, asked) if view.mode == "write" else _confirm(view, key, asked)
    row = view.row(contents)
    view = replace(view, message="")
    if view.mode == "detail" and key in ("q", "esc", "enter", "left"):
        return replace(view, mode="list"), None
    if key == "q":
        return view, KeyAction(kind="quit")
    if key in ("up", "down", "page up", "page down", "home", "end", "k", "j", "tab", "shift tab"):
        return _move(view, key, contents), None
    return _act(view, key, row) if row is not None else (view, None)


def _act(view: View, key: str, row: Row) -> tuple[View, KeyAction | None]:
    if key == "enter" and view.mode == "list":
        return replace(view, mode="detail", scroll=0, selected=row.id), None
    if key in ("t", "T"):
        if row.execution_id is None:
            return replace(view, message=_no_terminal(row)), None
        return view, KeyAction(kind="attach", row=row)
    if key == "p":
        return _pause(view, row)
    if key == "a" or (len(key) == 1 and key in "123456"):
        return _begin_answer(view, key, row)
    return view, None


def _no_terminal(row: Row) -> str:
    return (
        "This run has several agents: select one to attach to." if row.section == "runs" else "It has no terminal here."
    )


def _pause(view: View, row: Row) -> tuple[View, KeyAction | None]:
    if row.section != "runs":
        return replace(view, message="Select a run to pause or resume it."), None
    return view, KeyAction(kind="resume" if row.record["state"] == "paused" else "pause", row=row)


def _begin_answer(view: View, key: str, row: Row) -> tuple[View, KeyAction | None]:
    if row.section != "inbox":
        return replace(view, message="Select something that is waiting for you to answer it."), None
    chosen = replace(view, selected=row.id, back=view.mode, draft="")
    if key == "a":
        return replace(chosen, mode="write", choice=None), None
    choices: Sequence[dict[str, Any]] = row.record["choices"]
    number = int(key)
    if number > len(choices):
        has = f"It has choices 1 to {len(choices)}." if choices else "It has no choices: press a to write an answer."
        return replace(view, message=has), None
    manual = choices[number - 1].get("kind") == "manual"
    return replace(chosen, mode="write" if manual else "confirm", choice=number), None


def _write(view: View, key: str, row: Row) -> tuple[View, KeyAction | None]:
    if key == "esc":
        return _cancelled(view), None
    if key == "enter":
        if not view.draft.strip():
            return replace(view, message="Write an answer first; Esc cancels."), None
        return _send(view, row)
    if key == "backspace":
        return replace(view, draft=view.draft[:-1], message=""), None
    if key == "clear":
        return replace(view, draft="", message=""), None
    typed = "" if key in NAMED else key
    return replace(view, draft=(view.draft + typed)[:MAX_ANSWER], message=""), None


def _confirm(view: View, key: str, row: Row) -> tuple[View, KeyAction | None]:
    if key == "enter":
        return _send(view, row)
    if len(key) == 1 and key in "123456a":
        return _begin_answer(replace(view, mode=view.back), key, row)
    return _cancelled(view), None


def _send(view: View, row: Row) -> tuple[View, KeyAction | None]:
    action = KeyAction(kind="answer", row=row, text=view.draft.strip(), choice=view.choice)
    return replace(view, mode="list", draft="", choice=None, message="Sending the answer …"), action


def _cancelled(view: View) -> View:
    return replace(view, mode=view.back, draft="", choice=None, message="Not sent.")


def _move(view: View, key: str, contents: TopContents) -> View:
    if view.mode == "detail":
        steps = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -PAGE, "page down": PAGE, "home": -(10**6)}
        return replace(view, scroll=max(0, view.scroll + steps.get(key, 0)))
    rows = contents.rows
    if not rows:
        return view
    row = view.row(contents)
    now = rows.index(row) if row is not None else 0
    target = _target(key, now, rows)
    return replace(view, selected=rows[target].id, position=target)


def _target(key: str, now: int, rows: Sequence[Row]) -> int:
    """Return the position that a key leads to; Tab goes to the next section."""
    if key in ("tab", "shift tab"):
        starts = [number for number, row in enumerate(rows) if not number or rows[number - 1].section != row.section]
        here = max(number for number, start in enumerate(starts) if start <= now)
        return starts[(here + (1 if key == "tab" else -1)) % len(starts)]
    steps = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -PAGE, "page down": PAGE}
    wanted = {"home": 0, "end": len(rows) - 1}.get(key, now + steps.get(key, 0))
    return max(0, min(wanted, len(rows) - 1))
