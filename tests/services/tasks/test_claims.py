"""Claims: what an agent may take, within the limit of its mission."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidState, NotOwner
from mission.domain.missions.mission import STARTS_TASKS, MissionStatus
from mission.domain.missions.phase import PhaseStatus
from mission.domain.tasks.states import TaskStatus
from mission.services.tasks import claims
from mission.services.tasks.claims import PreparedClaim
from tests.store.rows import IN_TRANSACTION, NOW, at, undone

LEASE = timedelta(minutes=10)
NOTHING = PreparedClaim(uncommitted={}, worktrees={})


def take(tx, task, agent):
    return claims.claim_prepared(tx, task_id=task.id, agent_id=agent.id, lease=LEASE, prepared=NOTHING)


def take_next(tx, agent, mission=None):
    return claims.claim_next_prepared(
        tx, mission_id=mission and mission.id, agent_id=agent.id, lease=LEASE, prepared=NOTHING
    )


@IN_TRANSACTION
@given(limit=st.integers(1, 4), tasks=st.integers(0, 5), asked=st.integers(0, 7))
def test_no_more_tasks_are_handed_out_than_the_mission_lets_run_and_none_twice(tx, limit, tasks, asked):
    with undone(tx) as rows:
        mission = rows.mission(max_parallel=limit)
        for place in range(tasks):
            rows.task(mission, str(place), position=place)
        agent = rows.agent()

        got = [claim.task.name for _ in range(asked) if (claim := take_next(tx, agent)).task]

        assert got == [str(place) for place in range(min(limit, tasks, asked))]
        assert claims.slots(tx, tx.missions.get(mission.id)) == limit - len(got)


def test_an_abandoned_task_comes_before_a_new_one_and_takes_no_place_of_its_own(tx, rows):
    mission = rows.mission(max_parallel=1)
    rows.task(mission, "new")
    lapsed = rows.task(mission, "lapsed", status=TaskStatus.IN_PROGRESS, owner_id="a_9", lease_until=at(-1), fence=3)

    claim = take_next(tx, rows.agent(), mission)

    assert (claim.task.id, claim.task.fence, claim.task.status) == (lapsed.id, 4, TaskStatus.PENDING)
    assert claim.recovery.previous_owner == "a_9"


def test_a_task_goes_only_to_who_is_able_and_one_who_takes_it_on_purpose_is_warned(tx, rows):
    task = rows.task(rows.mission(), requires=["rust"])
    able, other = rows.agent("able", capabilities=["rust", "go"]), rows.agent("other")

    assert take_next(tx, other).task is None
    assert claims.available(tx, mission_id=None, agent_id=other.id, limit=9).rows == []
    assert "requires rust" in take(tx, task, other).warnings[0]
    claims.release(tx, task_id=task.id, agent_id=other.id, reason=None)
    assert len(claims.available(tx, mission_id=None, agent_id=able.id, limit=9).rows) == 1
    assert take_next(tx, able).warnings == []


def test_asking_again_for_ones_own_renews_it_and_another_is_told_who_has_it(tx, rows):
    task = rows.task(rows.mission(max_parallel=9))
    ada, bob = rows.agent("ada"), rows.agent("bob")
    first = take(tx, task, ada)
    tx.now = at(5)

    again = take(tx, task, ada)

    assert (again.task.fence, again.task.lease_until) == (first.task.fence, at(15))
    assert take(tx, task, bob) == claims.Claim(holder=ada.id)


@pytest.mark.parametrize("status", list(MissionStatus))
def test_a_mission_hands_out_tasks_only_while_it_goes_on(tx, rows, status):
    mission = rows.mission(status=status)
    task, agent = rows.task(mission), rows.agent()

    if status in STARTS_TASKS:
        assert take(tx, task, agent).task.owner_id == agent.id
    else:
        assert take_next(tx, agent, mission).task is None
        assert claims.slots(tx, mission) == 0
        with pytest.raises(InvalidState):
            take(tx, task, agent)


def test_what_waits_or_lies_in_a_closed_phase_is_refused_with_the_reason(tx, rows):
    mission = rows.mission()
    agent = rows.agent()
    waits = rows.task(mission, waiting_for=1)
    tx.plans.add_dependencies([(waits.id, rows.task(mission, "first").id)])
    rows.phase(mission, 2, status=PhaseStatus.COMPLETED)
    closed = rows.task(mission, phase=2)

    with pytest.raises(InvalidState, match="'first' \\(pending\\)"):
        take(tx, waits, agent)
    with pytest.raises(InvalidState, match="phase 2, which is completed"):
        take(tx, closed, agent)


def test_only_its_owner_gives_a_task_back_and_says_why(tx, rows):
    task, ada, bob = rows.task(rows.mission()), rows.agent("ada"), rows.agent("bob")
    assert claims.release(tx, task_id=task.id, agent_id=ada.id, reason=None) is False
    take(tx, task, ada)

    with pytest.raises(NotOwner):
        claims.release(tx, task_id=task.id, agent_id=bob.id, reason=None)
    assert claims.release(tx, task_id=task.id, agent_id=ada.id, reason="no time") is True

    assert tx.tasks.get(task.id).claimable(now=NOW)
    assert [entry.summary for entry in take(tx, task, bob).recovery.checkpoints] == ["no time"]
