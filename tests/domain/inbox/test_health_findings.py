"""Findings about silent agents and crash loops: one finding per thing that is wrong."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.inbox.health_findings import (
    ATTEMPTS,
    CRASHES,
    EXPECTED,
    UNFINISHED,
    crash_loop,
    silent_owner,
    tried_often,
)
from mission.domain.tasks.states import DONE, STALLED
from tests.domain.samples import NOW, SHOWN, after


def silent(**fields):
    return silent_owner(
        **{"agent_id": "a_1", "name": "ada", "last_seen_at": NOW, "tasks": 1, "task_id": "t_1"} | fields
    )


def test_an_agent_is_found_once_for_each_time_it_falls_silent():
    assert silent().key == silent(tasks=3, name="other").key
    assert silent().key != silent(last_seen_at=after(hours=1)).key
    assert silent().key != silent(agent_id="a_2").key


def test_a_silent_owner_is_named_with_the_task_to_look_at():
    found = silent(tasks=2)

    assert (found.agent_id, found.task_id) == ("a_1", "t_1")
    assert "2 claimed tasks" in found.subject
    assert all(word in found.body for word in ["ada", "a_1", SHOWN, "t_1"])
    assert silent().subject.endswith("1 claimed task")


@given(st.integers(1, 40))
def test_a_crash_loop_is_a_new_finding_after_every_further_few_crashes(crashes):
    now, next_ = (
        crash_loop(task_id="t_1", name="x", crashes=crashes),
        crash_loop(task_id="t_1", name="x", crashes=crashes + 1),
    )

    assert (now.key != next_.key) is ((crashes + 1) % CRASHES == 0)
    assert str(crashes) in now.subject


@given(st.integers(1, 40))
def test_a_task_that_is_started_ever_again_is_a_new_finding_after_every_further_few(attempts):
    now = tried_often(task_id="t_1", name="x", attempts=attempts)
    next_ = tried_often(task_id="t_1", name="x", attempts=attempts + 1)

    assert (now.key != next_.key) is ((attempts + 1) % ATTEMPTS == 0)
    assert now.key != crash_loop(task_id="t_1", name="x", crashes=attempts).key


def test_the_owner_of_a_task_that_waits_for_a_person_may_be_silent():
    assert EXPECTED.isdisjoint(STALLED)
    assert UNFINISHED.isdisjoint(DONE)
