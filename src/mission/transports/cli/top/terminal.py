"""A full-screen terminal that is always left as it was found: on quit, errors, Ctrl-C, Ctrl-Z and kill."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NamedTuple

import click

from mission.transports.cli.tables import shorten
from mission.transports.cli.top.keys import KeyReader

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?2004h"
LEAVE = "\x1b[0m\x1b[?2004l\x1b[?25h\x1b[?1049l"
FRAME_START, FRAME_END = "\x1b[?2026h", "\x1b[?2026l"
"""Terminals that know these show a frame as a whole; others ignore them."""
ESCAPE_SECONDS = 0.05

STYLES: dict[str, dict[str, object]] = {
    "": {},
    "title": {"bold": True},
    "dim": {"dim": True},
    "selected": {"reverse": True},
    "attention": {"fg": "yellow"},
    "bad": {"fg": "red"},
}


class Line(NamedTuple):
    """One line of the screen."""

    text: str
    style: str = ""


class Size(NamedTuple):
    columns: int
    rows: int


class FullScreen:
    """The person's terminal in full-screen mode. Use it as a context manager."""

    def __init__(self) -> None:
        self._input, self._output = sys.stdin.fileno(), sys.stdout.fileno()
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._waker, False)
        self._keys = KeyReader()
        self._drawn: list[str] = []
        self._stopping = False

    def __enter__(self) -> FullScreen:
        self._before = termios.tcgetattr(self._input)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _end)
        signal.signal(signal.SIGWINCH, lambda *_: self.wake())
        signal.signal(signal.SIGTSTP, self._on_stop)
        self._take()
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()

    @property
    def size(self) -> Size:
        return Size(*os.get_terminal_size(self._output))

    def wake(self) -> None:
        """End a running `read` from any thread."""
        with suppress(BlockingIOError):
            os.write(self._waker, b".")

    def read(self, *, seconds: float) -> list[str] | None:
        """Return the keys pressed until the time is over or somebody wakes it; None once the terminal is gone."""
        if self._stopping:
            self._stop()
        ready, _, _ = select.select([self._input, self._woken], [], [], seconds)
        if self._woken in ready:
            with suppress(BlockingIOError):
                while os.read(self._woken, 1024):
                    pass
        return self._read_keys() if self._input in ready else []

    def draw(self, lines: Sequence[Line]) -> None:
        """Show these lines, from the top; unchanged ones are not written again."""
        columns, rows = self.size
        shown = [_styled(line, columns) for line in lines[:rows]]
        shown += [""] * (rows - len(shown))
        if len(shown) != len(self._drawn):
            self._drawn = ["?"] * len(shown)
        changed = [
            f"\x1b[{number};1H\x1b[2K{text}"
            for number, (text, before) in enumerate(zip(shown, self._drawn, strict=True), start=1)
            if text != before
        ]
        self._drawn = shown
        if changed:
            self._write(FRAME_START + "".join(changed) + FRAME_END)

    def redraw(self) -> None:
        """Forget what is on the screen, so that the next `draw` writes everything."""
        self._drawn = []

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Give the terminal to another program for a while."""
        self._give_back()
        before = signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for that program; SIG_IGN it would inherit
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            self._take()

    def _read_keys(self) -> list[str] | None:
        try:
            data = os.read(self._input, 4096)
        except OSError:
            return None
        if not data:
            return None
        keys = self._keys.feed(data)
        if self._keys.is_inside_sequence and not select.select([self._input], [], [], ESCAPE_SECONDS)[0]:
            keys += self._keys.flush()
        return keys

    def _take(self) -> None:
        tty.setcbreak(self._input)
        self._write(ENTER)
        self.redraw()

    def _give_back(self) -> None:
        with suppress(OSError, termios.error):  # the terminal may be gone
            self._write(LEAVE)
            termios.tcsetattr(self._input, termios.TCSADRAIN, self._before)

    def _on_stop(self, *_: object) -> None:
        self._stopping = True
        self.wake()

    def _stop(self) -> None:
        """Suspend like any other program on Ctrl-Z, and come back on `fg`."""
        self._stopping = False
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._on_stop)
        self._take()

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _styled(line: Line, columns: int) -> str:
    text = shorten(line.text, columns)
    style = STYLES[line.style]
    if os.environ.get("NO_COLOR"):
        style = {name: value for name, value in style.items() if name != "fg"}
    if line.style == "selected":
        text = text.ljust(columns)
    return click.style(text, **style) if style else text  # type: ignore[arg-type]
