"""How long lists are narrowed, continued and shortened."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from mission.store.columns import UtcTime
from mission.store.sql.pages import Filter, older_than, oldest_before
from mission.store.tables import call_keys, tasks
from tests.store.rows import IN_TRANSACTION, NOW, at, undone


def test_a_filter_is_true_only_when_it_narrows_something():
    assert not Filter()
    assert Filter().conditions(tasks.c) == []
    for narrowing in (Filter(phase=0), Filter(agent=""), Filter(since=NOW)):
        assert narrowing
        assert len(narrowing.conditions(tasks.c)) == 1


def test_a_first_page_has_no_condition():
    assert older_than(None, tasks.c) == []


@IN_TRANSACTION
@given(places=st.sets(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=1, max_size=8), data=st.data())
def test_a_page_goes_on_exactly_behind_the_row_where_the_last_one_ended(tx, places, data):
    with undone(tx) as rows:
        mission = rows.mission()
        made = [rows.task(mission, id=f"t_{minute}{name}", created_at=at(minute)) for minute, name in places]
        last = data.draw(st.sampled_from(made))

        newest_first = (tasks.c.created_at.desc(), tasks.c.id.desc())
        statement = select(tasks.c.id).where(*older_than((last.created_at, last.id), tasks.c)).order_by(*newest_first)
        found = tx.connection.execute(statement).scalars().all()

        ordered = sorted(made, key=lambda task: (task.created_at, task.id), reverse=True)
        assert found == [task.id for task in ordered[ordered.index(last) + 1 :]]


@IN_TRANSACTION
@given(minutes=st.lists(st.integers(0, 9), max_size=8), before=st.integers(0, 10), limit=st.integers(1, 5))
def test_a_list_loses_its_oldest_rows_first_and_none_that_is_fresh(tx, minutes, before, limit):
    with undone(tx):
        for key, minute in enumerate(minutes):
            tx.calls.remember(caller="a", key=str(key), digest="d", answer="", now=at(minute))
        statement = oldest_before(call_keys, call_keys.c.created_at)

        removed = tx.connection.execute(statement, {"before": at(before), "limit": limit}).rowcount

        old = sorted(minute for minute in minutes if minute < before)
        left = tx.connection.execute(select(call_keys.c.created_at).order_by(call_keys.c.created_at)).scalars().all()
        assert removed == min(limit, len(old))
        assert left == [at(minute) for minute in sorted(minutes)[removed:]]
        assert isinstance(call_keys.c.created_at.type, UtcTime)
