"""Queries about templates."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, select

from mission.domain.missions.template import Template
from mission.store.sql.entity_mapper import Mapper
from mission.store.tables import templates

_MAPPER = Mapper(templates, Template)
_LABELS = select(templates.c.name, templates.c.id)
_OF_IDS = _MAPPER.select.where(templates.c.id.in_(bindparam("ids", expanding=True)))


class Templates:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, id: str) -> Template | None:
        return _MAPPER.get(self._connection, id)

    def add(self, template: Template) -> None:
        _MAPPER.insert(self._connection, template)

    def labels(self) -> list[tuple[str, str]]:
        """Return name and id of every template."""
        return [(row.name, row.id) for row in self._connection.execute(_LABELS)]

    def of_ids(self, ids: Sequence[str]) -> dict[str, Template]:
        """Return the templates that exist, by id."""
        found = map(_MAPPER.entity, self._connection.execute(_OF_IDS, {"ids": list(ids)}))
        return {template.id: template for template in found}
