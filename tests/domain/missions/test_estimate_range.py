"""How long a mission may still take: nothing too early, never less than what runs has taken, always with a range."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.missions.estimate import Estimate, estimate, is_enough, typical_task

NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)
SECONDS = st.floats(0, 1_000_000)


def spans(durations):
    return [(NOON, NOON + timedelta(seconds=each)) for each in durations]


def left(durations, *, total, running=(), parallel=1, remaining=None):
    typical = typical_task(spans(durations), total=total)
    rest = total - len(durations) if remaining is None else remaining
    return estimate(total=total, remaining=rest, typical=typical, running=running, parallel=parallel)


def test_an_estimate_begins_with_five_tasks_or_a_tenth_of_the_plan():
    needed = {
        total: next(done for done in range(total + 1) if is_enough(completed=done, total=total))
        for total in (1, 4, 10, 11, 20, 40, 41, 60, 1000)
    }

    assert needed == {1: 1, 4: 1, 10: 1, 11: 2, 20: 2, 40: 4, 41: 5, 60: 5, 1000: 5}


def test_two_short_tasks_of_sixty_say_nothing():
    assert left([3, 3], total=60) is None
    assert left([], total=0) is None
    assert left([3] * 5, total=60) == Estimate(seconds=165, low=165, high=165)


def test_the_range_is_that_of_the_middle_half_of_the_tasks():
    assert left([10, 20, 30, 40, 50], total=15, parallel=2) == Estimate(seconds=150, low=100, high=200)


def test_of_few_tasks_each_may_take_half_or_twice_as_long():
    assert left([60], total=4) == Estimate(seconds=180, low=90, high=360)


def test_a_mission_without_open_tasks_takes_no_more_time():
    nothing = Estimate(seconds=0, low=0, high=0)

    assert (left([5], total=1), left([], total=3, remaining=0)) == (nothing, nothing)


@given(st.lists(SECONDS, max_size=60), st.integers(0, 500), st.lists(SECONDS, max_size=5), st.integers(1, 100))
def test_an_estimate_is_in_its_range_and_never_less_than_what_runs_has_taken(durations, open_tasks, running, parallel):
    found = left(durations, total=len(durations) + open_tasks, running=running, parallel=parallel)

    if found is None:
        assert not is_enough(completed=len(durations), total=len(durations) + open_tasks)
    elif open_tasks:
        assert max([0.0, *running]) - 0.001 <= found.low <= found.seconds + 0.001
        assert found.seconds <= found.high + 0.001
        assert found.seconds >= found.low >= 0


@given(st.lists(SECONDS, min_size=1, max_size=60), st.integers(1, 500), st.integers(1, 100), SECONDS, SECONDS)
def test_an_estimate_that_nothing_feeds_does_not_shrink(durations, open_tasks, parallel, taken, more):
    total = len(durations) + open_tasks
    before, after = (
        left(durations, total=total, running=[since], parallel=parallel) for since in (taken, taken + more)
    )

    assert (before is None) == (after is None)
    if before is not None and after is not None:
        assert after.seconds >= before.seconds
        assert after.seconds >= taken + more - 0.001


@given(st.lists(SECONDS, min_size=1, max_size=60), st.integers(1, 1_000), st.integers(1, 1_000))
def test_once_said_more_ended_tasks_never_take_it_back(durations, total, more):
    if is_enough(completed=len(durations), total=total):
        assert is_enough(completed=len(durations) + more, total=total)
        assert isinstance(typical_task(spans(durations), total=total), Estimate)
