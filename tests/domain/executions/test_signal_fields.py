"""Fields of signals: the schema that agents see and the check of what they send agree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mission.domain.errors import InvalidInput
from mission.domain.executions.signal_fields import (
    MAX_ARTIFACTS,
    MAX_LABEL_LENGTH,
    Artifacts,
    Choices,
    TextField,
    read_fields,
)
from tests.fault_cases import examples

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
CHOICE = st.fixed_dictionaries(
    {"kind": st.sampled_from(["fixed", "manual", "other"]), "label": st.sampled_from(["A", " ", "x" * 300])},
    optional={"value": st.sampled_from(["a", ""]), "placeholder": st.text(max_size=3)},
)
ARTIFACT = st.dictionaries(st.sampled_from(["path", "label", "activity"]), st.text("a e", max_size=4))
FIELDS = [
    (TextField(max_length=5), JSON),
    (TextField(options=("yes", "no")), JSON | st.sampled_from(["yes", " no ", "maybe"])),
    (Choices(description="d", max_items=2), JSON | st.lists(CHOICE, max_size=3)),
    (
        Artifacts(),
        JSON | st.lists(st.dictionaries(st.sampled_from(["path", "label", "activity"]), st.text("a e", max_size=4))),
    ),
]


@pytest.mark.parametrize(("field", "values"), FIELDS, ids=lambda each: type(each).__name__)
def test_what_is_read_fits_the_schema_and_reads_the_same_again(field, values):
    @settings(max_examples=examples(50))
    @given(values)
    def holds(value):
        try:
            stored = field.read(value, name="f")
        except InvalidInput:
            return
        Draft202012Validator(field.schema()).validate(stored)
        assert field.read(stored, name="f") == stored

    holds()


def test_a_text_is_trimmed_and_measured_after_that():
    assert TextField(max_length=3).read("  abc\n", name="f") == "abc"
    with pytest.raises(InvalidInput, match="4"):
        TextField(max_length=3).read("abcd", name="f")


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        ({"kind": "fixed", "label": "A"}, "f.0.value"),
        ({"kind": "fixed", "value": "a"}, "f.0.label"),
        ({"kind": "fixed", "label": "x" * (MAX_LABEL_LENGTH + 1), "value": "a"}, "f.0.label"),
        ({"kind": "maybe", "label": "A"}, "f.0.kind"),
        ({"label": "A"}, "f.0.kind"),
        ("A", "f.0"),
    ],
)
def test_a_wrong_choice_is_named_by_its_place(choice, field):
    with pytest.raises(InvalidInput) as refused:
        Choices(description="d", max_items=2).read([choice], name="f")

    assert refused.value.details == {"field": field}


def test_a_manual_choice_needs_no_value_and_drops_one():
    read = Choices(description="d", max_items=2).read([{"kind": "manual", "label": "Other", "value": "x"}], name="f")

    assert read == [{"kind": "manual", "label": "Other"}]


def test_a_plain_text_is_the_path_of_an_artifact():
    assert Artifacts().read(["src/a.py", {"artifactId": "x"}], name="f") == [{"path": "src/a.py"}, {"artifactId": "x"}]


@pytest.mark.parametrize("value", [["x"] * (MAX_ARTIFACTS + 1), [5], [{"label": "x"}], "src/a.py"])
def test_artifacts_that_name_nothing_or_are_too_many_are_refused(value):
    with pytest.raises(InvalidInput):
        Artifacts().read(value, name="f")


def test_fields_of_others_are_ignored_unless_they_look_like_a_missing_one():
    fields = {"summary": TextField(), "detail": TextField(required=False)}

    assert read_fields(fields, {"summary": "s", "client": "x"}) == {"summary": "s"}
    assert read_fields(fields, {"summary": "s", "summry": "x"}) == {"summary": "s"}
    with pytest.raises(InvalidInput) as refused:
        read_fields(fields, {"sumary": "s"}, inside="signal.")
    assert refused.value.details == {"field": "signal.sumary"}
    assert "signal.summary" in refused.value.message


def test_null_is_the_same_as_absent():
    fields = {"summary": TextField(), "detail": TextField(required=False)}

    assert read_fields(fields, {"summary": "s", "detail": None}) == {"summary": "s"}
    with pytest.raises(InvalidInput):
        read_fields(fields, {"summary": None})
