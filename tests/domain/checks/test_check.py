"""How a check is described, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.check import MAX_CHECKS, Before, Check, CheckKind, parse_check, parse_checks
from mission.domain.errors import InvalidInput


def test_a_plain_text_is_a_required_command_named_by_its_first_words():
    check = parse_check("python -m pytest -q tests/unit", field="checks[0]")

    assert check == Check(
        name="python -m pytest -q", kind=CheckKind.RUN, run="python -m pytest -q tests/unit", seconds=600, required=True
    )


def test_every_field_is_read_and_survives_storage():
    given = {
        "name": "tests",
        "run": "pytest",
        "seconds": 30,
        "required": False,
        "retries": 2,
        "before": "fail",
        "tests": ["tests/**"],
        "uses": ["database"],
        "env": {"A": "1"},
        "parallel": True,
        "reuse": False,
        "junit": "build/*.xml",
    }

    check = parse_check(given, field="check")

    assert (check.before, check.tests, check.uses) == (Before.FAIL, ("tests/**",), ("database",))
    assert check.as_dict() == given
    assert Check.from_dict(check.as_dict()) == check


def test_one_glob_needs_no_list():
    assert parse_check({"changed": "docs/**"}, field="check").globs == ("docs/**",)


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        (7, "c", "a command or an object"),
        ({}, "c", "exactly one of run, changed and untouched"),
        ({"run": "a", "changed": ["b"]}, "c", "exactly one"),
        ({"run": "a", "command": "b"}, "c", "no field 'command'"),
        ({"run": ""}, "c.run", "must be non-empty text"),
        ({"run": "a\0b"}, "c.run", "NUL"),
        ({"run": "x" * 10_001}, "c.run", "too long"),
        ({"run": ["a"]}, "c.run", "must be non-empty text"),
        ({"changed": []}, "c.changed", "is empty"),
        ({"changed": ["/etc/*"]}, "c.changed", "/etc/*"),
        ({"untouched": ["a/../b"]}, "c.untouched", "a/../b"),
        ({"untouched": ["[a"]}, "c.untouched", "[a"),
        ({"run": "a", "seconds": 0}, "c.seconds", "from 1"),
        ({"run": "a", "seconds": "soon"}, "c.seconds", "must be a number"),
        ({"run": "a", "seconds": True}, "c.seconds", "must be a number"),
        ({"run": "a", "seconds": float("nan")}, "c.seconds", "from 1"),
        ({"run": "a", "retries": 1.5}, "c.retries", "must be a number"),
        ({"run": "a", "retries": 99}, "c.retries", "from 0"),
        ({"run": "a", "required": "yes"}, "c.required", "true or false"),
        ({"run": "a", "before": "pass"}, "c.before", "'any' or 'fail'"),
        ({"run": "a", "before": "fail"}, "c.before", "'run' and 'tests'"),
        ({"run": "a", "tests": "x", "env": {"PATH\0": "x"}}, "c.env", "cannot set"),
        ({"run": "a", "env": {"MISSION_SLOT": "7"}}, "c.env", "cannot set"),
        ({"run": "a", "env": ["A=1"]}, "c.env", "an object"),
        ({"run": "a", "env": {"A": 1}}, "c.env", "invalid value"),
        ({"run": "a", "uses": [""]}, "c.uses", "invalid name"),
        ({"run": "a", "name": " a"}, "c.name", "trailing spaces"),
        ({"run": "a", "name": "a\nb"}, "c.name", "printable"),
        ({"run": "a", "junit": 7}, "c.junit", "must be a glob"),
    ],
)
def test_a_wrong_check_is_refused_with_its_field(value, field, words):
    with pytest.raises(InvalidInput) as refused:
        parse_check(value, field="c")

    assert words in refused.value.message
    assert refused.value.details["field"] == field
    assert refused.value.hint


def test_two_checks_of_one_name_and_too_many_are_refused():
    with pytest.raises(InvalidInput, match="two checks are named 'make'"):
        parse_checks(["make", "make"])
    with pytest.raises(InvalidInput, match="1000 checks were given"):
        parse_checks([f"make {number}" for number in range(1_000)])
    assert len(parse_checks([f"make {number}" for number in range(MAX_CHECKS)])) == MAX_CHECKS


def test_the_digest_is_about_what_is_asked_not_how_it_is_scheduled():
    one = parse_check({"name": "a", "run": "make", "parallel": True, "uses": ["x"], "retries": 1}, field="c")
    other = parse_check({"name": "b", "run": "make"}, field="c")
    more = parse_check({"name": "b", "run": "make", "env": {"A": "1"}}, field="c")

    assert one.digest == other.digest
    assert other.digest != more.digest


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_value_is_a_check_or_a_clear_refusal(value):
    hint = "accepted"
    try:
        parse_check(value, field="c")
    except InvalidInput as refused:
        hint = refused.hint or ""

    assert hint
