"""Names of agents: which are refused, and which look the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.agents.agent_name import RESERVED_NAMES, check_name, comparable_name
from mission.domain.errors import InvalidInput

CYRILLIC = str.maketrans("aeopcyx", "\u0430\u0435\u043e\u0440\u0441\u0443\u0445")


@given(
    st.sampled_from(sorted(RESERVED_NAMES)),
    st.sampled_from([str.upper, str.title, lambda name: name.translate(CYRILLIC), lambda name: f"<{name}>"]),
)
def test_a_reserved_name_is_refused_however_it_is_written(name, write):
    with pytest.raises(InvalidInput):
        check_name(write(name))


@given(st.text(min_size=1, max_size=20))
def test_a_name_that_is_taken_shows_all_its_characters(name):
    try:
        check_name(name)
    except InvalidInput:
        return
    assert not {unicodedata.category(each) for each in name} & {"Cc", "Cf", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("one", "other"), [("worker-0", "worker-o"), ("api-tests", "api_tests"), ("G\u00f6del", "Godel"), ("a1", "al")]
)
def test_names_that_a_reader_can_tell_apart_stay_apart(one, other):
    assert comparable_name(one) != comparable_name(other)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo"], max_codepoint=0x4FF), max_size=20))
def test_the_case_of_a_name_makes_no_difference(name):
    assert comparable_name(name.casefold()) == comparable_name(name)
