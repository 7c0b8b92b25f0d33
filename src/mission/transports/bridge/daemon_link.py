"""The bridge's link to the daemon: the daemon in use and its idle connections.

Standard library only.
"""

from __future__ import annotations

import threading
import time

from mission import __version__
from mission.transports.bridge import daemon_process
from mission.transports.bridge.daemon_process import Daemon, DaemonUnavailable
from mission.transports.bridge.http_client import HttpConnection

TYPE_CHECKING = False  # typing itself is not imported: it costs 4 ms at start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_IDLE_CONNECTIONS = 16


class Link:
    """Shared by all requests in flight: one of them searches for a daemon, the others wait for the result."""

    def __init__(self, *, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
        self.home = daemon_process.home_directory(environment)
        self._environment = environment
        self._say = say
        self._searching = threading.Lock()
        self._daemon: Daemon | None = None
        self._last_failure: tuple[float, DaemonUnavailable] | None = None
        self._idle: list[HttpConnection] = []  # used as a stack: the server may close older ones

    @property
    def is_ready(self) -> bool:
        """Return whether a request can be sent immediately: the daemon is known and a connection is idle."""
        return self._daemon is not None and bool(self._idle)

    def daemon(self, *, instead_of: Daemon | None) -> Daemon:
        """Return the daemon in use; one that just failed is replaced or checked."""
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
        """Return whether there is a newer access token than the one that the daemon refused."""
        if self._environment.get("MISSION_TOKEN"):
            return False
        fresh = daemon_process.read(self.home)
        if fresh is None or fresh.token == daemon.token:
            return False
        with self._searching:
            self._daemon = fresh
        return True

    def wait_for_search(self) -> bool:
        """Wait for a running search for a daemon, and return whether there was one."""
        if not self._searching.locked():
            return False
        with self._searching:
            return True

    def connect(self, daemon: Daemon) -> HttpConnection:
        """Return an unused connection to the daemon."""
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return HttpConnection(daemon.url)
            if connection.url == daemon.url and connection.is_usable():
                return connection
            connection.close()

    def release(self, connection: HttpConnection) -> None:
        if len(self._idle) < MAX_IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()

    def _described(self, failed: Daemon | None) -> Daemon | None:
        """Return the daemon in daemon.json if it is worth trying."""
        if failed is not None:
            return None
        daemon = daemon_process.read(self.home)
        usable = daemon is not None and daemon.version == __version__ and daemon_process.seems_alive(daemon)
        return daemon if usable else None

    def _ensured(self) -> Daemon:
        from mission.settings import BadSetting, load  # deferred: needed only to start a daemon, and takes 25 ms

        try:
            settings = load(self._environment)
        except BadSetting as problem:
            raise DaemonUnavailable(str(problem), hint="Fix the setting, then try again.") from None
        return daemon_process.ensure(settings, report=self._say)
