"""From rows to entities and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Integer, MetaData, Table, Text

from mission.store.columns import json_type
from mission.store.sql.entity_mapper import Mapper
from tests.store.rows import undone


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, kw_only=True)
class Shelf:
    id: str
    color: Color
    second: Color | None = None
    books: Any = ()
    visits: int = 0
    note: str = "only in memory"


SHELVES = Table(
    "shelves_of_a_test",
    MetaData(),
    Column("id", Text, primary_key=True),
    Column("color", Text, nullable=False),
    Column("second", Text),
    Column("books", json_type(), nullable=False),
    Column("visits", Integer, nullable=False),
    Column("hidden", Text),
    prefixes=["TEMPORARY"],
)
MAPPER = Mapper(SHELVES, Shelf, counters=("visits",))


def test_enums_and_tuples_travel_as_text_and_lists_and_come_back_as_what_they_were(tx):
    with undone(tx):
        SHELVES.create(tx.connection)
        one = Shelf(id="one", color=Color.RED, second=Color.BLUE, books=("a", "b"), note="lost")
        two = Shelf(id="two", color=Color.BLUE)

        MAPPER.insert(tx.connection, one, two)

        found = MAPPER.get(tx.connection, "one")
        assert found == replace(one, books=["a", "b"], note="only in memory")
        assert (type(found.color), type(found.second)) == (Color, Color)
        assert MAPPER.get(tx.connection, "two").second is None
        assert MAPPER.get(tx.connection, "three") is None


def test_saving_changes_one_row_and_leaves_counters_to_others(tx):
    with undone(tx):
        SHELVES.create(tx.connection)
        one, two = Shelf(id="one", color=Color.RED), Shelf(id="two", color=Color.RED)
        MAPPER.insert(tx.connection, one, two)

        MAPPER.save(tx.connection, replace(one, color=Color.BLUE, visits=9))

        found = [MAPPER.get(tx.connection, id) for id in ("one", "two")]
        assert [(each.color, each.visits) for each in found] == [(Color.BLUE, 0), (Color.RED, 0)]


def test_only_columns_that_the_entity_has_are_read():
    assert [column.name for column in MAPPER.columns] == ["id", "color", "second", "books", "visits"]
