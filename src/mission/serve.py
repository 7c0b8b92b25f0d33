"""The processes: the daemon with its web server, and a standalone server on stdin and stdout.

The application is imported only after the lock and the port are free: a second daemon exits immediately.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import logging.handlers
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mission import __version__
from mission.domain.errors import InvalidState
from mission.domain.timestamps import format_time, utc_now
from mission.home import make_home, operator_token
from mission.private_files import write_private
from mission.settings import Settings
from mission.store.backends.file_locks import FileLock

if TYPE_CHECKING:
    import uvicorn

    from mission.app import App

log = logging.getLogger("mission")

LOCK_TRIES = 50
TOOL_MODULES = "tool-modules"
OPEN_FILES = 65_536
"""The open-file limit of the daemon, connections included. Programs that it launches inherit it, and some of them
close every possible file when they start: without a limit that takes minutes."""


class AlreadyRunning(InvalidState):
    """Mission Control is already running."""


class PortTaken(InvalidState):
    """Another program uses the port."""


def run_daemon(settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Serve until stopped. A lock ensures that there is only one daemon per MISSION_HOME."""
    make_home(settings)
    lock = FileLock(settings.home / "daemon.lock")
    if not _acquired(lock):
        raise AlreadyRunning(hint="'mission status' shows where.")
    try:
        listener = _listen(settings)
        _log_to_file(settings)
        _allow_open_files()
        gc.disable()  # startup creates hardly any garbage, and collecting it takes a tenth of the time
        from mission.app import App
        from mission.gateway.toolsets import parse_toolsets

        parse_toolsets(settings.toolsets)
        app = App(settings, role="the daemon")
        _run(_serve(app, listener, announce=announce))
        log.info("stopped")
    finally:
        settings.daemon_path.unlink(missing_ok=True)
        lock.close()


def run_standalone(settings: Settings, *, toolsets: str | None, agent: str | None) -> None:
    """Serve MCP on stdin and stdout from this process, on the same database, without a daemon."""
    gc.disable()
    from mission.gateway.toolsets import parse_toolsets
    from mission.program_cache import ProgramCache
    from mission.transports.mcp_server.standalone.client import StandaloneClient

    token = os.environ.get("MISSION_TOKEN")
    cache = ProgramCache(settings.cache_path)
    stored = f"tools-{'-'.join(parse_toolsets(toolsets or settings.toolsets))}"
    by_operator = not token and agent is None  # who sees all tools
    client = StandaloneClient(tool_list=lambda: cache.read(stored) if by_operator else None)
    client.start()  # it greets the client while the rest is imported
    from mission.app import App
    from mission.transports.mcp_server.standalone.server import StandaloneServer
    from mission.transports.mcp_server.stdio_callers import StdioCallers

    logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr)
    _quiet_libraries()
    modules = cache.read(TOOL_MODULES)
    app = App(settings, role="a standalone server", tool_modules=modules)
    tokens = app.tokens(operator_token(settings))
    callers = StdioCallers(
        toolsets=settings.toolsets,
        asked=toolsets,
        agent=agent,
        directory=str(Path.cwd()),
        bearer=(lambda: tokens.check(token)) if token else None,
    )
    server = StandaloneServer(client, app.gateway, callers=callers, store_list=partial(cache.write, stored))

    async def serve() -> None:
        async with app.running(periodic=False):
            if modules is None:
                await asyncio.to_thread(cache.write, TOOL_MODULES, app.gateway.registry.modules)
            _settle_memory()
            await server.serve(at_end=app.events.wake_waiters)

    _run(serve())


def http_server(app: App, *, token: str) -> uvicorn.Config:
    """Return the configuration of the daemon's web server, which opens and closes the application."""
    import uvicorn

    from mission.services.work import BackgroundWork
    from mission.transports.web.browser_sessions import Sessions
    from mission.transports.web.http_limits import MAX_UNKNOWN, BoundedHttp, QuietWebSocket, UnknownConnections
    from mission.transports.web.request_guard import answering_hosts
    from mission.transports.web.routes import build_http

    settings = app.settings
    asgi = build_http(
        app.gateway,
        app.events,
        work=BackgroundWork(app.database),
        launcher=app.launcher,
        tokens=app.tokens(token),
        sessions=Sessions(token, ended=settings.sessions_path),
        toolsets=settings.toolsets,
        hosts=answering_hosts(settings.host, settings.allowed_hosts),
        health=app.health,
        status=app.status,
        running=lambda: app.running(periodic=True),
    )
    unknown = UnknownConnections(min(MAX_UNKNOWN, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2))
    return uvicorn.Config(
        asgi,
        http=partial(BoundedHttp, unknown=unknown),  # type: ignore[arg-type]
        ws=QuietWebSocket,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_per_message_deflate=False,  # frames stay on this machine: compressing them costs more than sending
        timeout_graceful_shutdown=5,
        timeout_keep_alive=75,
        ws_max_size=1024 * 1024,
        ws_max_queue=64,
    )


async def _serve(app: App, listener: socket.socket, *, announce: Callable[[str], None]) -> None:
    import uvicorn

    settings = app.settings
    token = operator_token(settings)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                url = _url(listener)
                _write_daemon_file(settings, url=url, listener=listener, token=token)
                _settle_memory()
                log.info("listening on %s", url)
                announce(url)

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Shut down cleanly on a signal; a second one has no effect. Uvicorn would stop immediately at the second,
            and raise the signal again before we have cleaned up."""
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self._end)
            yield

        def _end(self) -> None:
            self.should_exit = True

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.events.wake_waiters()
            await super().shutdown(sockets)

    app.launcher.preparer.url = _url(listener)
    server = Server(http_server(app, token=token))
    await server.serve(sockets=[listener])
    if not server.started:
        raise InvalidState("the daemon could not start", hint="'mission logs' shows why.")


def _acquired(lock: FileLock) -> bool:
    """Return whether we got the lock; a process that only checks it also holds it for a moment."""
    for _ in range(LOCK_TRIES):
        if lock.acquire(wait=False):
            return True
        time.sleep(0.01)
    return False


def _settle_memory() -> None:
    """Turn the garbage collector on again and exclude objects from startup, which live as long as the process."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)
    gc.enable()


def _allow_open_files() -> None:
    """Raise the open-file limit of this process as far as its user may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS has its own limit below the hard one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen()  # two may bind at the same time, but only one listens
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        raise PortTaken(
            f"{settings.host}:{settings.port} cannot be used: {error.strerror}",
            hint="Stop the program that uses it, or choose another port with --port or MISSION_PORT."
            if taken
            else "Give an address of this machine with --host, and a port above 1023 with --port.",
        ) from None
    return listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _write_daemon_file(settings: Settings, *, url: str, listener: socket.socket, token: str) -> None:
    host, port = listener.getsockname()[:2]
    facts = {
        "pid": os.getpid(),
        "host": host,
        "port": port,
        "url": url,
        "token": token,
        "version": __version__,
        "started_at": format_time(utc_now()),
    }
    write_private(settings.daemon_path, json.dumps(facts, indent=1))


def _log_to_file(settings: Settings) -> None:
    """Log to daemon.log, and to the terminal too when the daemon runs in the foreground."""
    root = logging.getLogger()
    root.setLevel(settings.log_level.upper())
    _quiet_libraries()
    settings.log_path.touch(mode=0o600)
    file = logging.handlers.RotatingFileHandler(settings.log_path, maxBytes=10_000_000, backupCount=3)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    root.addHandler(file)
    if sys.stderr.isatty():
        terminal = logging.StreamHandler()
        terminal.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        terminal.setLevel(logging.WARNING)
        root.addHandler(terminal)


def _quiet_libraries() -> None:
    for name in ("alembic", "mcp", "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(_is_not_shutdown)


def _is_not_shutdown(record: logging.LogRecord) -> bool:
    """Return False for a request that was canceled because the daemon stops, which is not an error."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def _run(main: Coroutine[Any, Any, None]) -> None:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)
