"""The order of merging."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.round import RoundState
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.decisions import merge_order
from tests.domain.runs.run_views import a_candidate, a_round, a_view, built


def names(found):
    return [each.id for each in found]


def test_the_oldest_is_merged_first():
    assert names(merge_order.in_order([a_candidate(2), a_candidate(1)], {})) == ["cd_1", "cd_2"]


def test_one_that_frees_more_passes_older_ones():
    assert names(merge_order.in_order([a_candidate(1), a_candidate(2)], {"t_2": 5})) == ["cd_2", "cd_1"]


def test_nobody_is_passed_over_four_times():
    waiting = [a_candidate(1, passed_over=3), a_candidate(2)]
    assert names(merge_order.in_order(waiting, {"t_2": 5})) == ["cd_1", "cd_2"]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=12))
def test_merging_in_this_order_passes_over_nobody_more_than_three_times(waiting):
    left = [a_candidate(number, passed_over=over) for number, (_, over) in enumerate(waiting)]
    frees = {f"t_{number}": free for number, (free, _) in enumerate(waiting)}
    while left:
        first = merge_order.in_order(left, frees)[0]
        left = [
            replace(each, passed_over=each.passed_over + (each.created_at < first.created_at))
            for each in left
            if each.id != first.id
        ]
        assert all(each.passed_over <= merge_order.MAX_PASSED_OVER for each in left)


def test_candidates_built_upon_each_other_form_a_chain_from_the_tip():
    first, second = built(1), built(2, upon="merge1")
    stale = built(3, upon="old tip")
    assert names(merge_order.built_on_tip(a_view(), [stale, second, first])) == ["cd_1", "cd_2"]


def test_of_two_on_the_same_commit_the_checked_one_goes_on_then_the_one_being_checked():
    first, second = built(1), built(2, round_id="rd_2")
    view = a_view(rounds={"rd_2": a_round("rd_2", RoundState.OPEN, second)})
    assert names(merge_order.built_on_tip(view, [first, second])) == ["cd_2"]
    third = built(3, state=CandidateState.CHECKED)
    assert names(merge_order.built_on_tip(view, [first, second, third])) == ["cd_3"]


def test_candidates_are_stacked_only_if_their_checks_take_long():
    waiting = [a_candidate(number) for number in range(1, 4)]
    assert names(merge_order.next_stack(a_view(check_seconds=60), waiting)) == ["cd_1"]
    assert names(merge_order.next_stack(a_view(check_seconds=61), waiting)) == ["cd_1", "cd_2", "cd_3"]


def test_a_candidate_without_a_required_check_is_not_stacked():
    view = a_view(check_seconds=90, has_required_checks={"t_2": False})
    assert names(merge_order.next_stack(view, [a_candidate(number) for number in range(1, 4)])) == ["cd_1"]
