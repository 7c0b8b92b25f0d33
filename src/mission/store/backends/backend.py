"""What differs between the databases: how each is opened, begins, commits, and tells its other users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from mission.domain.errors import MissionError


class DatabaseUsers(Protocol):
    """Who has the database open; one alone may migrate or replace it."""

    def enter(self) -> None: ...
    def wait(self) -> None:
        """Return once nobody has the database alone; whoever waits is not counted and leaves no trace."""

    def enter_alone(self) -> list[str] | None: ...
    def leave(self) -> None: ...
    def holders(self) -> list[str]: ...


class Backend(Protocol):
    """What differs between the databases."""

    @property
    def presence(self) -> DatabaseUsers: ...
    def connect(self) -> Connection: ...
    def expects_store(self) -> str | None:
        """The name of the database when it must hold a store already, so that an empty one has lost it."""

    def begin_write(self, connection: Connection) -> None: ...
    def begin_read(self, connection: Connection) -> None: ...
    def commit(self, connection: Connection) -> None: ...
    def rollback(self, connection: Connection) -> None:
        """Undo a write and give up the turn."""

    def end_read(self, connection: Connection) -> None: ...
    def translate(self, error: DBAPIError) -> MissionError | None:
        """The error in our words when the transaction cannot go on; nothing when only a statement failed."""

    def commit_marker(self, connection: Connection) -> str | None:
        """A name of the running transaction by which its fate can be asked after a lost connection."""

    def was_committed(self, connection: Connection, marker: str) -> bool: ...
    def announce(self, connection: Connection) -> None:
        """Inside the transaction: wake the readers of other processes when it commits."""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call back (from a thread) when another process may have committed; the result ends it."""

    def close(self) -> None: ...
