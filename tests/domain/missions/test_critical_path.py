"""The chain of tasks that decides when a mission is done."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission.domain.inbox.blocked_tasks import BlockedTasks, count_blocked
from mission.domain.missions.critical_path import USUAL_SECONDS, PathStep, critical_path
from mission.domain.missions.estimate import MEASURED_TASKS, typical_seconds
from mission.domain.tasks.states import ACTIVE, OPEN, TaskStatus
from tests.fault_cases import examples

STATUSES = st.sampled_from(TaskStatus)
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def step(id, *needs, status="pending", began=None, ended=None):
    """A task that began and ended so many minutes ago."""
    moments = [None if each is None else NOW - timedelta(minutes=each) for each in (began, ended)]
    return PathStep(id=id, status=status, started_at=moments[0], completed_at=moments[1], needs=needs)


def test_the_path_leads_back_through_whatever_was_waited_for_longest():
    steps = [
        step("early", status="completed", began=300, ended=60),
        step("late", status="completed", began=50, ended=20),
        step("quick", "early", status="in_progress", began=5),
        step("slow", "early", "late", status="in_progress", began=1),
        step("next", "quick", "slow"),
        step("aside", "early"),
    ]

    found = critical_path(steps, typical=600, now=NOW)

    assert found.tasks == {"late", "slow", "next"}
    assert found.remaining == 540 + 600


@given(STATUSES, st.none() | st.floats(0, 100_000), st.floats(1, 10_000))
def test_one_rule_says_what_is_left_of_a_task(status, minutes, usual):
    one = step("a", status=status, began=minutes)
    taken = (minutes or 0) * 60

    left = one.remaining(usual=usual, now=NOW)

    if status not in OPEN:
        assert left == 0
    elif minutes is None or status not in ACTIVE:
        assert left == usual, "nobody works on it: all of it lies ahead"
    else:
        assert left == pytest.approx(max(usual - taken, taken), abs=0.001)
    if status in OPEN:
        assert critical_path([one], typical=usual, now=NOW).remaining == pytest.approx(left)


def test_what_usually_is_comes_from_the_latest_completed_ones():
    ended = [step(str(number), status="completed", began=number + 10, ended=number) for number in range(MEASURED_TASKS)]
    long_ago = [step(f"old {number}", status="completed", began=5_000, ended=1_000) for number in range(60)]
    failed = step("failed", status="failed", began=500, ended=0)

    typical = typical_seconds(each.span for each in [*long_ago, *ended, failed] if each.span)

    assert typical == 600
    assert typical_seconds([]) is None


def test_without_a_completed_task_the_path_takes_what_is_usual_anywhere():
    assert critical_path([step("only")], typical=None, now=NOW).remaining == USUAL_SECONDS
    assert critical_path([], typical=None, now=NOW).tasks == frozenset()


@given(st.floats(0, 100_000), st.floats(1, 10_000))
def test_a_task_at_work_is_not_about_to_end_when_it_has_taken_long(minutes, typical):
    runs, waits = (step("a", status=status, began=minutes) for status in ("in_progress", "review"))

    left = critical_path([runs], typical=typical, now=NOW).remaining

    assert left >= minutes * 60 - 0.001
    assert left >= typical / 2 - 0.001
    assert critical_path([waits], typical=typical, now=NOW).remaining <= typical


PLANS = st.lists(st.tuples(st.sets(st.integers(0, 11)), st.booleans()), max_size=12)


@settings(max_examples=examples(60), deadline=None)
@given(PLANS)
def test_the_path_is_one_chain_of_dependencies_and_nothing_ends_after_it(plan):
    steps: list[PathStep] = []
    for at, (wanted, ended) in enumerate(plan):
        needs = [steps[need] for need in sorted(wanted) if need < at]
        done = ended and all(need.completed_at for need in needs)
        moved = {"status": "completed", "began": 5, "ended": 1} if done else {}
        steps.append(step(str(at), *(need.id for need in needs), **moved))

    found = critical_path(steps, typical=60, now=NOW)

    chain = [each for each in steps if each.id in found.tasks]
    assert all(earlier.id in later.needs for earlier, later in pairwise(chain))
    assert found.remaining == 60 * sum(each.completed_at is None for each in chain)


@settings(max_examples=examples(60), deadline=None)
@given(PLANS, st.sets(st.integers(0, 11)))
def test_a_task_holds_up_whatever_needs_it_however_far(plan, standing):
    steps = [
        replace(step(str(at), *(str(need) for need in sorted(wanted) if need < at)), owner_id="ada" if owned else None)
        for at, (wanted, owned) in enumerate(plan)
    ]

    def behind(id):
        return {id}.union(*(behind(each.id) for each in steps if id in each.needs))

    named = {str(at) for at in standing if at < len(steps)}
    owned = {each.id for each in steps if each.owner_id}

    assert count_blocked(steps[::-1], named) == {
        id: BlockedTasks(tasks=len(behind(id)), agents=int(bool(behind(id) & owned))) for id in named
    }
