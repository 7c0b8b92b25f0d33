"""Keeps `mission top` up to date: reads everything when an event says that something changed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from mission.domain.executions.execution import LIVE as LIVE_EXECUTIONS
from mission.settings import load_or_default
from mission.transports.bridge import daemon_process as daemon
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as client
from mission.transports.cli.runs.run_words import LIVE as LIVE_RUNS
from mission.transports.cli.top.rows import TopContents, agent_rows

RETRY_SECONDS = 1.0
BURST_SECONDS = 0.4
"""Events that come so shortly after the first are read together with it."""
REREAD_SECONDS = 15.0
"""Heartbeats change who is present without an event."""
MAX_ITEMS = 200
MAX_RUNS = 20
MAX_AGENTS = 200


def read_contents(*, start: bool = False) -> TopContents:
    """Return everything that is shown; `start` starts the daemon if it is not running."""
    items = client.call("queue_list", {"limit": MAX_ITEMS}, start=start)["items"]
    runs = client.call("run_list", {"state": sorted(LIVE_RUNS), "limit": MAX_RUNS}, start=False)["runs"]
    live = {"status": [str(status) for status in LIVE_EXECUTIONS], "limit": MAX_AGENTS}
    executions = client.call("overview_executions", live, start=False)["executions"]
    fleet = client.call("overview", {}, start=False)["fleet"]
    return TopContents(
        items=items,
        runs=[client.call("run_get", {"run_id": run["run_id"]}, start=False) for run in runs],
        agents=agent_rows(executions, fleet),
    )


class Feed:
    """The newest contents and whether there is a connection, kept by a thread of its own."""

    def __init__(self, contents: TopContents, *, changed: Callable[[], None]) -> None:
        self.contents = contents
        self.connected = True
        self._changed = changed

    def start(self) -> None:
        threading.Thread(target=self._run, daemon=True, name="events").start()

    def _run(self) -> None:
        from websockets.exceptions import WebSocketException  # deferred: only this command needs it

        while True:
            try:
                self._follow()
            except (OSError, WebSocketException, DaemonUnavailable, ToolFailed, EOFError):
                self.connected = False
                self._changed()
                time.sleep(RETRY_SECONDS)

    def _follow(self) -> None:
        """Read once, then after each burst of events, until the connection breaks."""
        from websockets.sync.client import connect

        running = daemon.find(load_or_default())
        if running is None:
            raise DaemonUnavailable("Mission Control is not running.", hint="")
        url = f"ws{running.url.removeprefix('http')}/ws"
        headers = {"Authorization": f"Bearer {daemon.bearer(running)}"}
        with connect(url, additional_headers=headers, max_size=None) as socket:
            socket.send(json.dumps({"type": "subscribe", "topic": "global"}))
            while True:
                self.contents, self.connected = read_contents(), True
                self._changed()
                await_change(socket)


def await_change(socket: Any) -> None:
    """Return shortly after the first event, or after a while without one."""
    end, has_changed = time.monotonic() + REREAD_SECONDS, False
    while (left := end - time.monotonic()) > 0:
        try:
            frame = json.loads(socket.recv(timeout=left))
        except TimeoutError:
            return
        if not has_changed and "at" in frame:  # only events have a time
            end, has_changed = time.monotonic() + BURST_SECONDS, True
