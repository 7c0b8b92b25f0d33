"""Plans: replaced while nobody has touched them, added to until the mission ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.missions.mission import ENDED, MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import DONE, TaskStatus
from mission.services.missions import planning
from mission.services.missions.planning import NewTask, Plan
from tests.store.rows import IN_TRANSACTION, undone


def new(name, *after, sequence=1, **fields):
    return NewTask(name=name, description="d", sequence=sequence, depends_on=after, **fields)


def set_plan(tx, mission, *tasks):
    return planning.set_plan(tx, mission_id=mission.id, plan=Plan(summary="s", approach="a", tasks=tasks))


@IN_TRANSACTION
@given(
    edges=st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=5),
    sequences=st.lists(st.integers(1, 3), min_size=5, max_size=5),
)
def test_each_task_waits_for_exactly_what_it_names(tx, edges, sequences):
    with undone(tx) as rows:
        mission = rows.mission()
        needs = [[other for other in sorted(wanted) if other < place] for place, wanted in enumerate(edges)]
        tasks = [new(str(place), *map(str, wanted), sequence=sequences[place]) for place, wanted in enumerate(needs)]

        planned = set_plan(tx, mission, *tasks)

        found = {task.name: task for task in tx.plans.page(mission.id, limit=9, offset=0)}
        assert [found[str(place)].waiting_for for place in range(len(needs))] == list(map(len, needs))
        depends_on = tx.plans.dependencies(planned.task_ids)
        for place, wanted in enumerate(needs):
            assert set(depends_on[found[str(place)].id]) == {found[str(other)].id for other in wanted}
        assert planned.mission.total_phases == max(sequences[: len(needs)])
        waiting = sum(bool(wanted) for wanted in needs)
        assert tx.task_counts.states(mission.id)[TaskStatus.PENDING, True] == waiting


def test_a_task_keeps_its_acceptance_criteria_and_its_reviewer(tx, rows):
    [id] = set_plan(tx, rows.mission(), new("a", acceptance=["It sorts"], review="person")).task_ids

    task = tx.tasks.get(id)
    assert (list(task.acceptance), task.review) == (["It sorts"], "person")


def test_a_plan_nobody_touched_is_replaced_whole(tx, rows):
    mission = rows.mission()
    set_plan(tx, mission, new("old", parallel_group="g"), new("older", sequence=3))

    set_plan(tx, mission, new("new"))

    assert [task.name for task in tx.plans.page(mission.id, limit=9, offset=0)] == ["new"]
    assert [phase.number for phase in tx.phases.of_mission(mission.id)] == [1]
    assert tx.task_counts.groups(mission.id) == []


def test_a_plan_that_somebody_works_on_stays(tx, rows):
    mission = rows.mission()
    task = rows.task(mission, fence=1)

    with pytest.raises(InvalidState) as raised:
        set_plan(tx, mission, new("new"))

    assert raised.value.details["touched"] == [task.id]
    with pytest.raises(InvalidState, match="its plan can no longer be replaced"):
        set_plan(tx, rows.mission(status=MissionStatus.IN_PROGRESS), new("new"))


@pytest.mark.parametrize("status", list(TaskStatus))
def test_added_tasks_wait_for_known_ones_by_name_or_id_unless_those_are_done(tx, rows, status):
    mission = rows.mission(status=MissionStatus.IN_PROGRESS)
    known = rows.task(mission, "known", status=status)

    added = planning.extend(tx, mission_id=mission.id, new=[new("by name", "known"), new("by id", known.id, "by name")])

    waits = [tx.tasks.get(id).waiting_for for id in added.task_ids]
    assert waits == [int(status not in DONE), 1 + int(status not in DONE)]


@pytest.mark.parametrize("status", list(MissionStatus))
def test_a_mission_takes_tasks_until_it_ends(tx, rows, status):
    mission = rows.mission(status=status, total_phases=2)

    if status in ENDED:
        with pytest.raises(InvalidState, match="accepts no more tasks"):
            planning.extend(tx, mission_id=mission.id, new=[new("x")])
        return
    extended = planning.extend(tx, mission_id=mission.id, new=[new("x", sequence=5)]).mission
    assert extended.total_phases == 5
    assert extended.status is (MissionStatus.READY if status is MissionStatus.PLANNING else status)


def test_a_closed_phase_and_an_unknown_dependency_are_refused(tx, rows):
    mission = rows.mission()
    rows.phase(mission, 1, status=PhaseStatus.COMPLETED)

    with pytest.raises(InvalidState) as raised:
        planning.extend(tx, mission_id=mission.id, new=[new("x")])
    assert "such as 2" in raised.value.hint
    with pytest.raises(InvalidInput):
        planning.extend(tx, mission_id=mission.id, new=[new("x", "nowhere", sequence=2)])


def test_what_is_said_about_worktrees_is_added_to_what_was_said_before(tx, rows):
    mission = rows.mission(workspace_setup={"command": "make"})

    def change(**fields):
        given = {"max_parallel": 3, "auto_create_workspaces": None, "workspace_setup": None, **fields}
        return planning.set_parallelism(tx, mission_id=mission.id, **given)

    assert (change().workspace_setup, change().auto_create_workspaces) == ({"command": "make"}, False)
    changed = change(auto_create_workspaces=True, workspace_setup={"copy": [".env"]})
    assert (changed.workspace_setup, changed.max_parallel) == ({"command": "make", "copy": [".env"]}, 3)
    assert change().auto_create_workspaces is True
