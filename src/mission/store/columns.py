"""Column types that behave the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import JSON, BigInteger, Dialect, Integer, Text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.types import TypeDecorator, TypeEngine

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class UtcTime(TypeDecorator[datetime]):
    """A moment as whole microseconds since 1970: exact, sortable and the same on both databases."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else _EPOCH + timedelta(microseconds=value)


def number_type() -> TypeEngine[int]:
    """Return a column type for a 64-bit number that, as SQLite's primary key, is the row id and needs no index."""
    return BigInteger().with_variant(Integer(), "sqlite")


def words_type() -> TypeEngine[Any]:
    """Return a column type for the words of a text: a search vector on PostgreSQL, plain text on SQLite."""
    return Text().with_variant(TSVECTOR(), "postgresql")


def json_type() -> TypeEngine[Any]:
    """Return the type of plain JSON on both databases: its text, and so the order of its keys, is kept."""
    return JSON(none_as_null=True)
