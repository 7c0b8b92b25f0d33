"""How far a mission is, and what can be begun now."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.missions.mission import STARTS_TASKS, MissionStatus
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.services.missions import progress
from tests.store.rows import at


def read(tx, mission, **wanted):
    return progress.next_tasks(
        tx, **{"mission_id": mission.id, "include_failed": False, "limit": None, "cursor": None, **wanted}
    )


def next_tasks(tx, mission, **wanted):
    found = read(tx, mission, **wanted)
    return [each.task.name for each in found.tasks], found.recommended


def test_what_can_be_begun_comes_in_the_order_of_the_plan_and_within_the_limit(tx, rows):
    mission = rows.mission(max_parallel=2)
    rows.task(mission, "second", position=2)
    rows.task(mission, "first", position=1)
    rows.task(mission, "failed", position=0, status=TaskStatus.FAILED)
    rows.task(mission, "waits", waiting_for=1)
    rows.task(mission, "abandoned", position=3, status=TaskStatus.IN_PROGRESS, lease_until=at(-1))

    assert next_tasks(tx, mission) == (["first", "second", "abandoned"], 2)
    assert next_tasks(tx, mission, include_failed=True)[0] == ["failed", "first", "second", "abandoned"]
    page = read(tx, mission, limit=1)
    assert [each.task.name for each in page.tasks] == ["first"]
    assert next_tasks(tx, mission, limit=9, cursor=page.next)[0] == ["second", "abandoned"]
    with pytest.raises(InvalidInput, match="cursor"):
        read(tx, rows.mission("other"), cursor=page.next)


@pytest.mark.parametrize("status", list(MissionStatus))
def test_nothing_can_be_begun_in_a_mission_that_hands_out_nothing(tx, rows, status):
    mission = rows.mission(status=status)
    rows.task(mission, "x")

    assert next_tasks(tx, mission) == ((["x"], 1) if status in STARTS_TASKS else ([], 0))


def test_a_task_comes_with_those_it_can_run_next_to(tx, rows):
    mission = rows.mission(max_parallel=9)
    row = {"phase_id": rows.phase(mission).id, "waiting_for": 0, "parallel_group": "g"}
    tx.task_counts.count_plan(mission.id, [row] * 2)
    one, two = (rows.task(mission, name, parallel_group="g") for name in ("one", "two"))
    rows.task(mission, "alone", position=9)

    found = read(tx, mission).tasks

    assert {each.task.name: list(each.parallel_with) for each in found} == {
        "one": [two.id],
        "two": [one.id],
        "alone": [],
    }


def test_a_mission_is_complete_when_every_phase_is_and_there_is_one(tx, rows):
    mission = rows.mission()

    def all_complete():
        return read(tx, mission).all_complete

    assert not all_complete()
    rows.task(mission, status=TaskStatus.COMPLETED)
    assert all_complete()
    rows.task(mission, phase=2, status=TaskStatus.FAILED)
    assert not all_complete()


def test_the_rest_takes_as_long_as_five_tasks_took_spread_over_those_who_may_work(tx, rows):
    mission = rows.mission(max_parallel=2)
    rows.task(mission, phase=3)
    assert progress.measure(tx, mission_id=mission.id).estimate is None
    for _ in range(5):
        rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(0), completed_at=at(10))
    for _ in range(3):
        rows.task(mission, phase=2)

    measured = progress.measure(tx, mission_id=mission.id)

    assert (measured.total, measured.remaining, measured.estimate.seconds) == (9, 4, 1200.0)
    assert (measured.completed_sequence, measured.current_sequence) == (1, 2)


def test_a_large_plan_is_not_estimated_before_enough_of_it_is_done(tx, rows):
    mission = rows.mission()
    for _ in range(41):
        rows.task(mission)
    for _ in range(4):
        rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(0), completed_at=at(10))

    assert progress.measure(tx, mission_id=mission.id).estimate is None
    rows.task(mission, status=TaskStatus.COMPLETED, started_at=at(0), completed_at=at(10))
    assert progress.measure(tx, mission_id=mission.id).estimate is not None


def test_blocked_tasks_are_named_with_what_they_wait_for(tx, rows):
    mission = rows.mission()
    held = rows.task(mission, "held", status=TaskStatus.PAUSED, hold=Hold(HoldKind.BLOCKED))
    rows.task(mission, "paused", status=TaskStatus.PAUSED, hold=Hold(HoldKind.INPUT))
    waits = rows.task(mission, "waits", waiting_for=1)
    tx.plans.add_dependencies([(waits.id, held.id)])

    measured = progress.measure(tx, mission_id=mission.id)

    assert [(each.task.name, list(each.by)) for each in measured.blocked] == [("held", []), ("waits", ["held"])]
    assert measured.held == 1


def test_tasks_of_a_mission_are_read_a_page_at_a_time(tx, rows, monkeypatch):
    monkeypatch.setattr(progress, "TASKS_PER_PAGE", 2)
    mission = rows.mission()
    for place in range(3):
        rows.task(mission, str(place), position=place)

    first = progress.get(tx, mission_id=mission.id, with_tasks=True, offset=0)
    rest = progress.get(tx, mission_id=mission.id, with_tasks=True, offset=first.next_offset)

    assert [each.task.name for each in (*first.tasks, *rest.tasks)] == ["0", "1", "2"]
    assert (first.tasks_total, rest.next_offset) == (3, None)
    assert progress.get(tx, mission_id=mission.id, with_tasks=False, offset=0).tasks is None
