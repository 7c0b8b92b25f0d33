"""Statements that every write runs: compiled once per database, then passed directly to the driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Insert, Select, Table, Update, bindparam, insert
from sqlalchemy.exc import DBAPIError

Values = Mapping[str, Any]


class Prepared:
    """A statement that returns plain texts and numbers, or nothing. Through SQLAlchemy each would take an extra 20 to
    40 µs, which was half the time of a call."""

    def __init__(self, statement: Insert | Update | Select[Any]) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, *rows: Values) -> list[Any]:
        """Run it once for each row of values; return the resulting rows."""
        compiled = self._compiled.get(connection.dialect.name)
        if compiled is None:
            compiled = self._compiled[connection.dialect.name] = _Compiled(self._statement, connection)
        return run_text(connection, compiled.text, *map(compiled.bound, rows))


class Bulk:
    """An insert of many rows into one table; PostgreSQL takes them as a stream, which is twice as fast there."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        named = {name: bindparam(name, type_=table.c[name].type) for name in columns}
        self._insert = insert(table).values(named)
        self._copy = f"COPY {table.name} ({', '.join(columns)}) FROM STDIN"
        self._columns = columns
        self._compiled: dict[str, _Compiled] = {}

    def run(self, connection: Connection, rows: Sequence[Values]) -> None:
        compiled = self._compiled.get(connection.dialect.name)
        if compiled is None:
            compiled = self._compiled[connection.dialect.name] = _Compiled(self._insert, connection)
        if connection.dialect.name != "postgresql":
            run_text(connection, compiled.text, *map(compiled.bound, rows))
            return
        cursor: Any = connection.connection.cursor()
        try:
            with cursor.copy(self._copy) as stream:
                for row in rows:
                    bound = compiled.bound(row)
                    stream.write_row([bound[name] for name in self._columns])
        except connection.dialect.loaded_dbapi.Error as error:
            raise _translated(error, connection, self._copy) from error
        finally:
            cursor.close()


class _Compiled:
    """The statement in the dialect of one database."""

    def __init__(self, statement: Insert | Update | Select[Any], connection: Connection) -> None:
        dialect = connection.dialect
        compiled: Any = statement.compile(dialect=dialect)
        self.text: str = compiled.string
        self._by_position = bool(compiled.positiontup)
        self._constants = {name: bind.value for name, bind in compiled.binds.items() if not bind.required}
        self._binds: list[tuple[str, Callable[[Any], Any] | None]] = [
            (name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect))
            for name in compiled.positiontup or compiled.binds
        ]

    def bound(self, row: Values) -> Any:
        """Return the values in the form that the driver takes; a missing one is null."""
        given = {**self._constants, **row}.get if self._constants else row.get
        values = [given(name) if process is None else process(given(name)) for name, process in self._binds]
        return (
            values if self._by_position else {name: value for (name, _), value in zip(self._binds, values, strict=True)}
        )


def run_text(connection: Connection, text: str, *rows: Any) -> list[Any]:
    """Run a statement in the driver's own SQL; raise its errors as SQLAlchemy would."""
    cursor = connection.connection.cursor()
    try:
        if len(rows) > 1:
            cursor.executemany(text, rows)
        else:
            cursor.execute(text, *rows)
        return list(cursor.fetchall()) if cursor.description else []
    except connection.dialect.loaded_dbapi.Error as error:
        raise _translated(error, connection, text) from error
    finally:
        cursor.close()


def _translated(error: Exception, connection: Connection, text: str) -> BaseException:
    dialect: Any = connection.dialect
    return DBAPIError.instance(
        text,
        None,
        error,
        dialect.loaded_dbapi.Error,
        connection_invalidated=dialect.is_disconnect(error, connection.connection.dbapi_connection, None),
        dialect=dialect,
    )
