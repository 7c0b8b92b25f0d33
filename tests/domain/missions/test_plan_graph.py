"""Plans as graphs."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.missions.plan_graph import check_plan, find_cycle

NAMES = st.sampled_from("abcdefgh")


@given(st.dictionaries(NAMES, st.lists(NAMES, max_size=4)))
def test_a_circle_is_found_exactly_when_there_is_one(edges):
    graph = {name: [wanted for wanted in edges.get(name, []) if wanted in edges] for name in edges}

    cycle = find_cycle(graph)

    assert bool(cycle) == (not _can_be_followed(graph))
    if cycle:
        assert cycle[0] == cycle[-1]
        assert all(following in graph[name] for name, following in pairwise(cycle))


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ([("a", []), ("a", [])], "duplicates: 'a'"),
        ([("a", ["a"])], "depend on themselves: 'a'"),
        ([("a", ["x"])], r"unknown tasks: 'x' \(needed by 'a'\)"),
        ([("a", ["b"]), ("b", ["c"]), ("c", ["a"])], "has a cycle: a → b → c → a"),
    ],
)
def test_a_plan_that_cannot_be_followed_names_the_tasks_at_fault(plan, words):
    with pytest.raises(InvalidInput, match=words):
        check_plan(plan)


def test_tasks_that_exist_may_be_waited_for_but_not_named_again():
    check_plan([("b", ["a"])], known=["a"])
    with pytest.raises(InvalidInput, match="duplicates: 'a'"):
        check_plan([("a", [])], known=["a"])


def test_a_chain_of_ten_thousand_is_followed_without_recursion():
    check_plan([(str(number), [str(number - 1)] if number else []) for number in range(10_000)])


def _can_be_followed(graph):
    left = {name: set(wanted) for name, wanted in graph.items()}
    while left:
        free = [name for name, wanted in left.items() if not wanted & left.keys()]
        if not free:
            return False
        for name in free:
            del left[name]
    return True
