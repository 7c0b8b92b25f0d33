"""Queries about templates."""

from __future__ import annotations

from sqlalchemy import Connection, bindparam

from mission.domain.template import Template
from mission.store.mapping import Mapper
from mission.store.tables import templates

_MAPPER = Mapper(templates, Template)
_PAGE = (
    _MAPPER.select.order_by(templates.c.name, templates.c.created_at, templates.c.id)
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)


class Templates:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, id: str) -> Template | None:
        return _MAPPER.get(self._connection, id)

    def add(self, template: Template) -> None:
        _MAPPER.insert(self._connection, template)

    def page(self, *, limit: int, offset: int) -> list[Template]:
        """Templates by name."""
        rows = self._connection.execute(_PAGE, {"limit": limit, "offset": offset})
        return [_MAPPER.entity(row) for row in rows]
