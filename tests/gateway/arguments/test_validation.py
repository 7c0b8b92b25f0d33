"""Arguments: what is checked before a tool sees them, and what a wrong one is answered with."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from mission.domain.errors import InvalidInput, TooLarge
from mission.gateway.arguments.validation import MAX_DEPTH, MAX_TEXT_LENGTH, check_text, check_value, validate
from mission.gateway.registry import Arguments, Result, tool


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Place(Arguments):
    street: str = ""
    number: int = 0


class Order(Arguments):
    aliases: ClassVar[dict[str, str]] = {"title": "name"}
    nullable: ClassVar[frozenset[str]] = frozenset({"owner"})
    name: str = Field(min_length=1, max_length=10)
    color: Color | None = None
    count: int = Field(1, ge=1, le=5_000)
    tags: list[str] = Field(default=[], max_length=2)
    place: Place | None = None
    owner: str | None = "nobody"
    flag: bool = False


class Done(Result):
    pass


@tool(toolset="mission", result=Done)
async def order(call: object, args: Order) -> Done:
    """Order something."""
    return Done()


def refused(arguments):
    with pytest.raises(InvalidInput) as caught:
        validate(order, arguments)
    return caught.value


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"name": 5}, "name", ["must be text", "5"]),
        ({"name": ""}, "name", ["at least 1"]),
        ({"name": "x" * 70}, "name", ["at most 10", "70 characters"]),
        ({"count": "many"}, "count", ["whole number", "'many'"]),
        ({"count": 1.5}, "count", ["whole number", "1.5"]),
        ({"count": 0}, "count", ["at least 1"]),
        ({"count": 9_999}, "count", ["at most 5,000"]),
        ({"flag": "perhaps"}, "flag", ["true or false"]),
        ({"tags": {"a": 1}}, "tags", ["must be a list", "an object"]),
        ({"tags": ["a", "b", "c"]}, "tags", ["most 2", "3"]),
        ({"tags": ["a", 5]}, "tags.1", ["must be text"]),
        ({"place": [1]}, "place", ["must be an object", "a list"]),
        ({"place": {"number": "x"}}, "place.number", ["whole number"]),
        ({"color": "green"}, "color", ["'green'", "red, blue"]),
    ],
)
def test_a_wrong_argument_is_named_with_what_it_takes(change, field, words):
    error = refused({"name": "x", **change})

    assert error.details == {"field": field}
    assert error.message.startswith(field)
    assert all(word in error.message for word in words)


def test_a_choice_with_a_typo_is_answered_with_the_nearest_one():
    assert "'blue'" in refused({"name": "x", "color": "bleu"}).hint


def test_several_problems_are_told_at_once_but_not_all_of_them():
    error = refused({"name": "", "count": 0, "flag": "x", "color": "x", "place": {"number": "x"}, "tags": [1, 2]})

    assert error.message.count(";") == 5
    assert error.message.endswith("2 more")


@pytest.mark.parametrize("arguments", [None, [], "name", 5])
def test_arguments_that_are_not_an_object_are_refused(arguments):
    assert "order" in refused(arguments).message


def test_the_word_of_another_dialect_is_taken_and_ours_wins():
    assert validate(order, {"title": "a"}).name == "a"
    assert validate(order, {"title": "a", "name": "b"}).name == "b"


def test_null_is_absent_except_where_it_says_something():
    read = validate(order, {"name": "x", "count": None, "color": None, "owner": None})

    assert (read.count, read.color, read.owner) == (1, None, None)
    assert validate(order, {"name": "x"}).owner == "nobody"


@pytest.mark.parametrize(
    ("arguments", "wrong", "right"),
    [({"nmae": "x"}, "nmae", "name"), ({"name": "x", "place": {"stret": "y"}}, "place.stret", "place.street")],
)
def test_a_misspelled_name_is_refused_with_the_right_one(arguments, wrong, right):
    error = refused(arguments)

    assert error.details == {"field": wrong}
    assert f"'{right}'" in error.message


def test_a_name_that_resembles_a_given_argument_is_somebody_elses():
    assert validate(order, {"name": "x", "names": ["y"], "client": "z"}).name == "x"


@pytest.mark.parametrize("text", ["a\x00b", "half \ud800"])
def test_text_that_no_database_keeps_is_refused_wherever_it_is(text):
    for value in (text, [text], {"a": {"b": [text]}}, {text: 1}):
        with pytest.raises(InvalidInput):
            check_value(value, field="detail")
    with pytest.raises(InvalidInput):
        validate(order, {"name": "x", text: "y"})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_refused(number):
    with pytest.raises(InvalidInput):
        check_value({"a": [number]}, field="detail")


def test_the_longest_text_is_taken_and_one_character_more_is_not():
    check_text("x" * MAX_TEXT_LENGTH, field="f")
    check_text("ü" * MAX_TEXT_LENGTH, field="f")
    with pytest.raises(TooLarge):
        check_text("x" * (MAX_TEXT_LENGTH + 1), field="f")


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"a": inner}])
def test_the_deepest_nesting_is_taken_and_one_level_more_is_not(wrap):
    value = "ü"
    for _ in range(MAX_DEPTH):
        value = wrap(value)

    check_value(value, field="f")
    with pytest.raises(InvalidInput):
        check_value(wrap(value), field="f")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(["name", "color", "count", "tags", "place", "owner", "flag", "else"])


@given(st.dictionaries(NAMES, JSON) | JSON)
def test_whatever_is_sent_becomes_arguments_or_an_error_about_the_input(arguments):
    try:
        read = validate(order, arguments)
    except InvalidInput:
        return
    assert isinstance(read, Order)
    assert 1 <= len(read.name) <= 10
