"""Periodic jobs: one daemon gets each turn."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.store.rows import IN_TRANSACTION, at, undone

HOUR = timedelta(hours=1)


@IN_TRANSACTION
@given(minutes=st.lists(st.integers(0, 400), min_size=1, max_size=12))
def test_a_turn_is_given_at_once_and_then_only_after_the_whole_pause(tx, minutes):
    with undone(tx):
        due = None
        for minute in sorted(minutes):
            taken = tx.jobs.take("sweep", now=at(minute), every=HOUR)

            assert taken is (due is None or at(minute) >= due)
            if taken:
                due = at(minute) + HOUR


def test_jobs_have_turns_of_their_own(tx):
    assert tx.jobs.take("sweep", now=at(0), every=HOUR)

    assert tx.jobs.take("index", now=at(0), every=HOUR)
    assert not tx.jobs.take("sweep", now=at(59), every=HOUR)
