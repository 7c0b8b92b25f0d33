"""The look before the first launch, and the end of a run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.controller import next_steps
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import AddRepair, Ask, CarryOut, CheckFinal, Finish, Land, LookBefore, Move
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import NOW, a_round, a_run, a_task, a_view, ago

DONE = a_task(1, status=TaskStatus.COMPLETED)
READY = a_run(state=RunState.READY, preflight=None)
PASSED = {"commit": "tip", "round_id": "rd_1"}


def steps(run, *, rounds=(), tasks=(DONE,), **values):
    return next_steps(a_view(*tasks, run=run, rounds={each.id: each for each in rounds}, **values)).steps


def base(state):
    return a_round("rd_base", state, purpose=Purpose.BASE, reason="no make")


def final(state, **values):
    return a_round("rd_1", state, purpose=Purpose.FINAL, **values)


def test_a_new_run_is_looked_at_before_anything_else():
    assert steps(READY, tasks=[a_task(1)]) == (LookBefore(),)


def test_while_the_checks_on_the_base_run_nothing_happens():
    run = replace(READY, preflight={"round_id": "rd_base"})
    assert steps(run, rounds=[base(RoundState.OPEN)]) == ()


def test_without_a_problem_it_runs():
    run = replace(READY, preflight={"round_id": "rd_base", "notes": ["2 uncommitted files"]})
    assert steps(run, rounds=[base(RoundState.PASSED)]) == (Move(state=RunState.RUNNING),)


@pytest.mark.parametrize("state", [RoundState.FAILED, RoundState.ERROR])
def test_everything_that_was_found_is_one_question(state):
    run = replace(READY, preflight={"round_id": "rd_base", "problems": ["codex is not installed"]})
    (question,) = steps(run, rounds=[base(state)])
    assert question.key == "preflight"
    assert question.body.count("\n") == 1
    assert [each["value"] for each in question.choices] == ["go", "stop"]
    assert steps(run, rounds=[base(state)], items={"preflight": "q_1"}) == ()


def test_the_answer_is_carried_out():
    run = replace(READY, preflight={"problems": ["x"]})
    assert steps(run, decisions={"preflight": "go"}) == (CarryOut(key="preflight", choice="go"),)


def test_when_every_task_has_ended_the_run_finishes_with_its_final_checks():
    assert steps(a_run()) == (Move(state=RunState.FINISHING),)
    finishing = a_run(state=RunState.FINISHING)
    assert steps(finishing) == (CheckFinal(),)
    assert steps(replace(finishing, final=PASSED), rounds=[final(RoundState.OPEN)]) == ()
    assert steps(replace(finishing, final=PASSED), rounds=[final(RoundState.PASSED)]) == (Finish(),)


def test_final_checks_of_an_older_tip_do_not_count():
    run = a_run(state=RunState.FINISHING, final={"commit": "older", "round_id": "rd_1"})
    assert steps(run, rounds=[final(RoundState.PASSED)]) == (CheckFinal(),)


def test_without_final_checks_it_ends():
    assert steps(a_run(state=RunState.FINISHING, final={"commit": "tip", "round_id": None})) == (Finish(),)


def test_failed_final_checks_make_two_repair_tasks_and_then_a_question():
    def found(repairs):
        run = a_run(state=RunState.FINISHING, final={**PASSED, "repairs": repairs})
        return steps(run, rounds=[final(RoundState.FAILED)])

    assert found([]) == (AddRepair(round_id="rd_1"),)
    assert found(["t_7"]) == (AddRepair(round_id="rd_1"),)
    (question,) = found(["t_7", "t_8"])
    assert isinstance(question, Ask)
    assert question.key == "final"


def test_a_person_is_asked_after_a_repair_task_that_changed_nothing():
    """It was skipped: the same round says the same about the same tip."""
    run = a_run(state=RunState.FINISHING, final={**PASSED, "repairs": ["t_1"], "repaired": ["rd_1"]})
    (question,) = steps(run, rounds=[final(RoundState.FAILED)])
    assert (question.key, question.subject) == ("final", "The final checks still fail after 1 repair task")


def test_a_repair_task_returns_the_run_to_work():
    run = a_run(state=RunState.FINISHING, final=PASSED)
    found = steps(run, tasks=[DONE, a_task(2)], rounds=[final(RoundState.FAILED)])
    assert found == (Move(state=RunState.RUNNING),)


def test_final_checks_without_a_result_are_repeated_once_and_then_asked_about():
    run = a_run(state=RunState.FINISHING, final=PASSED)
    one = final(RoundState.ERROR, created_at=ago(minutes=1))
    two = replace(one, id="rd_0", created_at=ago(minutes=2))
    assert steps(run, rounds=[one]) == (CheckFinal(),)
    assert [each.key for each in steps(run, rounds=[one, two])] == ["final"]
    assert steps(run, rounds=[one, two], decided_at={"final": NOW}) == (CheckFinal(),)


def test_landing_comes_before_the_end_if_it_is_wanted():
    run = a_run(state=RunState.FINISHING, final=PASSED, land=True)
    rounds = [final(RoundState.PASSED)]
    assert steps(run, rounds=rounds) == (Land(),)
    assert steps(run, rounds=rounds, items={"landing": "q_1"}) == ()
    assert steps(replace(run, landing={"state": "landed", "cleaned": True}), rounds=rounds) == (Finish(),)


def test_a_run_that_landed_ends_only_when_it_has_cleaned_up():
    run = a_run(state=RunState.FINISHING, final=PASSED, landing={"state": "landed"})
    assert steps(run, rounds=[final(RoundState.PASSED)]) == (Land(),)
