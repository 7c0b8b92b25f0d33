"""Open the database that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from mission.domain.errors import InvalidState, TransientError
from mission.home import make_home
from mission.settings import Settings
from mission.store import backup, migrate
from mission.store.backends.backend import Backend
from mission.store.backends.sqlite import SqliteBackend

if TYPE_CHECKING:
    from mission.store.backends.postgres import PostgresBackend


def open_backend(settings: Settings, *, role: str) -> Backend:
    """Open the database and migrate it to the current schema."""
    make_home(settings)
    backend = new_backend(settings, role=role)
    try:
        migrate.prepare(backend, backup=lambda revision: backup.before_migration(settings, backend, revision=revision))
    except DBAPIError as error:
        problem = backend.translate(error)
        if isinstance(problem, TransientError) and settings.database_url:
            raise DatabaseUnreachable(str(error.orig)) from error
        raise problem or error from error
    return backend


class DatabaseUnreachable(TransientError):
    """The database cannot be opened."""

    retryable = False
    default_hint = "Check that its server is running and that database_url is correct; 'mission doctor' tests it."

    def __init__(self, reason: str) -> None:
        """Create the error with the server's message: the name or password in the settings may be wrong."""
        super().__init__(f"the database cannot be opened: {' '.join(reason.split())[:400]}")


def new_backend(settings: Settings, *, role: str) -> SqliteBackend | PostgresBackend:
    """Return the database without a migration."""
    url = settings.database_url
    if not url:
        return SqliteBackend(settings.sqlite_path, role=role)
    if url.startswith(("postgresql:", "postgresql+psycopg:", "postgres:")):
        from mission.store.backends.postgres import PostgresBackend  # deferred: SQLite does not need its driver

        return PostgresBackend(f"postgresql:{url.partition(':')[2]}", role=role)
    if url.startswith("sqlite:///"):
        return SqliteBackend(Path(url.removeprefix("sqlite:///")), role=role)
    raise InvalidState(
        "the database address is invalid", hint="Use postgresql://user:password@host/name or sqlite:///PATH."
    )
