"""From report to merge: the next step of candidates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.controller import next_steps
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import (
    Advance,
    Ask,
    Build,
    CarryOut,
    CheckMerged,
    CheckTip,
    Freeze,
    MarkChecked,
    SendBack,
    SkipTasks,
    StopMerging,
)
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import NOW, a_candidate, a_round, a_run, a_task, a_view, ago, built

PASSED, FAILED, OPEN, ERROR = RoundState.PASSED, RoundState.FAILED, RoundState.OPEN, RoundState.ERROR


def decided(*candidates, rounds=(), **values):
    tasks = [a_task(int(each.task_id[2:]), status=TaskStatus.REVIEW) for each in candidates]
    values.setdefault("tasks", tasks)
    return next_steps(a_view(candidates=candidates, rounds={each.id: each for each in rounds}, **values)).steps


def checked(candidate, *states, **values):
    """Return the candidate and its rounds, the newest last."""
    rounds = [
        a_round(f"rd_{candidate.id}_{number}", state, candidate, created_at=ago(minutes=30 - number))
        for number, state in enumerate(states)
    ]
    return replace(candidate, round_id=rounds[-1].id, **values), rounds


def test_a_report_is_frozen_at_once():
    assert decided(a_candidate(state=CandidateState.REPORTED)) == (Freeze(candidate_id="cd_1"),)


def test_a_queued_candidate_is_built_then_checked_then_marked_then_merged():
    assert decided(a_candidate()) == (Build(candidate_ids=("cd_1",)),)
    assert decided(built()) == (CheckMerged(candidate_ids=("cd_1",)),)
    candidate, rounds = checked(built(), OPEN)
    assert decided(candidate, rounds=rounds) == ()
    candidate, rounds = checked(built(), PASSED)
    mark = MarkChecked(candidate_ids=("cd_1",), round_id=rounds[0].id)
    assert decided(candidate, rounds=rounds) == (mark,)
    candidate = replace(candidate, state=CandidateState.CHECKED)
    assert decided(candidate, rounds=rounds) == (Advance(candidate_ids=("cd_1",)),)


@pytest.mark.parametrize("state", [CandidateState.BUILT, CandidateState.CHECKED])
def test_when_the_tip_has_moved_it_is_built_again(state):
    candidate, rounds = checked(built(upon="old tip"), PASSED, state=state)
    assert decided(candidate, rounds=rounds) == (Build(candidate_ids=("cd_1",)),)


def test_evidence_for_another_tree_merges_nothing():
    candidate, (round,) = checked(built(state=CandidateState.CHECKED), PASSED)
    assert decided(candidate, rounds=[replace(round, tree="other")]) == (CheckMerged(candidate_ids=("cd_1",)),)
    assert decided(candidate, rounds=[replace(round, candidate_id="cd_9")]) == (CheckMerged(candidate_ids=("cd_1",)),)


def test_a_failure_of_the_authors_own_tree_goes_back_at_once():
    candidate, rounds = checked(built(tree="same", merged_tree="same"), FAILED)
    assert decided(candidate, rounds=rounds) == (SendBack(candidate_id="cd_1", round_id=rounds[0].id),)


def test_a_failure_only_after_the_merge_is_repeated_once_then_tried_on_the_tip():
    candidate, rounds = checked(built(), FAILED)
    assert decided(candidate, rounds=rounds) == (CheckMerged(candidate_ids=("cd_1",), again=True),)
    candidate, rounds = checked(built(), FAILED, FAILED)
    assert decided(candidate, rounds=rounds) == (CheckTip(candidate_id="cd_1"),)


def tip_is(state, **values):
    candidate, rounds = checked(built(), FAILED, FAILED)
    tip = a_round("rd_tip", state, candidate, purpose=Purpose.TIP, tree="of tip", created_at=ago(minutes=1))
    return replace(candidate, tip_round_id="rd_tip"), [*rounds, replace(tip, **values)]


def test_if_the_tip_passes_alone_it_goes_back_saying_that_each_side_passed():
    candidate, rounds = tip_is(PASSED)
    expected = SendBack(candidate_id="cd_1", round_id=candidate.round_id, failed_only_merged=True)
    assert decided(candidate, rounds=rounds) == (expected,)


def test_if_the_tip_fails_too_merging_stops_with_one_question_and_nobody_is_blamed():
    candidate, rounds = tip_is(FAILED)
    question, stop = decided(candidate, rounds=rounds)
    assert isinstance(question, Ask)
    assert question.key == "tip-red"
    assert isinstance(stop, StopMerging)
    assert stop.reason


def test_while_merging_is_stopped_nothing_is_merged_and_one_question_is_open():
    run = a_run(merging_stopped="red")
    (question,) = decided(a_candidate(), run=run)
    assert question.key == "tip-red"
    assert decided(a_candidate(), run=run, items={"tip-red": "q_1"}) == ()


def test_trying_again_starts_merging_and_checks_the_tip_anew():
    run = a_run(merging_stopped="red")
    carried_out = CarryOut(key="tip-red", choice="retry")
    assert decided(a_candidate(), run=run, decisions={"tip-red": "retry"}) == (carried_out,)
    candidate, rounds = tip_is(FAILED)
    again = CheckMerged(candidate_ids=("cd_1",), again=True)
    assert decided(candidate, rounds=rounds, decided_at={"tip-red": NOW}) == (again,)


@pytest.mark.parametrize("state", [ERROR, RoundState.VOID])
def test_checks_without_a_result_are_repeated_once_then_asked_about(state):
    candidate, rounds = checked(built(), state)
    assert decided(candidate, rounds=rounds) == (CheckMerged(candidate_ids=("cd_1",), again=True),)
    candidate, rounds = checked(built(), state, state)
    assert "checks:t_1" in [each.key for each in decided(candidate, rounds=rounds) if isinstance(each, Ask)]
    again = decided(candidate, rounds=rounds, decided_at={"checks:t_1": NOW})
    assert again == (CheckMerged(candidate_ids=("cd_1",), again=True),)


def test_a_tip_that_cannot_be_checked_is_tried_once_more_then_asked_about():
    candidate, rounds = tip_is(ERROR)
    assert decided(candidate, rounds=rounds) == (CheckTip(candidate_id="cd_1"),)
    more = replace(rounds[-1], id="rd_tip0", created_at=ago(minutes=2))
    found = decided(candidate, rounds=[*rounds, more])
    assert "checks:t_1" in [each.key for each in found if isinstance(each, Ask)]


def test_a_candidate_that_waits_for_its_review_does_not_hold_up_the_queue():
    waiting, rounds = checked(built(state=CandidateState.CHECKED), PASSED, review={"verdict": None})
    assert decided(waiting, a_candidate(2), rounds=rounds) == (Build(candidate_ids=("cd_2",)),)


def test_a_reviewed_candidate_is_merged_or_returned():
    approved, rounds = checked(built(state=CandidateState.CHECKED), PASSED, review={"verdict": "approve"})
    assert decided(approved, rounds=rounds) == (Advance(candidate_ids=("cd_1",)),)
    returned = replace(approved, review={"verdict": "changes"})
    assert decided(returned, rounds=rounds) == (SendBack(candidate_id="cd_1", round_id=rounds[0].id),)


def test_without_a_required_check_it_is_merged_only_if_a_person_let_that_through():
    nothing = {"has_required_checks": {"t_1": False}}
    questions = [each.key for each in decided(built(), **nothing) if isinstance(each, Ask)]
    assert questions == ["unproved"]
    allowed = {**nothing, "run": a_run(unproved_allowed=True)}
    assert decided(built(), **allowed) == (MarkChecked(candidate_ids=("cd_1",), round_id=None),)
    assert decided(built(state=CandidateState.CHECKED), **allowed) == (Advance(candidate_ids=("cd_1",)),)


def test_what_a_person_accepted_needs_no_passed_round():
    accepted = built(state=CandidateState.CHECKED, proof={"state": "accepted"})
    assert decided(accepted) == (Advance(candidate_ids=("cd_1",)),)


def stack(*states):
    """Return four candidates built upon each other; the state of each one's own round, if it has one."""
    found, rounds = [], []
    for number in range(1, 5):
        each = built(number, upon="tip" if number == 1 else f"merge{number - 1}")
        state = states[number - 1]
        if state is not None:
            each, more = checked(each, state)
            rounds += more
        found.append(each)
    return found, rounds


def ids(*numbers):
    return tuple(f"cd_{number}" for number in numbers)


def test_a_stack_is_checked_once_and_merged_together():
    candidates, rounds = stack(None, None, None, None)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1, 2, 3, 4)),)
    candidates, rounds = stack(None, None, None, PASSED)
    assert decided(*candidates, rounds=rounds) == (MarkChecked(candidate_ids=ids(1, 2, 3, 4), round_id=rounds[0].id),)
    candidates = [replace(each, state=CandidateState.CHECKED, round_id=rounds[0].id) for each in candidates]
    assert decided(*candidates, rounds=rounds) == (Advance(candidate_ids=ids(1, 2, 3, 4)),)


def test_candidates_of_different_rounds_are_merged_one_after_the_other():
    """The second waited for a review, while the first was checked alone."""
    candidates, rounds = stack(PASSED, PASSED, None, None)
    first, second = (replace(each, state=CandidateState.CHECKED) for each in candidates[:2])
    assert decided(first, second, rounds=rounds) == (Advance(candidate_ids=ids(1)),)


def test_a_failing_stack_is_bisected_and_what_passes_is_merged_first():
    candidates, rounds = stack(None, None, None, FAILED)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1, 2)),)
    candidates, rounds = stack(None, PASSED, None, FAILED)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1, 2, 3)),)
    candidates, rounds = stack(None, PASSED, FAILED, FAILED)
    assert decided(*candidates, rounds=rounds) == (MarkChecked(candidate_ids=ids(1, 2), round_id=rounds[0].id),)
    candidates, rounds = stack(None, FAILED, None, FAILED)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1)),)
    candidates, rounds = stack(FAILED, FAILED, None, FAILED)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1), again=True),)


def test_a_stack_whose_checks_give_no_result_is_checked_one_by_one():
    candidates, rounds = stack(None, None, None, ERROR)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1)),)
    candidates, rounds = stack(PASSED, None, None, ERROR)
    assert decided(*candidates, rounds=rounds) == (MarkChecked(candidate_ids=ids(1), round_id=rounds[0].id),)


def test_a_part_of_a_failing_stack_whose_checks_give_no_result_is_checked_again_and_then_asked_about():
    candidates, rounds = stack(None, ERROR, None, FAILED)
    assert decided(*candidates, rounds=rounds) == (CheckMerged(candidate_ids=ids(1, 2), again=True),)
    second = replace(rounds[0], id="rd_again")
    question = decided(*candidates, rounds=[*rounds, second])[0]
    assert question.key == "checks:t_2"


def test_a_paused_run_still_merges_what_was_reported():
    run = a_run(state=RunState.PAUSED)
    assert decided(a_candidate(), run=run) == (Build(candidate_ids=("cd_1",)),)


def test_the_candidate_of_a_skipped_task_is_withdrawn():
    steps = decided(a_candidate(), tasks=[a_task(1, status=TaskStatus.SKIPPED)])
    assert SkipTasks(task_ids=("t_1",)) in steps
    assert not any(isinstance(each, Build) for each in steps)


def test_a_candidate_whose_task_waits_for_an_answer_is_left_alone():
    held = [a_task(1, status=TaskStatus.REVIEW, held_by="q_1"), a_task(2, status=TaskStatus.REVIEW)]
    assert decided(built(), a_candidate(2), tasks=held) == (Build(candidate_ids=("cd_2",)),)


def test_what_failed_before_a_person_repaired_the_tip_is_not_held_against_a_candidate():
    candidate, rounds = tip_is(PASSED)
    again = CheckMerged(candidate_ids=("cd_1",), again=True)
    assert decided(candidate, rounds=rounds, decided_at={"tip-red": NOW}) == (again,)
    before = {"tip-red": ago(hours=1)}
    assert isinstance(decided(candidate, rounds=rounds, decided_at=before)[0], SendBack)


def accepted(candidate):
    return replace(candidate, proof={"state": "accepted", "by": "operator", "reason": "fine"})


def test_a_result_that_a_person_accepted_takes_no_other_along():
    one, two = built(1), accepted(built(2, upon="merge1"))
    assert decided(one, two) == (CheckMerged(candidate_ids=("cd_1",)),)
    assert decided(accepted(one), built(2, upon="merge1")) == (MarkChecked(candidate_ids=("cd_1",), round_id=None),)
    checks_take_long = {"check_seconds": 90.0}
    assert decided(a_candidate(1), accepted(a_candidate(2)), **checks_take_long) == (Build(candidate_ids=("cd_1",)),)
    assert decided(accepted(a_candidate(1)), a_candidate(2), **checks_take_long) == (Build(candidate_ids=("cd_1",)),)


def test_evidence_of_ones_own_tree_is_known_although_a_stack_was_checked_since():
    """Each member of a stack refers to the newest round of it."""
    candidates, rounds = stack(None, PASSED, FAILED, FAILED)
    newest = {"cd_1": rounds[1].id, "cd_2": rounds[1].id}
    candidates = [replace(each, round_id=newest.get(each.id, each.round_id)) for each in candidates]
    assert decided(*candidates, rounds=rounds) == (MarkChecked(candidate_ids=ids(1, 2), round_id=rounds[0].id),)


def test_a_candidate_that_passed_only_within_a_stack_is_checked_alone_when_the_stack_breaks():
    candidates, rounds = stack(None, None, None, PASSED)
    checked_ones = [replace(each, state=CandidateState.CHECKED, round_id=rounds[0].id) for each in candidates]
    waiting = replace(checked_ones[1], review={"verdict": None})
    found = decided(checked_ones[0], waiting, *checked_ones[2:], rounds=rounds)
    assert found == (CheckMerged(candidate_ids=("cd_1",)),)
