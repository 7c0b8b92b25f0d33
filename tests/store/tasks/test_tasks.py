"""Tasks as the store keeps, finds and lists them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import NotFound
from mission.domain.missions.mission import MissionStatus
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import OPEN, RUNNING, TaskStatus
from mission.domain.tasks.task import CallerType, Quality
from mission.store.sql.pages import Filter
from tests.store.rows import IN_TRANSACTION, NOW, at, undone

EVERYTHING = {"mission_id": None, "states": None, "owner_id": None, "limit": 99, "after": None}


def ids(tasks):
    return [task.id for task in tasks]


def test_an_unknown_task_is_an_error_that_names_it(tx):
    with pytest.raises(NotFound) as raised:
        tx.tasks.get("t_nowhere000")

    assert raised.value.details["task_id"] == "t_nowhere000"


def test_every_field_of_a_task_is_saved_but_how_much_it_waits_for(tx, rows):
    mission = rows.mission()
    task = rows.task(mission, waiting_for=2)
    changed = replace(
        task,
        status=TaskStatus.COMPLETED,
        quality=Quality.PARTIAL,
        caller_type=CallerType.SUBAGENT,
        hold=Hold(HoldKind.BLOCKED, by="x"),
        changes={"added": ["ä"]},
        areas=("b", "a"),
        lease_until=at(3),
        waiting_for=7,
    )

    tx.tasks.save(changed)

    assert tx.tasks.get(task.id) == replace(changed, waiting_for=2, areas=["b", "a"])


@pytest.mark.parametrize("status", list(TaskStatus))
def test_open_and_running_tasks_are_found_by_mission_phase_agent_and_parent(tx, rows, status):
    mission = rows.mission()
    parent = rows.task(mission, "parent", status=TaskStatus.SKIPPED)
    task = rows.task(mission, status=status, owner_id="a_1", parent_id=parent.id)
    rows.task(rows.mission("other"), owner_id="a_2")
    is_open, is_running = status in OPEN, status in RUNNING

    assert ids(tx.tasks.open_of_mission(mission.id)) == [task.id] * is_open
    assert ids(tx.tasks.open_of_phase(task.phase_id)) == [task.id] * is_open
    assert ids(tx.tasks.open_of_agent("a_1")) == [task.id] * is_open
    assert ids(tx.tasks.running_children(parent.id)) == [task.id] * is_running


def test_a_lease_is_renewed_for_everything_open_that_the_agent_has_and_nothing_else(tx, rows):
    mission = rows.mission()
    mine = rows.task(mission, owner_id="a_1", lease_until=at(1))
    ended = rows.task(mission, owner_id="a_1", lease_until=at(1), status=TaskStatus.COMPLETED)
    other = rows.task(mission, owner_id="a_2", lease_until=at(1))

    tx.tasks.renew("a_1", until=at(9))

    assert [tx.tasks.get(task.id).lease_until for task in (mine, ended, other)] == [at(9), at(1), at(1)]


def test_tasks_overlap_when_they_work_in_one_tree_at_one_time(tx, rows):
    mission = rows.mission()
    place = {"tree": "/code", "host_id": "here"}
    parent = rows.task(mission, "parent", **place, started_at=at(0))
    task = rows.task(mission, "task", **place, started_at=at(5), parent_id=parent.id)
    late = rows.task(mission, "late", **place, started_at=at(7))
    ran = rows.task(mission, "ran", **place, started_at=at(1), completed_at=at(6))
    rows.task(mission, "child", **place, started_at=at(6), parent_id=task.id)
    rows.task(mission, "over", **place, started_at=at(1), completed_at=at(4))
    rows.task(mission, "never begun", **place)
    rows.task(mission, "other tree", tree="/other", host_id="here", started_at=at(6))
    rows.task(mission, "other host", tree="/code", host_id="there", started_at=at(6))

    assert tx.tasks.overlapping(task) == [ran.id, late.id]
    assert tx.tasks.overlapping(replace(task, tree=None)) == []
    assert tx.tasks.overlapping(replace(task, started_at=None)) == []


def test_at_most_ten_overlapping_tasks_are_named(tx, rows):
    mission = rows.mission()
    place = {"tree": "/code", "host_id": "here"}
    task = rows.task(mission, **place, started_at=at(0))
    others = [rows.task(mission, **place, started_at=at(minute)) for minute in range(1, 13)]

    assert tx.tasks.overlapping(task) == ids(others[:10])


def test_snapshots_are_in_use_until_their_mission_ends_for_good(tx, rows):
    snapshots = {"/code": {"id": "one"}, "/more": {"id": "two"}}
    rows.task(rows.mission(status=MissionStatus.PAUSED), host_id="here", snapshots=snapshots)
    rows.task(rows.mission(status=MissionStatus.PAUSED), host_id="there", snapshots={"/code": {"id": "far"}})
    rows.task(rows.mission(status=MissionStatus.COMPLETED), host_id="here", snapshots={"/code": {"id": "over"}})
    rows.task(rows.mission(), host_id="here")

    assert tx.tasks.snapshots_in_use(host_id="here") == [{"id": "one"}, {"id": "two"}]


def test_pages_of_a_mission_are_narrowed_by_phase_agent_and_time_and_counted_alike(tx, rows):
    mission = rows.mission()
    first = rows.task(mission, agent_name="ada", created_at=at(0))
    second = rows.task(mission, phase=2, agent_name="ada", created_at=at(1))
    third = rows.task(mission, phase=2, agent_name="bob", created_at=at(2))
    wanted = {
        Filter(): [third, second, first],
        Filter(phase=2): [third, second],
        Filter(agent="ada"): [second, first],
        Filter(since=at(1)): [third, second],
        Filter(phase=2, agent="ada", since=at(2)): [],
    }

    for chosen, found in wanted.items():
        assert ids(tx.tasks.page(mission.id, chosen, limit=9, after=None)) == ids(found)
        assert tx.tasks.count(mission.id, chosen) == len(found)


@IN_TRANSACTION
@given(minutes=st.lists(st.integers(0, 3), max_size=9), size=st.integers(1, 4))
def test_pages_put_together_are_the_whole_list_even_when_moments_are_the_same(tx, minutes, size):
    with undone(tx) as rows:
        mission = rows.mission()
        for minute in minutes:
            rows.task(mission, created_at=at(minute))
        whole = tx.tasks.listed(**EVERYTHING | {"mission_id": mission.id})

        pages, after = [], None
        while page := tx.tasks.listed(**EVERYTHING | {"mission_id": mission.id, "limit": size, "after": after}):
            pages += page
            after = page[-1].created_at, page[-1].id

        assert pages == whole
        assert sorted(whole, key=lambda task: (task.created_at, task.id), reverse=True) == whole
        assert len(whole) == len(minutes)


def test_a_list_tells_ready_tasks_from_waiting_ones_and_leaves_out_archived_missions(tx, rows):
    mission = rows.mission()
    ready = rows.task(mission, created_at=at(3))
    waiting = rows.task(mission, waiting_for=1, created_at=at(2))
    failed = rows.task(mission, status=TaskStatus.FAILED, owner_id="a_1", created_at=at(1))
    hidden = rows.task(archived := rows.mission(archived_at=NOW))

    def listed(**filters):
        return ids(tx.tasks.listed(**EVERYTHING | filters))

    assert listed() == [ready.id, waiting.id, failed.id]
    assert listed(mission_id=archived.id) == [hidden.id]
    assert listed(states=[(TaskStatus.PENDING, False)]) == [ready.id]
    assert listed(states=[(TaskStatus.PENDING, True), (TaskStatus.FAILED, None)]) == [waiting.id, failed.id]
    assert listed(owner_id="a_1") == [failed.id]


def test_the_work_of_a_mission_is_that_of_all_its_tasks(tx, rows):
    mission = rows.mission()
    rows.task(mission, changes={"added": ["a"]}, metadata={"tokens_input": 1}, started_at=at(1), completed_at=at(2))
    rows.task(mission)
    rows.task(rows.mission("other"))

    work = tx.tasks.work_of_mission(mission.id)

    assert sorted(((row.changes, row.completed_at) for row in work), key=str) == [
        (None, None),
        ({"added": ["a"]}, at(2)),
    ]
