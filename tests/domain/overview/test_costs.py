"""What work cost: sums, groups and words. Unknown stays unknown."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.overview.costs import Cost, Expense, by, in_words, total

NOW = datetime(2026, 1, 15, 23, 30, tzinfo=UTC)
PRICES = st.none() | st.integers(0, 10_000).map(lambda cents: cents / 100)
EXPENSES = st.builds(
    Expense,
    mission_id=st.sampled_from(["m_1", "m_2"]),
    task_id=st.sampled_from(["t_1", "t_2", "t_3"]),
    agent_id=st.none() | st.sampled_from(["a_1", "a_2"]),
    at=st.integers(0, 100).map(lambda hours: NOW - timedelta(hours=hours)),
    usd=PRICES,
    tokens=st.none() | st.integers(0, 1_000),
)


def expense(usd: float | None = None, tokens: int | None = None, **fields) -> Expense:
    values = {"mission_id": "m_1", "task_id": "t_1", "agent_id": "a_1", "at": NOW, **fields}
    return Expense(usd=usd, tokens=tokens, **values)


def test_a_sum_is_what_is_known_and_counts_what_is_not():
    assert total([]) == Cost()
    assert total([expense(), expense(tokens=5)]) == Cost(usd=None, tokens=5, unknown=2, expenses=2)
    assert total([expense(0.0), expense(1.25, 3)]) == Cost(usd=1.25, tokens=3, unknown=0, expenses=2)
    assert total([expense(1.5), expense()]) == Cost(usd=1.5, tokens=None, unknown=1, expenses=2)


@given(st.lists(EXPENSES))
def test_groups_add_up_to_the_whole_and_the_most_expensive_comes_first(expenses):
    groups = by(expenses, lambda each: each.mission_id)
    whole = total(expenses)

    assert sum(cost.expenses for cost in groups.values()) == whole.expenses
    assert sum(cost.unknown for cost in groups.values()) == whole.unknown
    assert sum(cost.usd or 0 for cost in groups.values()) == pytest.approx(whole.usd or 0)
    assert (whole.usd is None) == all(each.usd is None for each in expenses)
    known = [cost.usd or 0 for cost in groups.values()]
    assert known == sorted(known, reverse=True)


def test_what_belongs_to_nobody_is_in_no_group():
    assert by([expense(1.0, agent_id=None)], lambda each: each.agent_id) == {}


def test_a_day_is_one_of_the_reader():
    assert expense().day() == date(2026, 1, 15)
    assert expense().day(offset=timedelta(hours=1)) == date(2026, 1, 16)


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Cost(), "nothing"),
        (Cost(unknown=2, expenses=2), "unknown"),
        (Cost(usd=0.0, expenses=1), "$0.00"),
        (Cost(usd=1234.5, expenses=1), "$1,234.50"),
        (Cost(usd=2.0, unknown=1, expenses=2), "at least $2.00"),
    ],
)
def test_a_cost_is_never_shown_as_less_than_it_may_be(cost, words):
    assert in_words(cost) == words
