"""Schemas of tools as agents see them: short, and still true."""

from __future__ import annotations

import json
from enum import StrEnum

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from mission.gateway.tool_schemas import input_schema, output_schema


class Color(StrEnum):
    """Colors that we have."""

    RED = "red"
    BLUE = "blue"


class Row(BaseModel):
    """A row, described for programmers."""

    id: str = Field(description="The id of the row, which is long enough to make this schema worth sharing")
    note: str | None = Field(None, description="What somebody wrote about the row at some time or other")
    color: Color = Color.RED


class Wish(BaseModel):
    """What is wanted."""

    name: str = Field(min_length=1, max_length=200, description="What to call it")
    color: Color | None = None
    count: int = Field(3, ge=1, le=2_000_000)
    few: int = Field(1, le=50)
    tags: list[str] = []
    main: Row | None = None
    others: list[Row] = []
    either: str | int | None = None


class Report(BaseModel):
    id: str
    color: Color | None = None
    note: str | None = None
    seldom: int | None = Field(None, exclude_if=lambda value: value is None)
    main: Row | None = None
    others: list[Row] = []


WISH, REPORT = input_schema(Wish), output_schema(Report)
ROWS = st.builds(Row, id=st.text(max_size=3), note=st.none() | st.text(max_size=3), color=st.sampled_from(Color))


def keys_in(node):
    if isinstance(node, dict):
        yield from node
        for each in node.values():
            yield from keys_in(each)
    elif isinstance(node, list):
        for each in node:
            yield from keys_in(each)


def test_a_schema_is_valid_and_has_no_generated_noise():
    for schema in (WISH, REPORT):
        Draft202012Validator.check_schema(schema)
        assert not {"title", "minLength", "minItems", "format"} & set(keys_in(schema))
        assert "described for programmers" not in json.dumps(schema)
        assert "description" not in schema


def test_input_shows_what_must_be_given_and_which_limits_matter():
    properties = WISH["properties"]

    assert WISH["required"] == ["name"]
    assert properties["name"] == {"type": "string", "maxLength": 200, "description": "What to call it"}
    assert properties["count"] == {"type": "integer", "minimum": 1, "default": 3}
    assert properties["few"]["maximum"] == 50
    assert properties["tags"] == {"type": "array", "items": {"type": "string"}}


def test_an_optional_argument_is_absent_and_never_null():
    assert '"null"' not in json.dumps(WISH)
    assert WISH["properties"]["color"] == {"type": "string", "enum": ["red", "blue"]}
    assert WISH["properties"]["either"]["anyOf"] == [{"type": "string"}, {"type": "integer"}]


def test_a_field_of_a_result_is_null_where_that_may_come_and_absent_where_it_is_left_out():
    properties = REPORT["properties"]

    assert REPORT["required"] == ["id", "color", "note", "main", "others"]
    assert properties["note"] == {"type": ["string", "null"]}
    assert properties["color"] == {"type": ["string", "null"], "enum": ["red", "blue", None]}
    assert properties["seldom"] == {"type": "integer"}


def test_a_long_part_that_occurs_twice_is_written_once():
    assert len(WISH["$defs"]) == 1
    assert WISH["properties"]["main"] == WISH["properties"]["others"]["items"]
    assert WISH["properties"]["main"].keys() == {"$ref"}


@given(
    st.builds(
        Report,
        id=st.text(max_size=3),
        color=st.none() | st.sampled_from(Color),
        note=st.none() | st.text(max_size=3),
        seldom=st.none() | st.integers(),
        main=st.none() | ROWS,
        others=st.lists(ROWS, max_size=2),
    )
)
def test_every_result_fits_its_shortened_schema(report):
    Draft202012Validator(REPORT).validate(report.model_dump(mode="json"))


@given(
    st.builds(
        Wish,
        name=st.text(min_size=1, max_size=5),
        color=st.none() | st.sampled_from(Color),
        count=st.integers(1, 2_000_000),
        tags=st.lists(st.text(max_size=2), max_size=2),
        main=st.none() | ROWS,
    )
)
def test_every_good_argument_fits_its_shortened_schema(wish):
    Draft202012Validator(WISH).validate(wish.model_dump(mode="json", exclude_none=True))
