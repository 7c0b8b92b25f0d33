"""Column types that are the same on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, Table, insert, select

from mission.store.columns import UtcTime, json_type, number_type
from tests.store.rows import IN_TRANSACTION, undone

VALUES = Table(
    "values_of_a_test",
    MetaData(),
    Column("id", number_type(), primary_key=True),
    Column("moment", UtcTime),
    Column("data", json_type()),
    Column("place", Integer),
    prefixes=["TEMPORARY"],
)
MOMENTS = st.datetimes(
    datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.sampled_from([UTC, timezone(timedelta(hours=5.5))])
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def kept(tx, **values):
    """Write a row and return how it is read."""
    tx.connection.execute(insert(VALUES), values)
    return tx.connection.execute(select(VALUES).where(VALUES.c.id == values["id"])).one()


@IN_TRANSACTION
@given(moments=st.lists(MOMENTS, min_size=2, max_size=5))
def test_moments_come_back_exactly_and_sort_as_time_does(tx, moments):
    with undone(tx):
        VALUES.create(tx.connection)
        for id, moment in enumerate(moments):
            assert kept(tx, id=id, moment=moment).moment == moment

        stored = tx.connection.execute(select(VALUES.c.moment).order_by(VALUES.c.moment)).scalars().all()
        assert stored == sorted(moments)
        assert all(moment.tzinfo is UTC for moment in stored)


@IN_TRANSACTION
@given(data=JSON)
def test_json_comes_back_with_its_keys_in_order(tx, data):
    with undone(tx):
        VALUES.create(tx.connection)

        found = kept(tx, id=2**40, data=data).data

        assert found == data
        assert str(found) == str(data)


def test_nothing_stays_nothing(tx):
    with undone(tx):
        VALUES.create(tx.connection)
        row = kept(tx, id=1, moment=None, data=None)

        assert (row.moment, row.data) == (None, None)
        assert tx.connection.execute(select(VALUES.c.id).where(VALUES.c.data.is_(None))).scalars().all() == [1]
