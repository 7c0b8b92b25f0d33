"""Ids: their form, and what an id of the wrong kind is answered with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput
from mission.domain.ids import KINDS, PREFIXES, expect_kind, is_id, new_id


@pytest.mark.parametrize("kind", sorted(PREFIXES))
def test_a_new_id_is_one_of_its_kind_and_of_no_other(kind):
    made = new_id(kind)

    assert is_id(made)
    assert expect_kind(made, kind, field="id") == made
    for other in PREFIXES.keys() - {kind}:
        with pytest.raises(InvalidInput):
            expect_kind(made, other, field="id")


@given(st.text() | st.from_regex(r"[a-z]{1,3}_[0-9A-Za-z]{9,11}", fullmatch=True))
def test_a_text_is_an_id_only_with_a_known_prefix_and_ten_lower_case_characters(text):
    prefix, _, rest = text.partition("_")
    formed = len(rest) == 10 and all(each in "0123456789abcdefghijklmnopqrstuvwxyz" for each in rest)

    assert is_id(text) is (prefix in KINDS and formed)


@pytest.mark.parametrize(
    ("given_id", "kind", "words"),
    [
        ("m_0000000000", "task", ["a mission", "a task"]),
        ("a_0000000000", "execution", ["an agent", "an execution"]),
        ("log_0000000000", "inbox item", ["an audit entry", "an inbox item"]),
    ],
)
def test_an_id_of_another_kind_is_refused_with_both_kinds_named(given_id, kind, words):
    with pytest.raises(InvalidInput) as refused:
        expect_kind(given_id, kind, field="some_id")

    assert refused.value.details == {"field": "some_id"}
    assert all(word in refused.value.message for word in ["some_id", given_id, *words])
    assert f"{PREFIXES[kind]}_" in refused.value.hint


def test_a_long_text_is_quoted_only_in_part():
    with pytest.raises(InvalidInput) as refused:
        expect_kind("x" * 5_000, "task", field="task_id")

    assert len(refused.value.message) < 200
