"""Missions: when work may start, and what a move does to the times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import IllegalMove, InvalidState
from mission.domain.missions.mission import ENDED, MOVES, STARTS_TASKS, MissionOutcome, MissionStatus, Profile
from tests.domain.samples import NOW, SHOWN, after, mission


@pytest.mark.parametrize("status", list(MissionStatus))
def test_work_starts_only_in_a_mission_that_hands_out_tasks(status):
    given_mission = mission(status=status)

    if status in STARTS_TASKS:
        assert given_mission.start(at=NOW).status is MissionStatus.IN_PROGRESS
    else:
        with pytest.raises(InvalidState) as refused:
            given_mission.start(at=NOW)
        assert refused.value.details == {"current": str(status)}


def test_starting_work_again_changes_nothing():
    begun = mission(status=MissionStatus.READY).start(at=NOW)

    assert begun.start(at=after(hours=1)) is begun


@given(st.lists(st.sampled_from(MissionStatus), max_size=12))
def test_a_mission_has_an_end_exactly_while_it_has_ended_and_keeps_its_first_start(wanted):
    current, starts = mission(), []
    for minute, status in enumerate(wanted):
        try:
            current = current.move_to(status, at=after(minutes=minute))
        except IllegalMove:
            continue
        starts += [after(minutes=minute)] if status is MissionStatus.IN_PROGRESS else []
        assert current.updated_at == after(minutes=minute)

    assert (current.completed_at is not None) == (current.status in ENDED)
    assert current.started_at == (starts[0] if starts else None)


def test_a_failed_mission_that_resumes_loses_the_report_of_its_end():
    failed = mission(status=MissionStatus.FAILED, completion={"summary": "no"}, completed_at=NOW)

    resumed = failed.move_to(MissionStatus.IN_PROGRESS, at=after(hours=1))

    assert (resumed.completion, resumed.completed_at) == (None, None)


def test_only_a_failed_mission_can_leave_its_end():
    assert [status for status in ENDED if MOVES[status]] == [MissionStatus.FAILED]


def test_a_partial_outcome_is_a_completed_mission():
    assert [outcome.status for outcome in MissionOutcome] == [
        MissionStatus.COMPLETED,
        MissionStatus.FAILED,
        MissionStatus.COMPLETED,
    ]


def test_a_larger_profile_expects_more_phases():
    assert [profile.phases for profile in Profile] == [2, 3, 4]


def test_a_record_leaves_out_the_long_texts():
    shown = mission(description="long", scope="long", summary="long", repository_path="/r").record()

    assert "long" not in shown.values()
    assert (shown["status"], shown["repository_path"], shown["created_at"]) == ("planning", "/r", SHOWN)
    assert shown["completed_at"] is None
