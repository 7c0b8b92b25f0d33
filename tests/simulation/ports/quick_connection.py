"""A connection that takes a short way: the store's own statements, compiled once, then passed directly to SQLite."""

from __future__ import annotations

import sqlite3
from collections import Counter, namedtuple
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from sqlalchemy import JSON, Connection

from mission.store.columns import _EPOCH, UtcTime
from mission.store.sql.compact_json import loads

KNOWN_AFTER = 3
"""A statement object that is run so often is one of those that a module keeps."""


class QuickConnection:
    """Runs kept statements itself; everything else goes through SQLAlchemy, which takes five times as long."""

    _kept: ClassVar[dict[int, _Statement]] = {}
    _runs: ClassVar[WeakKeyDictionary[Any, int]] = WeakKeyDictionary()

    def __init__(self, slow: Connection, raw: sqlite3.Connection) -> None:
        self._slow = slow
        self.connection = raw
        self.dialect = slow.dialect
        self.exec_driver_sql = slow.exec_driver_sql
        self.close = slow.close
        self.invalidate = slow.invalidate

    def execute(self, statement: Any, values: Any = None) -> Any:
        kept = self._kept.get(id(statement))
        if kept is None:
            runs = self._runs[statement] = self._runs.get(statement, 0) + 1
            if runs < KNOWN_AFTER or isinstance(values, list):
                return self._slow.execute(statement, values) if values is not None else self._slow.execute(statement)
            kept = self._kept[id(statement)] = _Statement(statement, self._slow)
        try:
            return kept.run(self.connection, values or {})
        except sqlite3.Error:
            return self._slow.execute(statement, values)  # it fails again, with the error that the store expects


class _Statement:
    """One statement in SQLite's words, with the functions that convert what goes in and comes out."""

    def __init__(self, statement: Any, connection: Connection) -> None:
        self._statement = statement  # as long as it is kept, no other one has its id
        self._compiled: Any = statement.compile(dialect=connection.dialect)
        self._lists = [self._compiled.bind_names[each] for each in self._compiled.post_compile_params]
        self._texts: dict[tuple[int, ...], tuple[str, list[_Bind]]] = {}
        columns = self._compiled._result_columns or ()
        names = [each.keyname for each in columns]
        self._row = _row_class(names)
        found = [_reader(each.type, connection) for each in columns]
        self._readers = [(place, reader) for place, reader in enumerate(found) if reader is not None]
        self._constants = {name: bind.value for name, bind in self._compiled.binds.items() if not bind.required}

    def run(self, raw: sqlite3.Connection, values: Mapping[str, Any]) -> Result:
        given = {**self._constants, **values}
        sizes = tuple([len(given[name]) for name in self._lists]) if self._lists else ()
        found = self._texts.get(sizes)
        if found is None:
            found = self._texts[sizes] = self._expanded(given)
        text, binds = found
        cursor = raw.execute(text, [_bound(given, bind) for bind in binds])
        return Result(map(self._read, cursor) if cursor.description else (), cursor.rowcount)

    def _expanded(self, given: Mapping[str, Any]) -> tuple[str, list[_Bind]]:
        """Return the text for lists of these lengths, and where each of its values comes from."""
        compiled = self._compiled
        processors = compiled._bind_processors
        if not self._lists:
            return compiled.string, [(name, None, processors.get(name)) for name in compiled.positiontup or ()]
        state = compiled._process_parameters_for_postcompile(dict(given))
        elements = {f"{name}_{place + 1}": (name, place) for name in self._lists for place in range(len(given[name]))}
        binds = []
        for name in state.positiontup:
            source, place = elements.get(name, (name, None))
            binds.append((source, place, processors.get(source)))
        return state.statement, binds

    def _read(self, row: Sequence[Any]) -> Any:
        cells = list(row)
        for place, reader in self._readers:
            if cells[place] is not None:
                cells[place] = reader(cells[place])
        return tuple.__new__(self._row, cells)


_Bind = tuple[str, int | None, Callable[[Any], Any] | None]


def _bound(given: Mapping[str, Any], bind: _Bind) -> Any:
    name, place, process = bind
    value = given[name] if place is None else given[name][place]
    return value if process is None else process(value)


class Result(list[Any]):
    """All rows of a statement, with what the store asks a result for."""

    def __init__(self, rows: Any, rowcount: int) -> None:
        super().__init__(rows)
        self.rowcount = rowcount

    def first(self) -> Any:
        return self[0] if self else None

    def one(self) -> Any:
        [row] = self
        return row

    def all(self) -> list[Any]:
        return self

    def scalars(self) -> Any:
        return Result((row[0] for row in self), self.rowcount)

    def scalar(self) -> Any:
        return self[0][0] if self else None

    def scalar_one(self) -> Any:
        return self.one()[0]

    def mappings(self) -> Any:
        return Result((row._mapping for row in self), self.rowcount)


def _reader(kind: Any, connection: Connection) -> Callable[[Any], Any] | None:
    """Return what converts a value that is not null; the two kinds that most columns have, without detours."""
    if isinstance(kind, JSON):
        return loads
    if isinstance(kind, UtcTime):
        return lambda value: _EPOCH + timedelta(microseconds=value)
    return kind._cached_result_processor(connection.dialect, None)  # type: ignore[no-any-return]


def _row_class(names: Sequence[str]) -> Any:
    """Return the class of a statement's rows; columns of the same name are found by their place only."""
    twice = Counter(names)
    base: Any = namedtuple("Row", [name if twice[name] == 1 else "_" for name in names], rename=True)

    class Row(base):  # type: ignore[misc]
        __slots__ = ()

        @property
        def _mapping(self) -> dict[str, Any]:
            return dict(zip(names, self, strict=True))

    return Row
