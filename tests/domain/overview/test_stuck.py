"""What is stuck: the rule and its limits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.display_status import TASK_LABELS
from mission.domain.overview.stuck import (
    REVIEW_AFTER,
    SILENT_AFTER,
    UNTOUCHED_AFTER,
    StuckReason,
    TaskFacts,
    find_stuck,
    stuck_reason,
)

NOW = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
MOMENTS = st.integers(0, 120).map(lambda minutes: NOW - minutes * MINUTE)
TASKS = st.builds(
    TaskFacts,
    id=st.text("abc", min_size=1, max_size=3),
    mission_id=st.sampled_from(["m_1", "m_2"]),
    word=st.sampled_from(sorted(TASK_LABELS)),
    since=MOMENTS,
    failed_attempts=st.integers(0, 4),
    heard_at=st.none() | MOMENTS,
    lapsed=st.booleans(),
)


def task(word: str, since: timedelta = timedelta(), **facts) -> TaskFacts:
    return TaskFacts(**{"id": "t_1", "mission_id": "m_1", "word": word, "since": NOW - since, **facts})


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (task("ready", UNTOUCHED_AFTER), "untouched"),
        (task("ready", UNTOUCHED_AFTER - SECOND), None),
        (task("waiting", UNTOUCHED_AFTER * 9), None),
        (task("review", REVIEW_AFTER), "review"),
        (task("review", REVIEW_AFTER - SECOND), None),
        (task("checking", REVIEW_AFTER * 9), None),
        (task("working", heard_at=NOW - SILENT_AFTER), "silent"),
        (task("working", heard_at=NOW - SILENT_AFTER + SECOND), None),
        (task("working", heard_at=NOW, lapsed=True), "silent"),
        (task("asks", heard_at=NOW - SILENT_AFTER * 9), None),
        (task("working", timedelta(days=1)), None),
        (task("ready", failed_attempts=2), "failed"),
        (task("ready", failed_attempts=1), None),
        (task("failed", failed_attempts=3), "failed"),
        (task("proved", failed_attempts=3), None),
        (task("skipped", failed_attempts=3), None),
    ],
)
def test_a_task_is_stuck_for_one_reason_from_a_moment_on(facts, reason):
    assert stuck_reason(facts, now=NOW) == reason


@given(TASKS, st.integers(0, 500))
def test_what_is_stuck_stays_so_until_something_happens(facts, minutes):
    before = stuck_reason(facts, now=NOW)

    after = stuck_reason(facts, now=NOW + minutes * MINUTE)

    assert before is None or after == before


@given(st.lists(TASKS, max_size=12), st.sets(st.sampled_from(["m_1", "m_2"])))
def test_every_stuck_task_is_named_once_by_its_reason_and_nothing_else_is(tasks, full):
    found = find_stuck(tasks, full=full, now=NOW)

    reasons = [(each.id, stuck_reason(each, now=NOW), each.mission_id) for each in tasks]
    expected = [
        (id, reason)
        for id, reason, mission in reasons
        if reason is not None and not (reason is StuckReason.UNTOUCHED and mission in full)
    ]
    assert sorted((id, each.reason) for each in found for id in each.tasks) == sorted(expected)
    untouched = [each.mission_id for each in found if each.reason is StuckReason.UNTOUCHED]
    assert len(untouched) == len(set(untouched))
    order = [(list(StuckReason).index(each.reason), each.since) for each in found]
    assert order == sorted(order)
    assert all(each.since <= NOW for each in found)


def test_ready_tasks_of_a_mission_are_one_entry_since_the_first_of_them():
    long, short = UNTOUCHED_AFTER * 3, UNTOUCHED_AFTER * 2
    tasks = [task("ready", short, id="t_2"), task("ready", long, id="t_1"), task("ready", id="t_3")]

    [found] = find_stuck(tasks, full=(), now=NOW)

    assert (found.reason, found.since, found.tasks) == (StuckReason.UNTOUCHED, NOW - long, ("t_2", "t_1"))
    assert find_stuck(tasks, full={"m_1"}, now=NOW) == []


def test_a_silent_agent_counts_from_its_last_sign_of_life():
    heard = NOW - SILENT_AFTER * 2

    [found] = find_stuck([task("working", timedelta(hours=9), heard_at=heard)], full=(), now=NOW)

    assert (found.reason, found.since) == (StuckReason.SILENT, heard)
