"""The interface to the database backends: how each is opened, begins, commits, and notifies its other users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from mission.domain.errors import MissionError
from mission.domain.timestamps import Clock


class DatabaseUsers(Protocol):
    """The users of a database; one that holds it exclusively may migrate or replace it."""

    def enter(self) -> None: ...
    def wait(self) -> None:
        """Return once no other process holds the database exclusively; the waiting caller is not counted."""

    def enter_alone(self) -> list[str] | None: ...
    def leave(self) -> None: ...
    def holders(self) -> list[str]: ...


class Backend(Protocol):
    """The operations that differ between the databases."""

    @property
    def presence(self) -> DatabaseUsers: ...
    @property
    def clock(self) -> Clock:
        """Return the clock that all processes on the database share."""

    def connect(self) -> Connection: ...
    def expects_store(self) -> str | None:
        """Return the name of the database if it must already hold a store, so that an empty one has lost it."""

    def begin_write(self, connection: Connection) -> None: ...
    def begin_read(self, connection: Connection) -> None: ...
    def commit(self, connection: Connection) -> None: ...
    def rollback(self, connection: Connection) -> None:
        """Undo a write and give up the turn."""

    def end_read(self, connection: Connection) -> None: ...
    def translate(self, error: DBAPIError) -> MissionError | None:
        """Return our error when the transaction cannot continue; None when only a statement failed."""

    def commit_marker(self, connection: Connection) -> str | None:
        """Return a marker of the running transaction, to find out after a lost connection whether it was committed."""

    def was_committed(self, connection: Connection, marker: str) -> bool: ...
    def announce(self, connection: Connection) -> None:
        """Wake the readers of other processes when the open transaction commits."""

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call back (from a thread) when another process may have committed; return a function that stops it."""

    def close(self) -> None: ...
