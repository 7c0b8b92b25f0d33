"""`mission top`: runs, inbox and agents live on the whole terminal, and answers by keys."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import click

from mission.domain.errors import InvalidState
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as client
from mission.transports.cli.output import report_errors
from mission.transports.cli.runs.steering import resume_run
from mission.transports.cli.top.details import read_details
from mission.transports.cli.top.drawing import draw
from mission.transports.cli.top.feed import Feed, read_contents
from mission.transports.cli.top.rows import Row, TopContents
from mission.transports.cli.top.terminal import FullScreen
from mission.transports.cli.top.view import KeyAction, View, press

REDRAW_SECONDS = 5.0
"""Ages change without an event."""


@click.command()
@report_errors
def top() -> None:
    """Watch what is waiting for you, runs and agents, live and full-screen.

    \b
    ↑ ↓ Tab    select            Enter  details
    1–6        choose an answer  a      write an answer
    t          attach to the agent's terminal (Ctrl-] returns)
    p          pause or resume the selected run
    q          quit
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM", "") in ("", "dumb"):
        raise InvalidState(
            "'mission top' needs a terminal",
            hint="Use 'mission inbox --json', 'mission runs --json' or 'mission executions --json' in a program.",
        )
    contents = read_contents(start=True)
    with FullScreen() as terminal:
        _Session(terminal, Feed(contents, changed=terminal.wake)).run()


class _Session:
    """One use of the screen: keys change the view, events change the contents, and both are drawn."""

    def __init__(self, terminal: FullScreen, feed: Feed) -> None:
        self._terminal = terminal
        self._feed = feed
        self._view = View()
        self._details: tuple[str, list[str]] | None = None
        self._loaded: tuple[Row, TopContents] | None = None
        self._lock = threading.Lock()

    def run(self) -> None:
        """Run until the person quits or the terminal is gone."""
        self._feed.start()
        while True:
            self._draw()
            keys = self._terminal.read(seconds=REDRAW_SECONDS)
            if keys is None:
                return
            for key in keys:
                with self._lock:
                    self._view, action = press(self._view, key, self._feed.contents)
                if action is not None and action.kind == "quit":
                    return
                if action is not None:
                    self._do(action)

    def _draw(self) -> None:
        view, feed = self._view, self._feed
        opened = view.opened_row(feed.contents) if view.shows_details else None
        if opened is not None:
            self._load_details(opened)
        loaded = self._details
        details = loaded[1] if loaded is not None and loaded[0] == view.selected else None
        lines = draw(view, feed.contents, size=self._terminal.size, connected=feed.connected, details=details)
        self._terminal.draw(lines)

    def _do(self, action: KeyAction) -> None:
        row = action.row
        assert row is not None
        if action.kind == "attach":
            self._attach(str(row.execution_id))
        elif action.kind == "answer":
            self._in_background(lambda: _answer(action))
        else:
            self._in_background(lambda: _steer(action))

    def _attach(self, execution_id: str) -> None:
        with self._terminal.lent():
            program = [sys.executable, "-m", "mission", "attach", execution_id]
            subprocess.run(program, check=False)
            sys.stdout.write("\r\n[Press Enter to return]\r\n")
            sys.stdout.flush()
            sys.stdin.readline()

    def _load_details(self, row: Row) -> None:
        """Read the details of a row, and again whenever something has changed."""
        contents = self._feed.contents
        if self._loaded is not None and self._loaded[0].id == row.id and self._loaded[1] is contents:
            return
        self._loaded = (row, contents)

        def load() -> None:
            self._details = (row.id, read_details(row))

        self._in_background(load)

    def _in_background(self, work: Callable[[], str | None]) -> None:
        """Call the daemon without stopping the screen, and show what came of it."""

        def run() -> None:
            try:
                message = work()
            except ToolFailed as failed:
                message = str(failed)
            except DaemonUnavailable as gone:
                message = f"{gone.message} {gone.hint}"
            if message is not None:
                with self._lock:
                    self._view = replace(self._view, message=message)
            self._terminal.wake()

        threading.Thread(target=run, daemon=True).start()


def _answer(action: KeyAction) -> str:
    assert action.row is not None
    wanted = {"id": action.row.id, "text": action.text}
    chosen = {"choice": action.choice} if action.choice is not None else {}
    done = client.call("queue_answer", {**wanted, **chosen}, start=False)
    return f"Answered: {done['answer']}"


def _steer(action: KeyAction) -> str:
    assert action.row is not None
    run_id = action.row.id
    done = resume_run(run_id) if action.kind == "resume" else client.call("run_pause", {"run_id": run_id}, start=False)
    return f"{action.row.record['mission_name']} is {done['state']}."
