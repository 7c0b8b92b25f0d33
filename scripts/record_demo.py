"""Record `mission demo` in a real terminal as an animated SVG for the README: `python -m scripts.record_demo`.

The demo only ever adds lines, so the picture is its text, uncovered and scrolled line by line. Pauses are shortened.
"""

from __future__ import annotations

import html
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "pictures" / "demo.svg"
COLUMNS, ROWS = 92, 24
LINE_HEIGHT, CHARACTER = 18, 8.6
LONGEST_PAUSE, HOLD, READING = 1.6, 6.0, 2.0
"""Seconds: the longest pause, how long the end is shown before it starts again, and how long a question is read."""
SHOWN_HOME = "~/.local/share/mission-control"
QUESTION = b"--choice 1"
COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341"}
ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A line of the terminal, and when it was complete."""

    at: float
    text: str
    color: str | None = None


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        variables = _variables(Path(folder), home)
        try:
            _mission("up", "--detach", variables=variables)
            output = list(_play(["mission", "demo"], variables))
        finally:
            _mission("down", "--force", variables=variables)
    TARGET.write_text(draw(read_lines(output, home=str(home))), encoding="utf-8")
    sys.stdout.write(f"{TARGET.relative_to(ROOT)}: {TARGET.stat().st_size // 1024} KB\n")


def _variables(folder: Path, home: Path) -> dict[str, str]:
    """Return an environment in which `mission` is on the PATH and has a home of its own."""
    program = folder / "bin" / "mission"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nexec '{sys.executable}' -m mission \"$@\"\n")
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    size = {"COLUMNS": str(COLUMNS), "LINES": str(ROWS), "TERM": "xterm-256color"}
    return {**os.environ, **size, "PATH": path, "MISSION_HOME": str(home), "MISSION_PORT": "0"}


def _mission(*words: str, variables: Mapping[str, str]) -> None:
    subprocess.run([sys.executable, "-m", "mission", *words], env=dict(variables), capture_output=True)


def _play(command: list[str], variables: Mapping[str, str]) -> Iterator[tuple[float, bytes]]:
    """Yield what the command prints on its terminal and when; answer its question with the first choice."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(command[0], command, dict(variables))
    began, answered = time.monotonic(), False
    while select.select([terminal], [], [], 120)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        yield time.monotonic() - began, data
        if QUESTION in data and not answered:
            answered = True
            time.sleep(READING)
            os.write(terminal, b"1\n")
    os.waitpid(pid, 0)


def read_lines(output: list[tuple[float, bytes]], *, home: str) -> list[Line]:
    """Return the lines with their times, without long pauses and without the folder of the recording."""
    lines: list[Line] = []
    waiting, now, before = "", 0.0, 0.0
    for at, data in output:
        now += min(at - before, LONGEST_PAUSE)
        before = at
        *complete, waiting = (waiting + data.decode(errors="replace")).replace("\r", "").split("\n")
        lines += [_line(each.replace(home, SHOWN_HOME), at=now) for each in complete]
    return lines


def _line(text: str, *, at: float) -> Line:
    color = next((COLORS[code] for code in ESCAPE.findall(text) if code in COLORS), None)
    return Line(at=at, text=ESCAPE.sub("", text), color=color)


def draw(lines: list[Line]) -> str:
    """Return an SVG that shows the lines as they appeared, again and again; without motion, the last ones."""
    total = lines[-1].at + HOLD
    width, height = round(COLUMNS * CHARACTER) + 32, ROWS * LINE_HEIGHT + 56
    moments = {f"{100 * line.at / total:.1f}%": number for number, line in enumerate(lines, start=1)}
    cover = _keyframes({at: min(count, ROWS) * LINE_HEIGHT for at, count in moments.items()})
    scroll = _keyframes({at: -_hidden(count) for at, count in moments.items()})
    rows = "".join(_row(line, number) for number, line in enumerate(lines))
    end = f"transform:translateY({-_hidden(len(lines))}px)"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A recording of mission demo</title>
<style>
text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d7dee7; white-space: pre }}
#text {{ {end}; animation: scroll {total:.1f}s step-end infinite }}
#cover {{ transform: translateY({ROWS * LINE_HEIGHT}px); animation: cover {total:.1f}s step-end infinite }}
@keyframes scroll {{ 0%{{transform:none}}{scroll} }}
@keyframes cover {{ 0%{{transform:none}}{cover} }}
@media (prefers-reduced-motion) {{ #text, #cover {{ animation: none }} }}
</style>
<rect width="{width}" height="{height}" rx="10" fill="#12171f"/>
<g fill="#3a4351"><circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/></g>
<text x="{width / 2:.0f}" y="23" text-anchor="middle" style="fill:#8793a3">mission demo</text>
<svg x="16" y="40" width="{width - 32}" height="{ROWS * LINE_HEIGHT}">
<g id="text">{rows}</g>
<rect id="cover" width="{width}" height="{ROWS * LINE_HEIGHT}" fill="#12171f"/>
</svg>
</svg>
"""


def _keyframes(places: Mapping[str, int]) -> str:
    """Return the moments at which something moves, and where to."""
    moves, before = [], 0
    for at, place in places.items():
        if place != before:
            moves.append(f"{at}{{transform:translateY({place}px)}}")
        before = place
    return "".join(moves)


def _hidden(count: int) -> int:
    """Return how far the text is scrolled when so many lines have appeared."""
    return max(0, count - ROWS) * LINE_HEIGHT


def _row(line: Line, number: int) -> str:
    style = f' style="fill:{line.color}"' if line.color else ""
    return f'\n<text y="{number * LINE_HEIGHT + 14}"{style}>{html.escape(line.text[:COLUMNS])}</text>'


if __name__ == "__main__":
    main()
