"""Failures that were reported: each cause and reader once in a while, the others only counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.store.rows import IN_TRANSACTION, at, undone


@IN_TRANSACTION
@given(steps=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["tell", "count"])), max_size=10))
def test_a_report_starts_the_count_again_and_others_add_to_it(tx, steps):
    with undone(tx):
        expected = {}
        for minute, (key, step) in enumerate(steps):
            if step == "tell":
                tx.incidents.mark_reported(key, now=at(minute))
                expected[key] = (at(minute), 0)
            else:
                tx.incidents.count(key)
                if key in expected:
                    expected[key] = (expected[key][0], expected[key][1] + 1)

        for key in "ab":
            told = tx.incidents.get(key)
            assert (told and (told.told_at, told.times)) == expected.get(key)


def test_old_reports_are_removed_and_recent_ones_stay(tx):
    tx.incidents.mark_reported("old", now=at(1))
    tx.incidents.mark_reported("new", now=at(5))

    assert tx.incidents.remove_before(at(5)) == 1

    assert tx.incidents.get("old") is None
    assert tx.incidents.get("new").key == "new"
