"""Migrate a database to the current schema, exclusively and after a backup."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from mission.domain.errors import InvalidState
from mission.store.backends.backend import Backend

HEAD = "0020"
"""The newest revision in migrations/versions; a test checks it."""
TRIES = 10
PAUSE = 0.02


class DatabaseInUse(InvalidState):
    """The database is in use."""


class NewerDatabase(InvalidState):
    """The database was created by a newer version of Mission Control."""

    default_hint = "Upgrade Mission Control, or restore a backup made by this version."


class StoreLost(InvalidState):
    """The database is empty, but it contained data before."""

    default_hint = (
        "Restore it with 'mission restore BACKUP'; automatic backups are in the folder 'backups' of MISSION_HOME. "
        "To start with an empty database, remove the file."
    )


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database; None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def prepare(backend: Backend, *, backup: Callable[[str], object]) -> None:
    """Make sure that the schema is current, and join the database's users.

    `backup` is called with the old revision before anything is changed. We join only once there is a store: a user
    leaves a note, and an empty file with a note next to it counts as a lost store.
    """
    with backend.connect() as connection:
        for tries_left in reversed(range(TRIES)):
            holders = _migrate_alone(backend, connection, backup=backup)
            if holders is None:
                break
            backend.presence.wait()  # another process that migrates now may end without success
            if revision_of(connection) == HEAD:
                break
            if not tries_left:
                raise _in_use(holders, purpose="a migration")
            time.sleep(PAUSE)  # others may be waiting as well
    backend.presence.enter()


def take_alone(backend: Backend, *, purpose: str) -> None:
    """Take the database exclusively, or raise an error that names its users."""
    holders = backend.presence.enter_alone()
    if holders is not None:
        raise _in_use(holders, purpose=purpose)


def migrate(connection: Connection) -> None:
    """Run the migrations inside one transaction."""
    connection.exec_driver_sql("BEGIN")
    try:
        upgrade(connection)
    except BaseException:
        connection.exec_driver_sql("ROLLBACK")
        raise
    connection.exec_driver_sql("COMMIT")


def upgrade(connection: Connection, *, target: str = HEAD) -> None:
    """Run the migrations up to the target inside the open transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _migrate_alone(backend: Backend, connection: Connection, *, backup: Callable[[str], object]) -> list[str] | None:
    """Return None when the schema is current now, else the users of the database."""
    if revision_of(connection) == HEAD:
        return None
    holders = backend.presence.enter_alone()
    if holders is not None:
        return holders
    try:
        revision = revision_of(connection)
        if revision is not None and revision > HEAD:
            raise NewerDatabase(found=revision, known=HEAD)
        if revision is None and (name := backend.expects_store()) is not None:
            raise StoreLost(f"{name} is empty, but it contained data before")
        if revision != HEAD:
            if revision is not None:
                backup(revision)
            migrate(connection)
        return None
    finally:
        backend.presence.leave()


def _in_use(holders: list[str], *, purpose: str) -> DatabaseInUse:
    return DatabaseInUse(
        f"the database is in use by {', '.join(holders)}",
        hint=f"Stop it first ('mission down' stops the daemon): {purpose} requires exclusive use of the database.",
        holders=holders,
    )
