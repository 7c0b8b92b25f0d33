"""What a model plainly means is understood; everything else stays as it was sent."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from mission.gateway.arguments.coercion import coerce, model_of


class Color(StrEnum):
    RED = "red"
    DARK_BLUE = "dark_blue"


class Part(BaseModel):
    name: str = ""
    colors: list[Color] = []


class Order(BaseModel):
    color: Color | None = None
    way: Literal["Fast", "slow"] = "slow"
    tags: list[str] = []
    part: Part | None = None
    parts: Annotated[list[Part], Field(max_length=9)] | None = None
    extra: dict[str, Any] | None = None
    text: str = ""
    count: int = 0
    flag: bool = False
    limit: float | None = None
    many: int | list[int] = 0
    words: list[str] | Literal["all"] = []


def meant(**given_values):
    return coerce(Order, given_values)


@pytest.mark.parametrize(
    ("given_values", "understood"),
    [
        ({"color": "RED"}, {"color": "red"}),
        ({"color": " Dark_Blue "}, {"color": "dark_blue"}),
        ({"color": "green"}, {"color": "green"}),
        ({"way": "FAST"}, {"way": "Fast"}),
        ({"tags": "one"}, {"tags": ["one"]}),
        ({"words": "one"}, {"words": ["one"]}),
        ({"words": "All"}, {"words": "all"}),
        ({"tags": ""}, {"tags": ""}),
        ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"tags": "[broken"}, {"tags": ["[broken"]}),
        ({"part": '{"name": "x", "colors": "RED"}'}, {"part": {"name": "x", "colors": ["red"]}}),
        ({"part": {"colors": ["RED", "nope"]}}, {"part": {"colors": ["red", "nope"]}}),
        ({"parts": '[{"colors": "RED"}]'}, {"parts": [{"colors": ["red"]}]}),
        ({"parts": [{"colors": "RED"}, 3]}, {"parts": [{"colors": ["red"]}, 3]}),
        ({"extra": '{"a": 1}'}, {"extra": {"a": 1}}),
        ({"extra": "a=1"}, {"extra": "a=1"}),
        ({"text": '{"a": 1}'}, {"text": '{"a": 1}'}),
        ({"count": True}, {"count": "true"}),
        ({"limit": False}, {"limit": "false"}),
        ({"flag": True}, {"flag": True}),
        ({"unknown": "RED"}, {"unknown": "RED"}),
    ],
)
def test_what_is_slightly_wrong_is_read_as_it_was_meant(given_values, understood):
    assert meant(**given_values) == understood


def test_json_that_is_nested_without_end_is_left_as_text():
    deep = "[" * 100_000

    assert meant(extra=deep) == {"extra": deep}


@given(
    st.builds(
        Order,
        color=st.none() | st.sampled_from(Color),
        tags=st.lists(st.text(min_size=1, max_size=3), max_size=3),
        part=st.none() | st.builds(Part, colors=st.lists(st.sampled_from(Color), max_size=2)),
        extra=st.none() | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
        text=st.text(max_size=5),
        count=st.integers(),
    )
)
def test_what_was_right_stays_as_it_is_and_may_come_as_json_text(order):
    sent = order.model_dump(mode="json")

    assert coerce(Order, sent) == sent
    as_text = {name: json.dumps(sent[name]) for name in ("tags", "part", "extra") if sent[name]}
    assert Order.model_validate({**sent, **coerce(Order, as_text)}) == order


def test_the_model_behind_a_field_is_found_also_when_it_is_optional():
    assert model_of(Part) is model_of(Part | None) is model_of(Annotated[Part | None, Field()]) is Part
    assert model_of(list[Part]) is None
    assert model_of(str | None) is None
