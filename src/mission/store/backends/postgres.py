"""The PostgreSQL backend: the same transactions for many daemons on many hosts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

import psycopg
from sqlalchemy import Connection, NullPool, create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from mission.domain.errors import MissionError, StorageFull, TransientError
from mission.store.backends.server_clock import ServerClock
from mission.store.backends.watch_thread import in_thread
from mission.store.sql.compact_json import dumps, loads

CHANNEL = "mission_events"
POLL_SECONDS = 1.0
STOP_SECONDS = 0.1
LOCK_MILLISECONDS = 2_000
"""The time that one attempt waits for locks of others."""
PRESENCE_KEY = 6477_0001
TURN_KEY = 6477_0002
_AGAIN = ("40001", "40P01", "55P03")  # serialization failure, deadlock, lock not available
_LOST = ("08", "57P")  # connection trouble, the server is shutting down
_CLOCK = "SELECT clock_timestamp()"
_HOLDERS = text(
    "SELECT a.application_name, a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
    "WHERE l.locktype = 'advisory' AND l.objid = :key AND l.granted "
    "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY a.pid"
)


class PostgresUsers:
    """A shared advisory lock that every process holds while it has the database open."""

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self._connect = connect
        self._held: Connection | None = None
        self._entered = False

    def enter(self) -> None:
        """Join the holders; wait as long as another process holds it exclusively."""
        self._connection().exec_driver_sql("SET lock_timeout = 0")
        self._connection().execute(text("SELECT pg_advisory_lock_shared(:key)"), {"key": PRESENCE_KEY})
        self._entered = True

    def wait(self) -> None:
        """Return once no other process holds it exclusively, and leave the holders."""
        self.enter()
        self.leave()

    def keep(self) -> None:
        """Join the holders again after the connection was lost, as when the server was restarted."""
        with suppress(DBAPIError):
            if self._entered:
                self._connection().exec_driver_sql("SELECT 1")
                return
        self.leave()  # a connection that broke, now or at an earlier attempt, is unusable
        taken = self._connection().execute(text("SELECT pg_try_advisory_lock_shared(:key)"), {"key": PRESENCE_KEY})
        self._entered = bool(taken.scalar_one())

    def enter_alone(self) -> list[str] | None:
        """Return None when the lock is now exclusively ours, else its holders."""
        taken = self._connection().execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": PRESENCE_KEY})
        return None if taken.scalar_one() else (self.holders() or ["another process"])

    def leave(self) -> None:
        """Leave the holders at once: the server notices a closed connection a little later."""
        if self._held is not None:
            if not self._held.invalidated:
                with suppress(SQLAlchemyError):
                    self._held.exec_driver_sql("SELECT pg_advisory_unlock_all()")
            self._held.close()
            self._held = None
        self._entered = False

    def holders(self) -> list[str]:
        rows = self._connection().execute(_HOLDERS, {"key": PRESENCE_KEY})
        return [f"{row.application_name.removeprefix('mission ')} (server process {row.pid})" for row in rows]

    def _connection(self) -> Connection:
        if self._held is None:
            self._held = self._connect()
        return self._held


class PostgresBackend:
    """One writer per daemon; the daemons serialize at the event counter's row."""

    name = "postgresql"

    def __init__(self, url: str, *, role: str) -> None:
        self._url = make_url(url).set(drivername="postgresql+psycopg")
        self._engine = create_engine(
            self._url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",  # transactions are started explicitly, as on SQLite
            json_serializer=dumps,
            json_deserializer=loads,
            hide_parameters=True,  # callers' data must not be logged
            connect_args={"application_name": f"mission {role}", "connect_timeout": 3},
        )
        self.presence = PostgresUsers(self.connect)
        self.clock = ServerClock()

    def expects_store(self) -> str | None:
        """Return None: an empty database on a server counts as a new one."""
        return None

    def connect(self) -> Connection:
        connection = self._engine.connect()
        connection.exec_driver_sql(f"SET lock_timeout = {LOCK_MILLISECONDS}")
        self.clock.set(connection.exec_driver_sql(_CLOCK).scalar_one())
        return connection

    def begin_write(self, connection: Connection) -> None:
        """Begin a write; writers of all daemons take turns, as on SQLite, because a group touches rows in any order."""
        connection.exec_driver_sql(f"BEGIN; SELECT pg_advisory_xact_lock({TURN_KEY})")

    def begin_read(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self, connection: Connection) -> None:
        connection.exec_driver_sql("COMMIT")

    def end_read(self, connection: Connection) -> None:
        self.rollback(connection)

    def rollback(self, connection: Connection) -> None:
        raw = connection.connection.driver_connection
        if raw is not None and raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.exec_driver_sql("ROLLBACK")

    def translate(self, error: DBAPIError) -> MissionError | None:
        state = getattr(error.orig, "sqlstate", None) or ""
        problem: MissionError | None = None
        if state in _AGAIN:
            problem = TransientError("another writer holds the database; nothing was changed")
        elif state.startswith(_LOST) or error.connection_invalidated or (not state and _is_operational(error)):
            problem = TransientError("the database cannot be reached right now; nothing was changed")
        elif state == "53100":
            problem = StorageFull()
        elif state.startswith("53"):
            problem = TransientError("the database is out of resources; nothing was changed")
        if problem is not None:
            problem.__cause__ = error
        return problem

    def commit_marker(self, connection: Connection) -> str | None:
        return str(connection.exec_driver_sql("SELECT pg_current_xact_id()::text").scalar_one())

    def was_committed(self, connection: Connection, marker: str) -> bool:
        """Wait until the transaction has ended: only then is its turn free."""
        connection.exec_driver_sql(f"BEGIN; SELECT pg_advisory_xact_lock({TURN_KEY}); COMMIT")
        status = connection.execute(text("SELECT pg_xact_status(CAST(:marker AS xid8))"), {"marker": marker}).scalar()
        return status == "committed"

    def announce(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"NOTIFY {CHANNEL}")

    def watch(self, changed: Callable[[], None]) -> Callable[[], None]:
        def listen(stop: threading.Event) -> None:
            while not stop.is_set():
                try:
                    self._listen(changed, stop)
                except (psycopg.Error, DBAPIError):
                    stop.wait(POLL_SECONDS)

        return in_thread("notifications", listen)

    def close(self) -> None:
        self.presence.leave()
        self._engine.dispose()

    def _listen(self, changed: Callable[[], None], stop: threading.Event) -> None:
        plain = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f"LISTEN {CHANNEL}".encode())
            notified = kept = time.monotonic()
            while not stop.is_set():
                heard = any(True for _ in connection.notifies(timeout=STOP_SECONDS, stop_after=1))
                if heard or time.monotonic() - notified > POLL_SECONDS:  # a notification may have been missed
                    changed()
                    notified = time.monotonic()
                if time.monotonic() - kept > POLL_SECONDS:
                    self.presence.keep()
                    self._read_clock(connection)
                    kept = time.monotonic()

    def _read_clock(self, connection: psycopg.Connection) -> None:
        """Follow a clock that was set on the server."""
        for (moment,) in connection.execute(_CLOCK):
            self.clock.set(moment)


def _is_operational(error: DBAPIError) -> bool:
    return isinstance(error.orig, psycopg.OperationalError)
