"""The composition root: settings → database → events → gateway → doors, and their order of start and stop."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import logging
import logging.handlers
import os
import secrets
import shutil
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from mission import __version__, tools
from mission.domain.agent import AgentType
from mission.domain.errors import InvalidState, Unauthenticated
from mission.domain.permissions import Edit, Policy
from mission.domain.times import Clock, shown, utc_now
from mission.domain.webhook import Hook
from mission.events.log import EventLog
from mission.files import write_private
from mission.gateway.call import Gateway, Ports
from mission.gateway.caller import Caller, Tokens
from mission.gateway.masking import Masker
from mission.gateway.registry import Registry, parse_toolsets
from mission.gateway.retry import Retry
from mission.git.snapshot import Snapshots
from mission.git.workshop import Workshop
from mission.runtime import desktop
from mission.runtime.postman import Postman
from mission.runtime.supervisor import Supervisor
from mission.services import health, identity, retention, search, webhooks
from mission.services.agents import Rhythm
from mission.services.identity import Bearer
from mission.services.trees import Trees
from mission.services.work import Unattended
from mission.settings import Settings, describe
from mission.store import backup, migrate
from mission.store.database import Backend, Database
from mission.store.locks import FileLock
from mission.store.postgres import PostgresBackend
from mission.store.sqlite import SqliteBackend
from mission.store.transaction import Tx
from mission.transports.webhook import post

if TYPE_CHECKING:
    import uvicorn

log = logging.getLogger("mission")

TIDY_SECONDS = 600.0
HEALTH_SECONDS = 60.0
INDEX_SECONDS = 5.0
LAUNCH_CONTEXT_TOKENS = 4_000
AGAIN_SECONDS = 5.0
LOCK_TRIES = 50


class AlreadyRunning(InvalidState):
    """Mission Control is running already."""


class PortTaken(InvalidState):
    """The port is taken by another program."""


class UnusableHome(InvalidState):
    """MISSION_HOME cannot be used."""

    default_hint = "Set MISSION_HOME to a folder you may write to."


class App:
    """Everything a door needs, built once per process."""

    def __init__(self, settings: Settings, *, role: str, clock: Clock = utc_now) -> None:
        self.settings = settings
        self.started_at = clock()
        self.backend = open_backend(settings, role=role)
        self.database = Database(self.backend, clock=clock)
        self.events = EventLog(self.database)
        self.trees = Trees(Snapshots(settings.snapshots_path), workshop=_workshop(settings), host_id=settings.host_id)
        rhythm = Rhythm(
            heartbeat=timedelta(seconds=settings.heartbeat_seconds), lease=timedelta(seconds=settings.lease_seconds)
        )
        self.supervisor = Supervisor(
            self.database, self.trees, rhythm=rhythm, settings=settings, context=self._context_of_task
        )
        self.postman = Postman(
            self.supervisor,
            Unattended(self.database),
            self.events,
            host_id=settings.host_id,
            mark=settings.home / "heard",
        )
        self.gateway = Gateway(
            registry=Registry(tools),
            database=self.database,
            masker=Masker(names=settings.mask_names, pattern=settings.mask_pattern, longest=settings.audit_text),
            retry=Retry(pause=settings.retry_seconds),
            ports=Ports(
                trees=self.trees,
                rhythm=rhythm,
                launcher=self.supervisor,
                events=self.events,
                policy=_policy(settings),
            ),
        )
        self.supervisor.signals = self.gateway.signals

    @asynccontextmanager
    async def running(self, *, periodic: bool) -> AsyncIterator[App]:
        """From the opened database to its last write; periodic work only where a daemon runs."""
        self.database.open()
        await self.events.open()
        jobs = [asyncio.create_task(job) for job in (*self._jobs(), *self._followers())] if periodic else []
        if periodic:
            await self.supervisor.open()
            await self.postman.open()
        try:
            yield self
        finally:
            for job in jobs:
                job.cancel()
            if periodic:
                await self.postman.close()
                await self.supervisor.close()
            await self.gateway.close()
            await self.events.close()
            await self.trees.close()
            await self.database.close()

    def tokens(self, operator: str) -> Tokens:
        """Tells who shows a token: the operator's, or an agent's."""

        async def find(token: str) -> Bearer:
            try:
                return await self.database.read(identity.bearer_of, token=token)
            except Unauthenticated as refused:
                if "agent_id" in refused.details:  # it was a token once: whoever still shows it is put on record
                    self.gateway.note_worthless_token(refused)
                raise

        return Tokens(operator, find=find)

    async def health(self) -> dict[str, Any]:
        """What a bridge asks before it restarts a daemon of another version."""
        return {"executions": await self.database.read(_live_executions, host_id=self.settings.host_id)}

    async def status(self) -> dict[str, Any]:
        """How the daemon fares and what it was set to, for its operator."""
        settings = self.settings
        return {
            **await self.health(),
            "started_at": shown(self.started_at),
            "host": settings.host_id,
            "events": self.events.last,
            "database": "PostgreSQL" if settings.database_url else "SQLite",
            "database_bytes": _size(settings.sqlite_path) if not settings.database_url else None,
            "free_bytes": shutil.disk_usage(settings.home).free,
            "settings_file": str(settings.file_path),
            "settings": describe(settings),
        }

    async def _context_of_task(self, task_id: str) -> str:
        """What a launched agent should know of its task, as the tool that agents use says it."""
        arguments = {"task_id": task_id, "max_tokens": LAUNCH_CONTEXT_TOKENS}
        found = await self.gateway("task_load_context", arguments, Caller(transport="launch"))
        return f"What is known of it (task_load_context):\n{json.dumps(found, ensure_ascii=False, indent=1)}"

    def _jobs(self) -> list[Coroutine[Any, Any, None]]:
        """Work that no call waits for; the database says whose turn it is."""
        return [
            _every(TIDY_SECONDS, self._tidy),
            _every(HEALTH_SECONDS, self._look_after),
            _every(INDEX_SECONDS, self._index),
        ]

    def _followers(self) -> list[Coroutine[Any, Any, None]]:
        """Those who read the event log to tell people outside."""
        work, settings = Unattended(self.database), self.settings
        followers = []
        if settings.webhook_url:
            wanted = [each.strip() for each in settings.webhook_events.split(",") if each.strip()]
            hook = Hook(url=settings.webhook_url, secret=settings.webhook_secret, events=wanted)
            followers.append(_every(AGAIN_SECONDS, lambda: webhooks.follow(work, self.events, post, hook=hook)))
        if settings.desktop_notifications == "on":
            followers.append(_every(AGAIN_SECONDS, lambda: desktop.follow(work, self.events)))
        return followers

    async def _tidy(self) -> None:
        keep = retention.Keep(
            events=_days(self.settings.keep_events_days),
            audit=_days(self.settings.keep_audit_days),
            observations=_days(self.settings.keep_observations_days),
        )
        await retention.tidy(Unattended(self.database), keep=keep)
        await self.trees.prune(await self.database.read(_snapshots_in_use, host_id=self.settings.host_id))

    async def _index(self) -> None:
        await search.catch_up(self.database)

    async def _look_after(self) -> None:
        await self.database.write(health.sweep)


async def _every(seconds: float, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Whatever goes wrong once is tried again."""
    while True:
        try:
            await job()
        except Exception:
            log.exception("periodic work failed")
        await asyncio.sleep(seconds)


def open_backend(settings: Settings, *, role: str) -> Backend:
    """The database the settings name, at the present schema."""
    make_home(settings)
    backend = new_backend(settings, role=role)
    try:
        migrate.prepare(backend, backup=lambda revision: backup.before_migration(settings, backend, revision=revision))
    except DBAPIError as error:
        raise backend.translate(error) or error from error
    return backend


def new_backend(settings: Settings, *, role: str) -> SqliteBackend | PostgresBackend:
    url = settings.database_url
    if not url:
        return SqliteBackend(settings.sqlite_path, role=role)
    if url.startswith(("postgresql:", "postgresql+psycopg:", "postgres:")):
        return PostgresBackend(f"postgresql:{url.partition(':')[2]}", role=role)
    if url.startswith("sqlite:///"):
        return SqliteBackend(Path(url.removeprefix("sqlite:///")), role=role)
    raise InvalidState(
        "the database address is not understood", hint="Use postgresql://user:password@host/name or sqlite:///PATH."
    )


def make_home(settings: Settings) -> None:
    """The folder for everything Mission Control keeps; nobody else may look in."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be made: {error.strerror}") from None
    if not os.access(settings.home, os.R_OK | os.W_OK | os.X_OK):
        raise UnusableHome(f"MISSION_HOME {settings.home} cannot be read and written by this user")


def operator_token(settings: Settings) -> str:
    """The operator's token, made at the first start."""
    path = settings.token_path
    with suppress(FileNotFoundError):
        token = path.read_text().strip()
        if token:
            return token
    return renew_token(settings)


def renew_token(settings: Settings) -> str:
    token = secrets.token_urlsafe(32)
    write_private(settings.token_path, f"{token}\n")
    return token


def run_daemon(settings: Settings, *, announce: Callable[[str], None]) -> None:
    """Serve until told to stop. One daemon per MISSION_HOME: a lock held for life decides."""
    make_home(settings)
    lock = FileLock(settings.home / "daemon.lock")
    if not _acquired(lock):
        raise AlreadyRunning(hint="'mission status' shows where.")
    try:
        listener = _listen(settings)
        _log_to_file(settings)
        parse_toolsets(settings.toolsets)
        app = App(settings, role="the daemon")
        _run(_serve(app, listener, announce=announce))
        log.info("stopped")
    finally:
        settings.daemon_path.unlink(missing_ok=True)
        lock.close()


def run_standalone(settings: Settings, *, toolsets: str | None, agent: str | None) -> None:
    """Serve MCP on stdin and stdout from this process, on the same database, without a daemon."""
    from mission.transports.mcp import McpServer

    logging.basicConfig(level=settings.log_level.upper(), stream=sys.stderr)
    _quiet_libraries()
    chosen = toolsets or settings.toolsets
    parse_toolsets(chosen)
    app = App(settings, role="a standalone server")
    token = os.environ.get("MISSION_TOKEN")
    tokens = app.tokens(operator_token(settings))
    server = McpServer(
        app.gateway,
        toolsets=settings.toolsets,
        asked=toolsets,
        agent=agent,
        directory=str(Path.cwd()),
        bearer=(lambda: tokens.check(token)) if token else None,
    )

    async def serve() -> None:
        async with app.running(periodic=False):
            await server.serve_stdio()

    _run(serve())


def http_server(app: App, *, token: str) -> uvicorn.Config:
    """The daemon's web server, which opens and closes the application it serves."""
    import uvicorn

    from mission.transports.http import answering_hosts, build_http
    from mission.transports.session import Sessions

    settings = app.settings
    asgi = build_http(
        app.gateway,
        app.events,
        work=Unattended(app.database),
        supervisor=app.supervisor,
        tokens=app.tokens(token),
        sessions=Sessions(token),
        toolsets=settings.toolsets,
        hosts=answering_hosts(settings.host, settings.allowed_hosts),
        health=app.health,
        status=app.status,
        running=lambda: app.running(periodic=True),
    )
    return uvicorn.Config(
        asgi,
        http="httptools",
        ws="websockets-sansio",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_per_message_deflate=False,  # frames go to this machine: packing them costs more than sending
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
            """End in order on a signal; uvicorn would raise it once more afterwards and skip our own cleaning up."""
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.handle_exit, number, None)
            yield

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.events.wake_waiters()
            await super().shutdown(sockets)

    app.supervisor.url = _url(listener)
    server = Server(http_server(app, token=token))
    await server.serve(sockets=[listener])
    if not server.started:
        raise InvalidState("the daemon could not start", hint="'mission logs' shows why.")


def _acquired(lock: FileLock) -> bool:
    """Whether the lock is ours; somebody who only looks whether it is held has it for a moment too."""
    for _ in range(LOCK_TRIES):
        if lock.acquire(wait=False):
            return True
        time.sleep(0.01)
    return False


def _settle_memory() -> None:
    """What start-up made lives as long as the process: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 50)


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen()  # two may bind at once, but only one listens
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        raise PortTaken(
            f"{settings.host}:{settings.port} cannot be used: {error.strerror}",
            hint="Stop the program that has it, or choose another with --port or MISSION_PORT."
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
        "started_at": shown(utc_now()),
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


def _run(main: Coroutine[Any, Any, None]) -> None:
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)


def _workshop(settings: Settings) -> Workshop:
    folder = settings.worktrees
    if folder and not Path(folder).is_absolute():
        raise InvalidState(f"worktrees: '{folder}' is not an absolute path", hint="Give the whole path of a folder.")
    return Workshop(
        Path(folder) if folder else settings.worktrees_path,
        roots=[settings.worktrees_path],
        setup_seconds=settings.setup_seconds,
    )


def _policy(settings: Settings) -> Policy:
    return Policy({AgentType(kind): Edit(**rules) for kind, rules in json.loads(settings.permissions or "{}").items()})


def _days(number: float) -> timedelta | None:
    return timedelta(days=number) if number else None


def _snapshots_in_use(tx: Tx, *, host_id: str) -> list[Any]:
    return tx.tasks.snapshots_in_use(host_id=host_id)


def _size(path: Path) -> int:
    """What a database takes, with what waits to be put into its place."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.is_file())


def _live_executions(tx: Tx, *, host_id: str) -> int:
    return tx.executions.count_live(host_id=host_id)
