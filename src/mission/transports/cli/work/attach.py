"""`mission attach` and `mission replay`: show a launched agent's terminal."""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import termios
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mission.domain.errors import NotFound
from mission.domain.executions.marker_words import MarkerText
from mission.domain.ids import expect_kind
from mission.settings import load_or_default
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.output import report_errors
from mission.transports.cli.short_id import EXECUTION_ID

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

DETACH = b"\x1d"
MAX_PAUSE = 2.0


@click.command()
@click.argument("execution_id", type=EXECUTION_ID, metavar="ID")
@click.option("--read-only", is_flag=True, help="Watch without typing.")
@report_errors
def attach(execution_id: str, read_only: bool) -> None:
    """Watch a launched agent's terminal, and type into it if it is interactive.

    Ctrl-] leaves it running; Ctrl-C does if it is not interactive.
    """
    from websockets.exceptions import ConnectionClosed, InvalidHandshake  # deferred: only this command needs them
    from websockets.sync.client import connect

    running = daemon.ensure(load_or_default())
    url = f"ws{running.url.removeprefix('http')}/ws/executions/{execution_id}/terminal"
    try:
        with connect(
            url, additional_headers={"Authorization": f"Bearer {daemon.bearer(running)}"}, max_size=None
        ) as socket:
            _relay(socket, types=not read_only and sys.stdin.isatty())
    except InvalidHandshake:
        raise NotFound(f"{execution_id} has no terminal", hint="'mission executions' lists the executions.") from None
    except ConnectionClosed as closed:
        reason = closed.rcvd.reason if closed.rcvd else "the daemon stopped"
        raise NotFound(reason or "the connection was closed") from None


@click.command()
@click.argument("execution_id", type=EXECUTION_ID, metavar="ID")
@click.option("--speed", default=1.0, show_default=True, type=click.FloatRange(min=0.01), help="Playback speed.")
@click.option("--at-once", is_flag=True, help="Print everything at once.")
@report_errors
def replay(execution_id: str, speed: float, at_once: bool) -> None:
    """Replay an execution's terminal output with long pauses shortened. Recordings are asciicast v2 files."""
    expect_kind(execution_id, "execution", field="ID")
    from mission.runtime.runner import transcript  # deferred like the rest

    folder = load_or_default().home / "executions" / execution_id
    pieces = transcript.pieces(str(folder))
    if not pieces:
        raise NotFound(
            f"{execution_id} has no transcript on this machine", hint="The transcript is on the machine that ran it."
        )
    shown = MarkerText()
    for piece in pieces:
        before = 0.0
        for at, text in _output(Path(piece)):
            if not at_once:
                time.sleep(min(MAX_PAUSE, max(0.0, at - before)) / speed)
            before = at
            _write(shown.feed(text))
    _write(shown.end())


def _output(piece: Path) -> Iterator[tuple[float, str]]:
    with piece.open(encoding="utf-8", errors="replace") as lines:
        next(lines, None)
        for line in lines:
            with suppress(ValueError, TypeError):
                at, kind, text = json.loads(line)
                if kind == "o":
                    yield float(at), str(text)


def _relay(socket: ClientConnection, *, types: bool) -> None:
    attached = json.loads(socket.recv())
    done, shown = threading.Event(), MarkerText()
    with _raw_terminal(types and attached["typing"]) as raw:
        if sys.stderr.isatty():
            click.echo(f"[{'Ctrl-]' if raw else 'Ctrl-C'} leaves; the agent keeps running]\r", err=True)
        if raw:
            threading.Thread(target=_type, args=(socket, done), daemon=True).start()
        for text in socket:
            frame = json.loads(text)
            if frame["type"] == "output":
                _write(shown.feed(frame["data"]))
            elif frame["type"] == "ended":
                _write(shown.end())
                _say_end(frame["execution"])
                break
    done.set()


def _type(socket: ClientConnection, done: threading.Event) -> None:
    """Send what is typed until the detach key."""
    size = None
    with suppress(OSError, RuntimeError):
        while not done.is_set():
            present = shutil.get_terminal_size()
            if present != size:
                size = present
                socket.send(json.dumps({"type": "resize", "rows": size.lines, "columns": size.columns}))
            if not select.select([sys.stdin], [], [], 0.2)[0]:
                continue
            data = os.read(sys.stdin.fileno(), 4096)
            if not data or DETACH in data:
                break
            socket.send(json.dumps({"type": "input", "data": data.decode("utf-8", "replace")}))
        socket.close()


@contextmanager
def _raw_terminal(wanted: bool) -> Iterator[bool]:
    """Set the terminal to raw mode, so that every key passes, and restore it afterward."""
    if not wanted:
        yield False
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setraw(sys.stdin)
        yield True
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _say_end(execution: dict[str, Any]) -> None:
    reason = f": {execution['reason']}" if execution["reason"] else ""
    click.echo(f"\r\n[{execution['id']} {execution['status']}{reason}]\r", err=True)
