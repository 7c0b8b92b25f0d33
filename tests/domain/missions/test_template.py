"""Templates: which values they ask for, and what filling them in gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.errors import InvalidInput, TooLarge
from mission.domain.missions import template as templates
from mission.domain.missions.template import MAX_NAME_LENGTH, Template, Variable
from tests.domain.samples import NOW, SHOWN

TASK = {"name": "Build {{ part }}", "description": "Make {{part}} for {{customer}}", "sequence": 1}


def template(*tasks, variables=()):
    return Template(
        id="tpl_1", name="Parts", description=None, tasks=tasks or (TASK,), variables=variables, created_at=NOW
    )


def test_a_variable_that_only_a_text_uses_is_required():
    asked = template(variables=[{"name": "part", "description": "Which", "required": False}]).blanks

    assert asked == [Variable(name="part", description="Which", required=False), Variable(name="customer")]


def test_every_text_of_a_task_may_have_blanks():
    task = {
        "name": "{{a}}",
        "description": "{{b}}",
        "sequence": 1,
        "parallel_group": "{{c}}",
        "depends_on": ["{{d}}"],
        "requires": ["{{e}}"],
        "files_likely_affected": ["{{f}}"],
        "checks": ["make {{g}}", {"run": "x", "tests": ["{{h}}/**"], "required": False}],
        "acceptance": ["{{i}}"],
    }

    [filled] = template(task).filled({letter: letter.upper() for letter in "abcdefghi"})

    assert filled.record() == {
        "name": "A",
        "description": "B",
        "sequence": 1,
        "parallel_group": "C",
        "depends_on": ["D"],
        "requires": ["E"],
        "estimated_complexity": None,
        "files_likely_affected": ["F"],
        "checks": ["make G", {"run": "x", "tests": ["H/**"], "required": False}],
        "acceptance": ["I"],
    }


@given(st.text(min_size=1, max_size=50).filter(lambda text: text.strip()))
def test_a_value_is_text_even_when_it_looks_like_a_blank_or_a_pattern(value):
    [task] = template().filled({"part": "{{customer}}", "customer": value})

    assert task.name == "Build {{customer}}"
    assert task.description == f"Make {{{{customer}}}} for {value}".strip()


@pytest.mark.parametrize("text", ["{{}}", "{{ 1x }}", "{ part }", "{{a b}}", "{{part"])
def test_what_is_not_a_blank_stays_as_it_is(text):
    [task] = template({**TASK, "name": text, "description": text}).filled({})

    assert (task.name, task.description) == (text, text)


def test_missing_values_are_named_all_at_once():
    with pytest.raises(InvalidInput) as refused:
        template().filled({})

    assert refused.value.details == {"field": "variables", "missing": ["part", "customer"]}


def test_a_value_for_a_variable_that_does_not_exist_is_refused():
    with pytest.raises(InvalidInput) as refused:
        template().filled({"part": "x", "customer": "y", "color": "red", "beta": "z"})

    assert refused.value.details["unknown"] == ["beta", "color"]
    assert "part, customer" in refused.value.hint


@pytest.mark.parametrize(
    ("variable", "given_values", "used"),
    [
        ({"name": "part", "default": "door"}, {}, "door"),
        ({"name": "part", "default": "door"}, {"part": "roof"}, "roof"),
        ({"name": "part", "required": False}, {}, ""),
    ],
)
def test_a_default_stands_in_and_an_optional_value_is_empty(variable, given_values, used):
    one = template({**TASK, "description": "Make {{part}}.", "name": "Build"}, variables=[variable])

    assert one.filled(given_values)[0].description == f"Make {used}."


@pytest.mark.parametrize("value", ["  ", "x" * (MAX_NAME_LENGTH + 1)])
@pytest.mark.parametrize("field", ["name", "parallel_group", "depends_on", "requires"])
def test_a_name_must_not_become_empty_or_too_long(field, value):
    several = field in {"depends_on", "requires"}
    task = {"name": "n", "description": "d", "sequence": 1, field: ["{{part}}"] if several else "{{part}}"}
    if field == "parallel_group" and not value.strip():
        assert template(task).filled({"part": value})[0].parallel_group is None
        return

    with pytest.raises(InvalidInput) as refused:
        template(task).filled({"part": value})

    assert refused.value.details["field"] == "variables"


def test_a_description_must_not_become_empty():
    with pytest.raises(InvalidInput, match="'n'"):
        template({"name": "n", "description": "{{part}}", "sequence": 1}).filled({"part": " "})


def test_a_plan_that_would_become_too_long_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(templates, "MAX_PLAN_LENGTH", 1_000)
    task = {"name": "n", "description": "{{part}}" * 100, "sequence": 1}

    assert template(task).filled({"part": "x"})
    with pytest.raises(TooLarge):
        template(task).filled({"part": "x" * 20})


def test_a_record_lists_the_variables_and_no_tasks():
    assert template().record() == {
        "id": "tpl_1",
        "name": "Parts",
        "description": None,
        "variables": [
            {"name": "part", "description": "", "required": True, "default": None},
            {"name": "customer", "description": "", "required": True, "default": None},
        ],
        "created_at": SHOWN,
    }
