"""A command on a terminal of its own: a pseudo-terminal whose screen a test can read and whose keys it presses."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mission.transports.cli.tables import text_width
from tests.transports.cli.program import PATIENCE, PROGRAM, Program
from tests.transports.live_server import until

_LINE = re.compile(r"\x1b\[(\d+);1H\x1b\[2K(.*?)(?=\x1b\[\d+;1H|\x1b\[\?)", re.DOTALL)
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class TerminalProgram:
    """One running command."""

    def __init__(self, mission: Program, arguments: tuple[str, ...], *, columns: int, rows: int) -> None:
        self.own, theirs = pty.openpty()
        self._theirs = theirs
        self.resize(columns, rows)
        self.before = termios.tcgetattr(theirs)
        environment = {**mission.environment, "TERM": "xterm-256color"}
        environment.pop("COLUMNS", None)
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            env=environment,
            cwd="/",
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        self._output = ""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(OSError):
            while data := os.read(self.own, 65536):
                self._output += data.decode("utf-8", "replace")

    @property
    def output(self) -> str:
        """Return everything that was written."""
        return self._output

    @property
    def screen(self) -> list[str]:
        """Return the lines that are on the screen, without their styles."""
        lines: dict[int, str] = {}
        for number, text in _LINE.findall(self._output):
            lines[int(number)] = _STYLE.sub("", text)
        return [lines.get(number, "") for number in range(1, self.rows + 1)]

    @property
    def attributes(self) -> list[object]:
        """Return how the terminal treats keys."""
        return termios.tcgetattr(self._theirs)

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.own, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self.own, keys.encode())

    def shows(self, words: str) -> str:
        """Wait until a line of the screen contains the words, and return it."""
        return until(lambda: next((line for line in self.screen if words in line), None), PATIENCE)

    def fits(self) -> bool:
        """Return whether no line is wider than the screen."""
        return all(text_width(line) <= self.columns for line in self.screen)

    def prints(self, words: str) -> None:
        """Wait until the words were written, on the screen or not."""
        until(lambda: words in self._output, PATIENCE)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def ends(self) -> int:
        """Wait for the end and return the exit code."""
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        os.close(self._theirs)
        os.close(self.own)


@contextmanager
def on_terminal(mission: Program, *arguments: str, columns: int = 80, rows: int = 24) -> Iterator[TerminalProgram]:
    """Run a command on a terminal of this size."""
    started = TerminalProgram(mission, arguments, columns=columns, rows=rows)
    try:
        yield started
    finally:
        started.close()
