"""Mapping of rows to entities and back: columns and fields share names, enums are stored as text, values as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from enum import StrEnum
from types import UnionType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

from sqlalchemy import Connection, Row, Table, bindparam, insert, select, update

from mission.store.sql.prepared_statements import Prepared

Entity = TypeVar("Entity")


class Mapper(Generic[Entity]):
    """Reads and writes one kind of entity. Its statements are built once, when the module is imported."""

    def __init__(self, table: Table, entity: Callable[..., Entity], *, counters: Iterable[str] = ()) -> None:
        """Build the statements; `counters` are columns that only relative updates change, so a save skips them."""
        self._entity = entity
        self._names = [field.name for field in fields(entity) if field.name in table.c]  # type: ignore[arg-type]
        self._readers = [(name, reader) for name, reader in _readers(entity).items() if name in self._names]
        counted = frozenset(counters)
        self.columns = [table.c[name] for name in self._names]
        self._saved = [name for name in self._names if name != "id" and name not in counted]
        self.select = select(*self.columns)
        self._by_id = self.select.where(table.c.id == bindparam("id"))
        self._insert = Prepared(insert(table).values({name: bindparam(name) for name in self._names}))
        self._update = Prepared(
            update(table)
            .where(table.c.id == bindparam("row_id"))
            .values({name: bindparam(f"new_{name}") for name in self._saved})
        )

    def get(self, connection: Connection, id: str) -> Entity | None:
        row = connection.execute(self._by_id, {"id": id}).first()
        return None if row is None else self.entity(row)

    def insert(self, connection: Connection, *entities: Entity) -> None:
        rows = ({name: _plain(getattr(each, name)) for name in self._names} for each in entities)
        self._insert.run(connection, *rows)

    def save(self, connection: Connection, entity: Any) -> None:
        row = {f"new_{name}": _plain(getattr(entity, name)) for name in self._saved}
        self._update.run(connection, {"row_id": entity.id, **row})

    def entity(self, row: Row[Any]) -> Entity:
        columns: Any = row._mapping
        values = {name: columns[name] for name in self._names}
        for name, reader in self._readers:
            if values[name] is not None:
                values[name] = reader(values[name])
        return self._entity(**values)


def _readers(entity: Any) -> dict[str, Callable[[Any], Any]]:
    readers: dict[str, Callable[[Any], Any]] = {}
    for name, hint in get_type_hints(entity).items():
        for option in get_args(hint) if isinstance(hint, UnionType) else (hint,):
            if isinstance(option, type) and issubclass(option, StrEnum):
                readers[name] = option
            elif hasattr(option, "from_dict"):
                readers[name] = option.from_dict
    return readers


def _plain(value: Any) -> Any:
    """Return the value for the driver: an enum as text, a tuple as a list, a domain value as JSON."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return list(value)
    return value.as_dict() if hasattr(value, "as_dict") else value
