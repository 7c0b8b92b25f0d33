"""How many things were under way at each moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.activity import Stretch, moments, under_way
from tests.fault_cases import examples

START = datetime(2026, 1, 1, tzinfo=UTC)


def minute(number: int) -> datetime:
    return START + timedelta(minutes=number)


stretches = st.builds(
    lambda began, lasted: Stretch(began=minute(began), ended=None if lasted is None else minute(began + lasted)),
    st.integers(0, 60),
    st.none() | st.integers(0, 40),
)


def lasts(each: Stretch, at: datetime) -> bool:
    return each.began <= at and (each.ended is None or at < each.ended)


@settings(max_examples=examples(60))
@given(st.lists(stretches, max_size=12), stretches)
def test_each_moment_counts_what_lasts_at_it_and_a_common_part_lasts_while_both_do(all_, other):
    at = moments(START, minute(60), many=61)

    assert at[::60] == [START, minute(60)]
    assert under_way(all_, at) == [sum(lasts(each, moment) for each in all_) for moment in at]
    for each in all_:
        part = each.within(other)
        for moment in at:
            assert (part is not None and lasts(part, moment)) == (lasts(each, moment) and lasts(other, moment))
