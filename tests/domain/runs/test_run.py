"""A run: its moves, its pauses, its holder and its branches."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidState
from mission.domain.runs.options import RunOptions
from mission.domain.runs.run import HOLDER_LEASE, LIVE, MOVES, Run, RunState

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = Run(
    id="run_0000000000",
    mission_id="m_0000000000",
    host_id="here",
    repository="/code",
    branch="mission/login-0000000000",
    base_commit="b" * 40,
    tip="b" * 40,
    target="main",
    options=RunOptions().as_dict(),
    created_at=NOW,
    updated_at=NOW,
)


@given(st.sampled_from(RunState), st.sampled_from(RunState))
def test_a_run_moves_only_as_its_table_allows(before, after):
    run = replace(RUN, state=before)

    if after is before or after in MOVES[before]:
        moved = run.move_to(after, at=NOW)
        assert (moved.state, moved.is_live) == (after, after in LIVE)
        assert (moved.ended_at is None) == (after in LIVE or after is before)
    else:
        with pytest.raises(InvalidState, match=str(before)):
            run.move_to(after, at=NOW)


def test_a_pause_does_not_count_as_work():
    run = replace(RUN, state=RunState.RUNNING, first_launch_at=NOW)

    paused = run.move_to(RunState.PAUSED, at=NOW + timedelta(minutes=10))
    resumed = paused.move_to(RunState.RUNNING, at=NOW + timedelta(minutes=40))

    assert paused.worked_seconds(now=NOW + timedelta(minutes=30)) == 600
    assert paused.paused_from == "running"
    assert resumed.worked_seconds(now=NOW + timedelta(minutes=50)) == 1200


def test_a_clock_that_jumps_back_gives_no_negative_time():
    run = replace(RUN, state=RunState.RUNNING, first_launch_at=NOW)
    paused = run.move_to(RunState.PAUSED, at=NOW + timedelta(minutes=1))

    resumed = paused.move_to(RunState.RUNNING, at=NOW)

    assert resumed.paused_seconds == 0
    assert resumed.worked_seconds(now=NOW - timedelta(hours=1)) == 0


def test_a_new_holder_raises_the_fence_and_the_same_one_does_not():
    first = RUN.held_by("a", at=NOW)
    again = first.held_by("a", at=NOW + timedelta(seconds=5))
    other = again.held_by("b", at=NOW + timedelta(minutes=1))

    assert [each.fence for each in (first, again, other)] == [1, 1, 2]
    assert first.is_driven(now=NOW + HOLDER_LEASE / 2)
    assert not first.is_driven(now=NOW + HOLDER_LEASE)


def test_a_lease_from_before_the_clock_was_set_back_holds_up_nobody():
    held = RUN.held_by("1-a", at=NOW)

    assert held.is_driven(now=NOW)
    assert not held.is_driven(now=NOW + HOLDER_LEASE)
    assert not held.is_driven(now=NOW - timedelta(hours=1))


def test_the_branch_of_a_task_is_next_to_the_integration_branch():
    assert RUN.task_branch("t_abc") == "mission/login-0000000000.abc"
