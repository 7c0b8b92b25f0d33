"""The order of a plan's tasks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.plans.plan_problems import MAX_PROBLEMS, ProblemList
from mission.domain.plans.task_order import find_order_problems, find_phases
from mission.domain.plans.toml_lines import locate_keys


@st.composite
def orders(draw):
    """Tasks without a cycle, in any order of writing."""
    names = [f"t{number}" for number in range(draw(st.integers(1, 8)))]
    tasks = [
        (name, draw(st.lists(st.sampled_from(names[:number]), unique=True)) if number else [])
        for number, name in enumerate(names)
    ]
    return draw(st.permutations(tasks))


@given(orders(), st.dictionaries(st.sampled_from(["t0", "t1", "t2"]), st.integers(1, 9)))
def test_a_phase_comes_after_those_of_its_dependencies_unless_it_is_given(tasks, given):
    phases = find_phases(tasks, given=given)

    assert phases.keys() == {name for name, _ in tasks}
    for name, wanted in tasks:
        after = max((phases[other] for other in wanted), default=0) + 1
        assert phases[name] == given.get(name, after)


def test_a_long_chain_is_followed_without_recursion():
    chain = [(f"t{number}", [f"t{number + 1}"] if number < 9_999 else []) for number in range(10_000)]

    assert find_phases(chain, given={})["t0"] == 10_000


def test_many_cycles_end_the_search():
    problems = ProblemList(source="p", lines=locate_keys(""))
    names = [f"t{number}" for number in range(30)]

    find_order_problems([(name, [other for other in names if other != name]) for name in names], problems)

    assert len(problems._found) == MAX_PROBLEMS
