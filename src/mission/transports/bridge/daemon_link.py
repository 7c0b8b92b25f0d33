"""The bridge's way to the daemon: which one is in use, and the connections to it that wait for their next request.

Standard library only.
"""

from __future__ import annotations

import threading
import time

from mission import __version__
from mission.transports.bridge import daemon_process as daemons
from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable
from mission.transports.bridge.http_client import HttpConnection

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST_IDLE_CONNECTIONS = 16


class Link:
    """Shared by all requests in flight: one of them looks for a daemon, the others wait for what it finds."""

    def __init__(self, *, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.home = daemons.home_directory(environment)
        self._environment = environment
        self._say = say
        self._searching = threading.Lock()
        self._daemon: Daemon | None = None
        self._last_failure: tuple[float, DaemonUnavailable] | None = None
        self._idle: list[HttpConnection] = []  # used at its end only: what lies deeper may be closed by the server

    @property
    def is_ready(self) -> bool:
        """Whether a request can be sent at once: the daemon is known, and a connection waits."""
        return self._daemon is not None and bool(self._idle)

    def daemon(self, *, instead_of: Daemon | None) -> Daemon:
        """The daemon in use. One that just failed is replaced, or proved to be alive."""
        asked_at = time.monotonic()
        current = self._daemon
        if current is not None and current is not instead_of:
            return current
        with self._searching:
            if self._daemon is not None and self._daemon is not instead_of:
                return self._daemon
            if self._last_failure is not None and self._last_failure[0] > asked_at:
                raise self._last_failure[1]
            try:
                self._daemon = self._described(instead_of) or self._ensured()
            except DaemonUnavailable as problem:
                self._last_failure = (time.monotonic(), problem)
                self._say(problem.message)
                raise
            return self._daemon

    def token_was_renewed(self, daemon: Daemon) -> bool:
        """Whether there is another token to try than the one that the daemon refused."""
        if self._environment.get("MISSION_TOKEN"):
            return False
        fresh = daemons.read(self.home)
        if fresh is None or fresh.token == daemon.token:
            return False
        with self._searching:
            self._daemon = fresh
        return True

    def wait_for_search(self) -> bool:
        """Whether somebody was looking for a daemon, and has now ended."""
        if not self._searching.locked():
            return False
        with self._searching:
            return True

    def connect(self, daemon: Daemon) -> HttpConnection:
        """A connection to the daemon that nobody else uses."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return HttpConnection(daemon.url)
            if connection.url == daemon.url and connection.is_usable():
                return connection
            connection.close()

    def give_back(self, connection: HttpConnection) -> None:
        if len(self._idle) < MOST_IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()

    def _described(self, failed: Daemon | None) -> Daemon | None:
        """The daemon that daemon.json names, if there is nothing against simply trying it."""
        if failed is not None:
            return None
        daemon = daemons.read(self.home)
        usable = daemon is not None and daemon.version == __version__ and daemons.seems_alive(daemon)
        return daemon if usable else None

    def _ensured(self) -> Daemon:
        from mission.settings import BadSetting, load  # deferred: needed only to start a daemon, and takes 25 ms

        try:
            settings = load(self._environment)
        except BadSetting as problem:
            raise DaemonUnavailable(str(problem), hint="Mend the setting, then try again.") from None
        return daemons.ensure(settings, report=self._say)
