"""How much waits behind a task that needs a person."""

from __future__ import annotations

from mission.domain.inbox.blocked_tasks import BlockedTasks, count_blocked
from mission.domain.missions.critical_path import PathStep


def step(id, *needs, owner=None):
    return PathStep(id=id, status="pending", started_at=None, completed_at=None, needs=needs, owner_id=owner)


def test_a_task_counts_itself_and_everything_behind_it_once():
    diamond = [step("top"), step("left", "top"), step("right", "top"), step("end", "left", "right")]

    assert count_blocked(diamond, ["top", "left"]) == {"top": BlockedTasks(tasks=4), "left": BlockedTasks(tasks=2)}


def test_an_agent_counts_once_however_many_of_its_tasks_wait():
    plan = [step("a", owner="ada"), step("b", "a", owner="ada"), step("c", "b", owner="bob")]

    assert count_blocked(plan, ["a"])["a"] == BlockedTasks(tasks=3, agents=2)
    assert count_blocked(plan, ["c"])["c"] == BlockedTasks(tasks=1, agents=1)


def test_tasks_on_two_branches_do_not_hold_up_each_other():
    plan = [step("a"), step("b"), step("after a", "a"), step("after b", "b"), step("both", "a", "b")]

    assert count_blocked(plan, ["a", "b"]) == {"a": BlockedTasks(tasks=3), "b": BlockedTasks(tasks=3)}


def test_a_task_that_is_not_open_any_more_holds_up_nothing():
    assert count_blocked([step("b", "gone")], ["gone"]) == {"gone": BlockedTasks()}
    assert count_blocked([], []) == {}


def test_a_chain_of_thousands_is_followed():
    chain = [step("0"), *(step(str(number), str(number - 1)) for number in range(1, 5_000))]

    assert count_blocked(chain[::-1], ["0", "4000"]) == {
        "0": BlockedTasks(tasks=5_000),
        "4000": BlockedTasks(tasks=1_000),
    }
