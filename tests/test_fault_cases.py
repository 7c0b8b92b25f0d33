"""A run with the same seed has the same cases, and a whole run leaves none out."""

from __future__ import annotations

import random

import pytest

from tests import fault_cases


@pytest.fixture(params=["a sample", "the whole"])
def whole(request, monkeypatch):
    monkeypatch.setattr(fault_cases, "SEED", "7")
    monkeypatch.setattr(fault_cases, "WHOLE", request.param == "the whole")
    return fault_cases.WHOLE


def test_a_whole_run_takes_every_case_and_a_sample_some_in_their_order(whole):
    found = fault_cases.sample(range(100), size=5)

    assert found == (list(range(100)) if whole else sorted(set(found)))
    assert len(found) == (100 if whole else 5)
    assert fault_cases.sample("abc", size=5) == ["a", "b", "c"]


def test_the_seed_alone_chooses(whole, monkeypatch):
    first = fault_cases.sample(range(1_000)), fault_cases.seeds(few=2, many=9)
    random.random()
    again = fault_cases.sample(range(1_000)), fault_cases.seeds(few=2, many=9)
    monkeypatch.setattr(fault_cases, "SEED", "8")
    other = fault_cases.sample(range(1_000)), fault_cases.seeds(few=2, many=9)

    assert first == again
    assert first[1] != other[1]
    assert whole or first[0] != other[0]


def test_a_whole_run_tries_more_seeds_and_more_examples(whole):
    assert len(fault_cases.seeds(few=2, many=9)) == (9 if whole else 2)
    assert fault_cases.examples(15) == (150 if whole else 15)


def test_the_end_of_a_run_says_how_to_repeat_it(whole):
    assert "MISSION_TEST_SEED=7" in fault_cases.summary()
