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
from mission.transports.cli.top.rows import Row
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
        row = view.row(feed.contents)
        loaded = self._details
        details = loaded[1] if loaded is not None and row is not None and loaded[0] == row.id else None
        lines = draw(view, feed.contents, size=self._terminal.size, connected=feed.connected, details=details)
        self._terminal.draw(lines)

    def _do(self, action: KeyAction) -> None:
        row = action.row
        assert row is not None
        if action.kind == "attach":
            self._attach(str(row.execution_id))
        elif action.kind == "load":
            self._in_background(lambda: self._load(row))
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

    def _load(self, row: Row) -> str:
        self._details = (row.id, read_details(row))
        return ""

    def _in_background(self, work: Callable[[], str]) -> None:
        """Call the daemon without stopping the screen, and show what it said."""

        def run() -> None:
            try:
                message = work()
            except ToolFailed as failed:
                message = str(failed)
            except DaemonUnavailable as gone:
                message = f"{gone.message} {gone.hint}"
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
