"""What a task waits for."""

from __future__ import annotations

import pytest

from mission.domain.errors import InvalidState, NotFound
from mission.domain.tasks.states import DONE, TaskStatus
from mission.services.tasks import dependencies


@pytest.fixture
def waiting(tx, rows):
    """A task that waits for one in each of these states."""

    def make(*states):
        mission = rows.mission()
        needed = [rows.task(mission, f"n{place}", status=status, position=place) for place, status in enumerate(states)]
        task = rows.task(mission, position=99, waiting_for=sum(status not in DONE for status in states))
        tx.plans.add_dependencies([(task.id, each.id) for each in needed])
        return task, needed

    return make


@pytest.mark.parametrize("status", list(TaskStatus))
def test_a_dependency_is_done_when_it_is_completed_or_skipped(tx, waiting, status):
    task, needed = waiting(status)

    found = dependencies.get(tx, task_id=task.id)

    done = status in {TaskStatus.COMPLETED, TaskStatus.SKIPPED}
    assert [each.id for each in found.done] == [each.id for each in needed] * done
    assert [each.id for each in found.pending] == [each.id for each in needed] * (not done)


def test_a_task_that_waits_for_nothing_may_begin(tx, waiting):
    task, _ = waiting(TaskStatus.COMPLETED)

    assert dependencies.check_done(tx, task) is None


def test_an_error_names_the_first_ten_and_counts_the_rest(tx, waiting):
    task, needed = waiting(*[TaskStatus.FAILED] * 12, TaskStatus.SKIPPED)

    with pytest.raises(InvalidState) as raised:
        dependencies.check_done(tx, task)

    assert f"{needed[0].id} 'n0' (failed)" in raised.value.message
    assert needed[9].id in raised.value.message
    assert needed[10].id not in raised.value.message
    assert raised.value.message.endswith("and 2 more")
    assert raised.value.details["waiting_for"] == [each.id for each in needed[:12]]


def test_an_unknown_task_waits_for_nothing_that_could_be_told(tx):
    with pytest.raises(NotFound):
        dependencies.get(tx, task_id="t_nowhere000")
