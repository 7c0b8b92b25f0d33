"""Plans: many tasks at once, their dependencies, and what is left of them."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.store.missions import plans
from tests.store.rows import IN_TRANSACTION, NOW, at, undone


def planned(rows, mission, name, *, phase=1, **fields):
    """A row as planning makes it."""
    return {
        "id": f"t_{name}",
        "mission_id": mission.id,
        "phase_id": rows.phase(mission, phase).id,
        "phase_number": phase,
        "name": name,
        "goal": "g",
        "areas": [],
        "status": "pending",
        "fence": 0,
        "attempts": 0,
        "position": 0,
        "parallel_group": None,
        "requires": None,
        "complexity": None,
        "files_likely_affected": None,
        "waiting_for": 0,
        "created_at": NOW,
        "updated_at": NOW,
        **fields,
    }


def add(tx, rows, mission, *names, **fields):
    made = [planned(rows, mission, name, position=place, **fields) for place, name in enumerate(names)]
    tx.plans.add_tasks(made)
    tx.task_counts.count_plan(mission.id, made)
    return [row["id"] for row in made]


AWKWARD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)


@IN_TRANSACTION
@given(name=AWKWARD, areas=st.lists(AWKWARD, max_size=3), files=st.none() | st.lists(AWKWARD, max_size=3))
def test_whatever_a_plan_says_is_read_back_as_it_was_written(tx, name, areas, files):
    with undone(tx) as rows:
        mission = rows.mission()
        row = planned(rows, mission, "x", goal=name, areas=areas, files_likely_affected=files, parallel_group=name)

        tx.plans.add_tasks([row, planned(rows, mission, "y")])

        task = tx.tasks.get("t_x")
        assert (task.goal, task.areas, task.files_likely_affected, task.parallel_group) == (name, areas, files, name)
        assert (task.status, task.created_at, task.lease_until, task.hold) == (TaskStatus.PENDING, NOW, None, None)


def test_tasks_are_known_by_name_and_by_id_but_only_in_their_mission(tx, rows, monkeypatch):
    monkeypatch.setattr(plans, "CHUNK", 2)
    mission, other = rows.mission(), rows.mission("other")
    add(tx, rows, mission, "a", "b", "c", "d")
    add(tx, rows, other, "e")

    found = tx.plans.known(mission.id, ["a", "t_b", "e", "t_e", "c", "c"])

    assert sorted(row.name for row in found) == ["a", "b", "c"]


def test_dependencies_are_listed_per_task_also_for_many(tx, rows, monkeypatch):
    monkeypatch.setattr(plans, "CHUNK", 2)
    mission = rows.mission()
    a, b, c, d = add(tx, rows, mission, "a", "b", "c", "d")

    tx.plans.add_dependencies([(d, b), (d, a), (c, a)])
    tx.plans.add_dependencies([])

    assert tx.plans.dependencies([a, b, c, d]) == {a: [], b: [], c: [a], d: [a, b]}
    assert [task.name for task in tx.plans.dependency_tasks(d)] == ["a", "b"]
    assert tx.plans.dependency_tasks(a) == []


def test_a_task_waits_by_name_only_for_what_is_not_done(tx, rows):
    mission = rows.mission()
    states = [TaskStatus.COMPLETED, TaskStatus.SKIPPED, TaskStatus.FAILED, TaskStatus.REVIEW, TaskStatus.PENDING]
    needed = [rows.task(mission, str(status), status=status, position=place) for place, status in enumerate(states)]
    last = rows.task(mission, "last", position=9, waiting_for=3)
    tx.plans.add_dependencies([(last.id, task.id) for task in needed])

    assert tx.plans.waited_for([last.id, needed[0].id]) == {
        last.id: ["failed", "review", "pending"],
        needed[0].id: [],
    }
    assert [task.name for task in tx.plans.waiting(mission.id, limit=5)] == ["last"]


def test_a_page_of_a_plan_is_in_the_order_of_its_phases_and_positions(tx, rows):
    mission = rows.mission()
    add(tx, rows, mission, "c", "d", phase=2)
    add(tx, rows, mission, "a", "b", phase=1)

    def names(**page):
        return [task.name for task in tx.plans.page(mission.id, **page)]

    assert names(limit=9, offset=0) == ["a", "b", "c", "d"]
    assert names(limit=2, offset=1) == ["b", "c"]
    assert list(tx.plans.phases(mission.id)) == [1, 2]


def test_a_task_is_touched_once_it_was_claimed_begun_or_written_about(tx, rows):
    mission = rows.mission()
    rows.task(mission, "untouched")
    rows.task(mission, "claimed", fence=1)
    rows.task(mission, "tried", attempts=1)
    rows.task(mission, "running", status=TaskStatus.IN_PROGRESS)
    rows.entry(rows.task(mission, "noted"))

    assert {row.name for row in tx.plans.touched(mission.id, limit=9)} == {"claimed", "tried", "running", "noted"}
    assert len(tx.plans.touched(mission.id, limit=2)) == 2


def test_clearing_removes_tasks_phases_and_groups_of_one_mission_only(tx, rows):
    mission, other = rows.mission(), rows.mission("other")
    add(tx, rows, mission, "a", parallel_group="g")
    add(tx, rows, other, "b", parallel_group="g")

    tx.plans.clear(mission.id)

    assert (tx.plans.page(mission.id, limit=9, offset=0), tx.phases.of_mission(mission.id)) == ([], [])
    assert tx.task_counts.groups(mission.id) == []
    assert [row.name for row in tx.task_counts.groups(other.id)] == ["g"]


@IN_TRANSACTION
@given(
    states=st.lists(st.sampled_from(TaskStatus), min_size=1, max_size=6),
    edges=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
)
def test_skipping_what_is_open_ends_it_and_frees_whatever_waited_for_it(tx, states, edges):
    with undone(tx) as rows:
        mission, other = rows.mission(), rows.mission("other")
        kept = rows.task(other, status=TaskStatus.IN_PROGRESS, owner_id="a_1")
        open_states = set(TaskStatus) - {TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.SKIPPED}
        done = {TaskStatus.COMPLETED, TaskStatus.SKIPPED}
        pairs = [(task, needed) for task, needed in edges if needed < task < len(states)]
        waits = Counter(task for task, needed in pairs if states[needed] not in done)
        tasks = [
            rows.task(mission, str(place), status=status, waiting_for=waits[place], owner_id="a_1", lease_until=at(9))
            for place, status in enumerate(states)
        ]
        tx.plans.add_dependencies([(tasks[task].id, tasks[needed].id) for task, needed in pairs])

        tx.plans.skip_open(mission.id, now=at(5))

        for place, (task, before) in enumerate(zip(tasks, states, strict=True)):
            after = tx.tasks.get(task.id)
            left = sum(states[needed] is TaskStatus.FAILED for waiting, needed in pairs if waiting == place)
            assert after.status is (TaskStatus.SKIPPED if before in open_states else before)
            assert after.waiting_for == left
            if before in open_states:
                assert (after.owner_id, after.lease_until, after.completed_at) == (None, None, at(5))
        tally = tx.phases.by_number(mission.id, 1).counts
        assert (tally.pending, tally.in_progress, tally.total) == (0, 0, len(states))
        assert tx.tasks.get(kept.id).status is TaskStatus.IN_PROGRESS


def test_the_done_phases_end_where_the_first_unfinished_one_begins(tx, rows):
    mission = rows.mission()
    assert tx.plans.sequences(mission.id) == (0, None)

    rows.task(mission, phase=1, status=TaskStatus.COMPLETED)
    rows.task(mission, phase=3, status=TaskStatus.SKIPPED)
    assert tx.plans.sequences(mission.id) == (3, None)

    rows.task(mission, phase=4, status=TaskStatus.FAILED)
    assert tx.plans.sequences(mission.id) == (3, 4)


def test_members_of_a_group_are_those_that_are_not_done(tx, rows):
    mission = rows.mission()
    for name, group in (("a", "g"), ("b", "g"), ("c", "h")):
        add(tx, rows, mission, name, parallel_group=group)
    rows.task(mission, "done", status=TaskStatus.COMPLETED, parallel_group="g")
    rows.task(mission, "failed", id="t_failed", status=TaskStatus.FAILED, parallel_group="g")

    found = tx.plans.group_members(mission.id, ["g", "h", "nowhere"], limit=9)

    assert {group: set(ids) for group, ids in found.items()} == {"g": {"t_a", "t_b", "t_failed"}, "h": {"t_c"}}
    assert len(tx.plans.group_members(mission.id, ["g"], limit=2)["g"]) == 2
    assert tx.plans.group_members(mission.id, [], limit=2) == {}


def test_held_tasks_are_paused_for_a_reason_and_spans_come_from_completed_ones(tx, rows):
    mission = rows.mission()
    held = rows.task(mission, status=TaskStatus.PAUSED, hold=Hold(HoldKind.BLOCKED, "r"))
    rows.task(mission, status=TaskStatus.PAUSED)
    rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(1), completed_at=at(2))
    rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(1), completed_at=at(4))
    rows.task(mission, status=TaskStatus.COMPLETED, completed_at=at(5))
    rows.task(mission, status=TaskStatus.FAILED, started_at=at(1), completed_at=at(6))

    assert [task.id for task in tx.plans.held(mission.id)] == [held.id]
    assert tx.plans.latest_completed(mission.id, limit=9) == [(at(1), at(4)), (at(1), at(2))]
    assert tx.plans.latest_completed(mission.id, limit=1) == [(at(1), at(4))]
