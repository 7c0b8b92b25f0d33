"""Options of a run: what is taken, what is refused, and what holds if nobody says anything."""

from __future__ import annotations

from functools import partial

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.plans.field_values import parse_argument, parse_list, parse_text, parse_whole
from mission.domain.plans.option_fields import OPTIONS, parse_option
from mission.domain.plans.plan_budget import PlanBudget, parse_budget


def test_every_option_is_taken():
    given = {
        "max_parallel": 4,
        "overlap": "allow",
        "attempts": 1,
        "revisions": 0,
        "retry_minutes": [0, 1.5],
        "stall_minutes": 0.5,
        "tool_minutes": 30,
        "target": "release/1.x",
        "land": True,
        "squash": False,
        "regenerate": {"*.lock": "make lock"},
        "setup_inputs": ["package.json", "**/*.lock"],
        "budget": {"usd": 2, "per_task": {"minutes": 10}},
    }

    parsed = {name: parse_option(name, value, field=f"run.{name}") for name, value in given.items()}

    assert given.keys() == OPTIONS.keys() == parsed.keys()
    assert parsed == {
        **given,
        "retry_minutes": (0, 1.5),
        "setup_inputs": ("package.json", "**/*.lock"),
        "budget": PlanBudget(usd=2, per_task=PlanBudget(minutes=10)),
    }


def test_the_defaults_are_as_documented():
    assert {name: option.default for name, option in OPTIONS.items()} == {
        "max_parallel": 0,
        "overlap": "avoid",
        "attempts": 3,
        "revisions": 3,
        "retry_minutes": (1, 4, 16),
        "stall_minutes": 10,
        "tool_minutes": 60,
        "target": None,
        "land": False,
        "squash": False,
        "regenerate": None,
        "setup_inputs": None,
        "budget": None,
    }


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.default is not None])
def test_a_default_could_be_given(name):
    assert parse_option(name, OPTIONS[name].default, field=name) == OPTIONS[name].default


@pytest.mark.parametrize(
    ("name", "value", "field", "words"),
    [
        ("max_parallel", 1.0, "max_parallel", "a whole number"),
        ("max_parallel", 1001, "max_parallel", "from 0 to 1,000"),
        ("overlap", "alow", "overlap", "must be one of avoid, allow, not 'alow'"),
        ("overlap", 1, "overlap", "not a number"),
        ("attempts", 0, "attempts", "from 1"),
        ("revisions", -1, "revisions", "from 0"),
        ("retry_minutes", [], "retry_minutes", "has 0 entries"),
        ("retry_minutes", 3, "retry_minutes", "must be a list, not a number"),
        ("retry_minutes", [1, -1], "retry_minutes[1]", "from 0"),
        ("stall_minutes", 0, "stall_minutes", "from 0.01"),
        ("tool_minutes", float("nan"), "tool_minutes", "from 0.01"),
        ("target", "", "target", "is empty"),
        ("target", "-x", "target", "not the name of a branch"),
        ("target", "x.lock", "target", "not the name of a branch"),
        ("target", "a/.b", "target", "not the name of a branch"),
        ("land", "true", "land", "must be true or false, not text"),
        ("squash", 1, "squash", "must be true or false, not a number"),
        ("regenerate", ["x"], "regenerate", "a table of globs and commands"),
        ("regenerate", {"/x": "y"}, 'regenerate."/x"', "/x"),
        ("regenerate", {"x": ""}, "regenerate.x", "is empty"),
        ("regenerate", {str(number): "y" for number in range(101)}, "regenerate", "101 entries"),
        ("setup_inputs", ["a", "[b"], "setup_inputs[1]", "unmatched"),
        ("budget", 20, "budget", "a table of limits"),
        ("budget", {"eur": 1}, "budget.eur", "has no key 'eur'"),
        ("budget", {"usd": 0}, "budget.usd", "from 0.01"),
        ("budget", {"tokens": 0.5}, "budget.tokens", "from 1"),
        ("budget", {"per_task": {"per_task": {}}}, "budget.per_task.per_task", "has no key 'per_task'"),
    ],
)
def test_a_wrong_value_names_its_field(name, value, field, words):
    with pytest.raises(InvalidInput) as refused:
        parse_option(name, value, field=f"run.{name}")

    assert refused.value.details["field"] == f"run.{field}"
    assert words in refused.value.message
    assert refused.value.hint


def test_a_budget_shows_only_what_it_limits():
    budget = {"usd": 1.5, "launches": 3, "per_task": {"tokens": 5}}

    assert parse_budget({**budget, "minutes": None}, field="b").as_dict() == budget
    assert PlanBudget().as_dict() == {}


def test_text_is_stripped_but_an_argument_is_not():
    assert parse_text("  a \n", field="f") == "a"
    assert parse_argument(" a ", field="f") == " a "
    with pytest.raises(InvalidInput, match="too long: 5 characters"):
        parse_text("aaaaa", field="f", limit=4)
    with pytest.raises(InvalidInput, match="at most"):
        parse_argument("a\0", field="f")


def test_the_items_of_a_list_have_their_number():
    with pytest.raises(InvalidInput, match=r"f\[2\] must be a number, not nothing"):
        parse_list([1, 2, None], field="f", parse=partial(parse_whole, least=0, limit=9))
