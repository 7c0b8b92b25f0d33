"""How long is left."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.estimate import MEASURED_TASKS, seconds_left, typical_seconds
from tests.domain.samples import NOW


def span(seconds, *, ended=0):
    end = NOW + timedelta(minutes=ended)
    return end - timedelta(seconds=seconds), end


@given(st.lists(st.integers(0, 5_000), min_size=1, max_size=MEASURED_TASKS))
def test_the_typical_time_lies_between_the_shortest_and_the_longest(lengths):
    assert min(lengths) <= typical_seconds(map(span, lengths)) <= max(lengths)


def test_one_task_that_took_forever_does_not_change_what_is_typical():
    assert typical_seconds([span(60), span(70), span(80), span(1_000_000)]) == 75


def test_only_the_latest_tasks_count():
    recent = [span(10, ended=number) for number in range(1, MEASURED_TASKS + 1)]
    old = [span(9_000, ended=-number) for number in range(200)]

    assert typical_seconds([*old, *recent]) == 10


def test_a_clock_that_went_backwards_counts_as_no_time():
    assert typical_seconds([span(-30)]) == 0


@given(st.integers(0, 500), st.integers(1, 20))
def test_more_agents_side_by_side_never_take_longer(tasks, parallel):
    assert seconds_left(tasks=tasks, typical=60, parallel=parallel + 1) <= seconds_left(
        tasks=tasks, typical=60, parallel=parallel
    )
