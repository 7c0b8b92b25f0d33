"""Brings a database to the present schema, alone and with a backup first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from mission.domain.errors import InvalidState
from mission.store.backends.backend import Backend

HEAD = "0013"
"""The newest revision under migrations/versions; a test keeps it true."""


class DatabaseInUse(InvalidState):
    """The database is in use."""


class NewerDatabase(InvalidState):
    """The database was made by a newer version of Mission Control."""

    default_hint = "Upgrade Mission Control, or restore a backup made by this version."


class StoreLost(InvalidState):
    """The database is empty, though it held a store before."""

    default_hint = (
        "Bring it back with 'mission restore BACKUP'; automatic backups lie in the folder 'backups' of MISSION_HOME. "
        "To begin with an empty store, remove the file."
    )


def revision_of(connection: Connection) -> str | None:
    """The revision a database stands at; nothing for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def prepare(backend: Backend, *, backup: Callable[[str], object]) -> None:
    """Make sure that the schema is the present one, and be counted among the database's users.

    `backup` is called with the old revision before anything is changed.
    """
    with backend.connect() as connection:
        if revision_of(connection) != HEAD and not _migrate_alone(backend, connection, backup=backup):
            backend.presence.enter()  # returns once whoever migrates right now is done
            if revision_of(connection) == HEAD:
                return
            backend.presence.leave()
            holders = backend.presence.holders()
            raise _in_use(holders, purpose="a migration")
    backend.presence.enter()


def take_alone(backend: Backend, *, purpose: str) -> None:
    """Have the database to ourselves, or an error that names who uses it."""
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
    """Run the migrations up to the target inside the transaction that is open."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, target)


def _migrate_alone(backend: Backend, connection: Connection, *, backup: Callable[[str], object]) -> bool:
    """Whether the schema is the present one now; not when somebody else has the database open."""
    if backend.presence.enter_alone() is not None:
        return False
    try:
        revision = revision_of(connection)
        if revision is not None and revision > HEAD:
            raise NewerDatabase(found=revision, known=HEAD)
        if revision is None and (name := backend.expects_store()) is not None:
            raise StoreLost(f"{name} is empty, though it held a store before")
        if revision != HEAD:
            if revision is not None:
                backup(revision)
            migrate(connection)
        return True
    finally:
        backend.presence.leave()


def _in_use(holders: list[str], *, purpose: str) -> DatabaseInUse:
    return DatabaseInUse(
        f"the database is in use by {', '.join(holders)}",
        hint=f"Stop it first ('mission down' ends the daemon): {purpose} needs the database to itself.",
        holders=holders,
    )
