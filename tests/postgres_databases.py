"""PostgreSQL databases for tests: made once, and emptied when a test gives one back."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from mission.store.tables import metadata

LARGE = 64 * 1024
_OTHERS = (
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_USED = (
    "SELECT relname, pg_relation_size(oid) FROM pg_class "
    "WHERE relkind = 'r' AND relname = ANY(%s) AND pg_relation_size(oid) > 0"
)
_COUNT_ANEW = "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"


@contextmanager
def temporary(server: str, *, template: str = "template1") -> Iterator[str]:
    """The address of a database that nobody had before and nobody gets afterwards."""
    url = create(server, template=template)
    yield url
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {_name(url)} WITH (FORCE)".encode())


def create(server: str, *, template: str = "template1") -> str:
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
    return server.replace("/postgres?", f"/{name}?")


class Shelf:
    """Copies of a migrated database. Making one takes as long as twenty calls, emptying it as long as one."""

    def __init__(self, server: str, template: str) -> None:
        self._server = server
        self._template = _name(template)
        self._free: list[str] = []
        self._first_rows = rows_of(template)

    @contextmanager
    def lent(self) -> Iterator[str]:
        """The address of a database as migrations leave it."""
        url = self._free.pop() if self._free else create(self._server, template=self._template)
        yield url
        self._empty(url)
        self._free.append(url)

    def _empty(self, url: str) -> None:
        """Let go who is still connected, and bring back the rows of the beginning."""
        with psycopg.connect(url) as connection:
            connection.execute(_OTHERS)
            connection.execute("SET session_replication_role = replica")  # no reference is checked
            for name, size in connection.execute(_USED, [list(metadata.tables)]).fetchall():
                remove = f"TRUNCATE {name} CASCADE" if size > LARGE else f"DELETE FROM {name}"
                connection.execute(remove.encode())
            connection.execute(_COUNT_ANEW)
            for name, rows in self._first_rows.items():
                with connection.cursor().copy(f"COPY {name} FROM STDIN".encode()) as stream:
                    stream.write(rows)


def rows_of(url: str) -> dict[str, bytes]:
    """The rows of each table that has some, as COPY writes them."""
    found: dict[str, bytes] = {}
    with psycopg.connect(url) as connection:
        for name in metadata.tables:
            with connection.cursor().copy(f"COPY {name} TO STDOUT".encode()) as stream:
                found[name] = b"".join(map(bytes, stream))
    return {name: rows for name, rows in found.items() if rows}


def _name(url: str) -> str:
    return str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
