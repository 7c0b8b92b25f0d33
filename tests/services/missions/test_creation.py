"""Missions are archived and deleted only once they have ended."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState, NotFound
from mission.domain.executions.execution import ExecutionStatus
from mission.domain.missions.mission import ENDED, Family, MissionStatus, Profile
from mission.domain.tasks.states import TaskStatus
from mission.services.missions import creation as missions
from mission.services.missions.creation import NewMission
from tests.store.rows import NOW


def test_a_mission_has_the_phases_of_its_profile_unless_told_otherwise(tx):
    for profile in Profile:
        for told in (None, 7):
            new = NewMission(name="n", objective="o", family=Family.MISSION, profile=profile, total_phases=told)
            assert missions.create(tx, new=new, place=None).total_phases == (told or profile.phases)


@pytest.mark.parametrize("status", list(MissionStatus))
def test_only_a_mission_that_has_ended_is_archived_or_deleted(tx, rows, status):
    mission = rows.mission(status=status)

    if status not in ENDED:
        for attempt in (
            lambda: missions.archive(tx, mission_id=mission.id, archived=True),
            lambda: missions.delete(tx, mission_id=mission.id),
        ):
            with pytest.raises(InvalidState, match=str(status)):
                attempt()
        return
    assert missions.archive(tx, mission_id=mission.id, archived=True).archived_at == NOW
    assert missions.archive(tx, mission_id=mission.id, archived=False).archived_at is None
    missions.delete(tx, mission_id=mission.id)
    with pytest.raises(NotFound):
        tx.missions.get(mission.id)


def test_agents_that_run_and_worktrees_that_stand_keep_a_mission(tx, rows):
    mission = rows.mission(status=MissionStatus.FAILED)
    live = rows.execution(rows.task(mission), status=ExecutionStatus.RUNNING)
    with pytest.raises(InvalidState, match=live.id):
        missions.delete(tx, mission_id=mission.id)

    other = rows.mission(status=MissionStatus.FAILED)
    workspace = rows.workspace(other)
    with pytest.raises(InvalidState, match=workspace.id):
        missions.delete(tx, mission_id=other.id)


def test_a_list_says_how_far_each_mission_is(tx, rows):
    mission = rows.mission()
    rows.task(mission, status=TaskStatus.COMPLETED)
    rows.task(mission)

    [listed], total = missions.list_missions(tx, statuses=None, repository_path=None, archived=False, limit=9, offset=0)

    assert (listed.tasks_total, listed.tasks_completed, total) == (2, 1, 1)
