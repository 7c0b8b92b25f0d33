"""Queries about defined checks."""

from __future__ import annotations

from mission.domain.checks.check import Approval, Scope


def names(found):
    return [each.check.name for each in found]


def test_a_definition_is_stored_whole(tx, define, task):
    check = {"name": "n", "run": "make", "env": {"A": "b"}, "tests": ["t/**"], "before": "fail", "uses": ["db"]}
    made = define("mission", "m", check, path="/bin", mission_id=task.mission_id, final=True)

    assert tx.checks.of(Scope.MISSION, "m", final=True) == [made]
    assert tx.checks.of(Scope.MISSION, "m") == []


def test_a_task_gets_the_checks_of_its_repository_its_mission_and_its_own(tx, define):
    define("repository", "r", "a")
    define("mission", "m", "b", position=2)
    define("task", "t", "c", position=3)
    define("task", "other", "d")
    define("mission", "m", "e", final=True)

    assert names(tx.checks.for_task(repository_id="r", mission_id="m", task_id="t")) == ["a", "b", "c"]
    assert names(tx.checks.for_task(repository_id=None, mission_id="m", task_id="t")) == ["b", "c"]


def test_an_answer_decides_only_about_what_its_item_asks(tx, define):
    for name, item in (("a", "q1"), ("b", "q1"), ("c", "q2")):
        define("task", "t", name, item_id=item, approval=Approval.PENDING)

    tx.checks.approve("q1")
    tx.checks.drop_refused("q2")
    tx.checks.drop_refused("q1")  # what is approved stays

    assert {each.check.name: each.approval for each in tx.checks.of(Scope.TASK, "t")} == {
        "a": Approval.APPROVED,
        "b": Approval.APPROVED,
    }
    assert names(tx.checks.of_item("q1")) == ["a", "b"]


def test_only_approved_texts_of_a_mission_are_known(tx, define, task, rows):
    mission = task.mission_id
    approved = define("task", "t", "a", mission_id=mission)
    define("task", "t", "b", mission_id=mission, approval=Approval.PENDING)
    define("task", "u", "c", mission_id=rows.mission().id)

    assert tx.checks.approved_digests(mission) == {approved.check.digest}


def test_the_checks_of_tasks_that_a_plan_replaced_are_dropped(tx, define, task):
    define("task", task.id, "kept", mission_id=task.mission_id)
    define("task", "t_gone", "dropped", mission_id=task.mission_id)
    define("mission", task.mission_id, "stays", mission_id=task.mission_id)

    tx.checks.drop_orphans(task.mission_id)

    assert names(tx.checks.for_task(repository_id=None, mission_id=task.mission_id, task_id=task.id)) == [
        "kept",
        "stays",
    ]
    assert tx.checks.of(Scope.TASK, "t_gone") == []


def test_the_checks_of_one_scope_are_removed_together(tx, define):
    define("mission", "m", "a")
    define("mission", "m", "b", final=True)

    tx.checks.remove(Scope.MISSION, "m", final=False)

    assert (tx.checks.of(Scope.MISSION, "m"), names(tx.checks.of(Scope.MISSION, "m", final=True))) == ([], ["b"])
