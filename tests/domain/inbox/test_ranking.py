"""The order in which a person sees the inbox."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.domain.inbox.ranking import Rank, most_urgent_first, rank_tasks
from mission.domain.missions.critical_path import PathStep
from tests.domain.samples import NOW

RANKS = st.builds(Rank, st.booleans(), st.integers(0, 3), st.integers(0, 3))


def step(id, *needs, owner=None):
    return PathStep(id=id, status="pending", started_at=None, completed_at=None, needs=needs, owner_id=owner)


def test_a_task_on_the_longest_chain_is_critical_and_one_next_to_it_is_not():
    plan = [step("first", owner="ada"), step("second", "first"), step("third", "second"), step("aside", owner="bob")]

    assert rank_tasks(plan, ["first", "aside"], typical=60.0, now=NOW) == {
        "first": Rank(True, 1, 3),
        "aside": Rank(False, 1, 1),
    }


def test_the_critical_path_counts_more_than_agents_and_agents_count_more_than_tasks():
    ranks = {"many tasks": Rank(False, 1, 9), "many agents": Rank(False, 2, 2), "critical": Rank(True, 0, 1)}

    assert most_urgent_first(["nothing", *ranks], ranks) == ["critical", "many agents", "many tasks", "nothing"]


@given(st.dictionaries(st.text(max_size=3), RANKS))
def test_items_of_equal_rank_stay_in_the_order_of_their_age(ranks):
    oldest_first = list(ranks)

    ordered = most_urgent_first(oldest_first, ranks)

    assert sorted(ordered) == sorted(oldest_first)
    age = {id: place for place, id in enumerate(oldest_first)}
    assert [(ranks[id], -age[id]) for id in ordered] == sorted(((ranks[id], -age[id]) for id in ordered), reverse=True)
