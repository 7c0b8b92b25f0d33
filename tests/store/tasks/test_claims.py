"""Claims: one statement decides who gets a task, whatever was read before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.missions.mission import STARTS_TASKS, MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import RUNNING, TaskStatus
from tests.store.rows import IN_TRANSACTION, NOW, at, undone

LEASES = [None, -1, 1]


def taken(task, agent="a_9"):
    """The task as a claim stores it, without a look at whether it can be had."""
    return replace(task, owner_id=agent, lease_until=at(30))


@pytest.mark.parametrize("lease", LEASES, ids=["no lease", "lapsed", "held"])
@pytest.mark.parametrize("status", list(TaskStatus))
def test_the_statement_takes_exactly_what_the_domain_calls_claimable(tx, rows, status, lease):
    mission = rows.mission()
    task = rows.task(mission, status=status, lease_until=lease and at(lease), owner_id=lease and "a_1")

    got = tx.claims.claim(taken(task), now=NOW)

    assert got is task.claimable(now=NOW)
    after = tx.tasks.get(task.id)
    assert (after.owner_id, after.fence) == (("a_9", 1) if got else (task.owner_id, 0))


def test_a_task_that_waits_for_others_cannot_be_claimed(tx, rows):
    task = rows.task(rows.mission(), waiting_for=1)

    assert not tx.claims.claim(taken(task), now=NOW)


def test_of_two_who_saw_the_same_free_task_only_the_first_gets_it(tx, rows):
    task = rows.task(rows.mission())

    assert tx.claims.claim(taken(task, "a_1"), now=NOW)
    assert not tx.claims.claim(taken(task, "a_2"), now=NOW)

    assert tx.tasks.get(task.id).owner_id == "a_1"


def test_a_claim_of_a_failed_task_clears_its_end(tx, rows):
    task = rows.task(rows.mission(), status=TaskStatus.FAILED, completed_at=at(-5), completion={"status": "failed"})

    tx.claims.claim(replace(taken(task), status=TaskStatus.PENDING), now=NOW)

    after = tx.tasks.get(task.id)
    assert (after.status, after.completed_at, after.completion) == (TaskStatus.PENDING, None, None)
    assert (after.claimed_at, after.updated_at) == (NOW, NOW)


@IN_TRANSACTION
@given(tasks=st.lists(st.tuples(st.sampled_from(TaskStatus), st.sampled_from(LEASES)), max_size=8))
def test_a_task_is_in_hand_while_it_runs_or_a_lease_holds_it(tx, tasks):
    with undone(tx) as rows:
        mission = rows.mission()
        for status, lease in tasks:
            rows.task(mission, status=status, lease_until=lease and at(lease))

        in_hand = [
            (status, lease)
            for status, lease in tasks
            if status in RUNNING or (status is TaskStatus.PENDING and lease == 1)
        ]
        assert tx.claims.running(mission.id, now=NOW) == len(in_hand)


@IN_TRANSACTION
@given(
    places=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), max_size=12),
    few=st.integers(1, 3),
)
def test_ready_tasks_come_in_the_order_of_the_plan_however_few_are_read_at_once(tx, places, few):
    with undone(tx) as rows:
        mission = rows.mission()
        tasks = [rows.task(mission, phase=phase, position=position) for phase, position in places]
        rows.task(mission, waiting_for=1)
        rows.task(mission, lease_until=at(-1))
        rows.task(mission, status=TaskStatus.FAILED)

        found = list(tx.claims.ready(mission.id, TaskStatus.PENDING, chunk=few))

        ordered = sorted(tasks, key=lambda task: (task.phase_number, task.position, task.id))
        assert [task.id for task in found] == [task.id for task in ordered]


@pytest.mark.parametrize("status", list(PhaseStatus))
def test_no_task_of_a_phase_that_is_closed_for_good_is_ready_or_taken_over(tx, rows, status):
    mission = rows.mission()
    phase = rows.phase(mission, 1, status=status)
    rows.task(mission, "ready")
    rows.task(mission, "lapsed", lease_until=at(-1), status=TaskStatus.IN_PROGRESS)

    ready = [task.name for task in tx.claims.ready(mission.id, TaskStatus.PENDING, chunk=1)]
    lapsed = [task.name for task in tx.claims.lapsed(mission.id, now=NOW, limit=9)]

    assert (ready, lapsed) == (([], []) if phase.closed else (["ready"], ["lapsed"]))


def test_lapsed_tasks_are_open_ones_whose_lease_is_over(tx, rows):
    mission = rows.mission()
    second = rows.task(mission, position=2, lease_until=at(-1), status=TaskStatus.REVIEW)
    first = rows.task(mission, position=1, lease_until=at(-2))
    rows.task(mission, lease_until=NOW)
    rows.task(mission, lease_until=at(-1), status=TaskStatus.COMPLETED)

    assert [task.id for task in tx.claims.lapsed(mission.id, now=NOW, limit=9)] == [first.id, second.id]
    assert [task.id for task in tx.claims.lapsed(mission.id, now=NOW, limit=1)] == [first.id]


@pytest.mark.parametrize("status", list(MissionStatus))
def test_work_is_found_only_in_missions_that_hand_out_tasks(tx, rows, status):
    mission = rows.mission(status=status)
    rows.task(mission)

    assert tx.claims.missions_with_work(now=NOW) == [mission.id] * (status in STARTS_TASKS)


def test_missions_with_work_come_oldest_first_without_archived_or_empty_ones(tx, rows):
    new = rows.mission("new", created_at=at(2))
    old = rows.mission("old", created_at=at(1))
    rows.task(new, status=TaskStatus.IN_PROGRESS, lease_until=at(-1))
    rows.task(old)
    rows.task(rows.mission("archived", archived_at=NOW))
    rows.task(rows.mission("waits"), waiting_for=1)
    rows.task(rows.mission("held"), lease_until=at(1))
    rows.mission("empty")

    assert tx.claims.missions_with_work(now=NOW) == [old.id, new.id]
