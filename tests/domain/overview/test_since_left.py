"""The summary since somebody left: at most five lines, and only about what happened."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.overview.costs import Cost
from mission.domain.overview.since_left import SinceFacts, as_text, summary
from mission.domain.tasks.patch import LineCount

COUNT = st.integers(0, 3)
FACTS = st.builds(
    SinceFacts,
    proved=COUNT,
    accepted=COUNT,
    unproved=COUNT,
    failed=COUNT,
    waiting=COUNT,
    longest_wait=st.none() | st.timedeltas(timedelta(0), timedelta(days=3)),
    merged=COUNT,
    landed=st.lists(st.sampled_from(["main", "next"]), max_size=3),
    files=COUNT,
    lines=st.builds(LineCount, COUNT, COUNT),
    cost=st.builds(Cost, usd=st.none() | st.floats(0, 9), tokens=st.none() | COUNT, unknown=COUNT, expenses=COUNT),
)


def test_everything_that_happened_is_told_in_five_lines():
    facts = SinceFacts(
        proved=5,
        accepted=1,
        unproved=2,
        failed=1,
        waiting=3,
        longest_wait=timedelta(minutes=44),
        merged=4,
        landed=["main", "main"],
        files=14,
        lines=LineCount(1412, 88),
        cost=Cost(usd=4.2, tokens=61_000, unknown=2, expenses=9),
    )

    assert as_text(summary(facts)).split("\n") == [
        "3 items are waiting for you, the oldest for 44 min",
        "1 task failed",
        "8 tasks finished: 5 proved, 1 accepted by you, 2 unproved",
        "4 results merged; landed on main; 14 files changed, +1,412 −88",
        "Cost: at least $4.20, 61,000 tokens; 2 prices are unknown",
    ]


def test_one_of_each_reads_as_one():
    facts = SinceFacts(proved=1, waiting=1, files=1, lines=LineCount(1, 0), cost=Cost(unknown=1, expenses=1))

    assert [line.text for line in summary(facts)] == [
        "1 item is waiting for you",
        "1 task finished: 1 proved",
        "1 file changed, +1 −0",
        "Cost: unknown",
    ]


def test_nothing_is_said_about_nothing():
    assert summary(SinceFacts()) == []


@given(FACTS)
def test_there_are_at_most_five_lines_each_of_its_own_kind(facts):
    lines = summary(facts)

    assert len({line.kind for line in lines}) == len(lines) <= 5
    assert all(line.text and "\n" not in line.text for line in lines)
    assert ("waiting" in [line.kind for line in lines]) == (facts.waiting > 0)
    assert "$0.00" not in as_text(lines) or facts.cost.usd is not None
